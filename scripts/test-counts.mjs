import { existsSync, readFileSync, rmSync } from 'node:fs';

/** Where the runners leave their own reports (vitest.config.ts, playwright.config.ts). */
const REPORTS = { unit: 'reports/unit.json', e2e: 'reports/e2e.json' };

/** Removes earlier reports, so that a runner that dies leaves none behind to be counted. */
export function forgetReports() {
  for (const file of Object.values(REPORTS)) rmSync(file, { force: true });
}

const read = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined);

/** @typedef {'passed' | 'failed' | 'skipped'} Result of one test, or of a file that could not be run at all */

/** @returns {Result[]} what Vitest says in its JSON report; a file that fails without a test of its own is one failure */
export function unitResults(report) {
  return (report?.testResults ?? []).flatMap(({ status, assertionResults }) => {
    if (assertionResults.length === 0 && status === 'failed') return ['failed'];
    return assertionResults.map(({ status }) =>
      status === 'passed' || status === 'failed' ? status : 'skipped',
    );
  });
}

const PLAYWRIGHT_RESULTS = { expected: 'passed', skipped: 'skipped' };

/** @returns {Result[]} what Playwright says in its JSON report; an error outside of all tests is one failure */
export function e2eResults(report) {
  const inside = (suite) => [
    ...(suite.specs ?? []).flatMap(({ tests }) =>
      tests.map(({ status }) => PLAYWRIGHT_RESULTS[status] ?? 'failed'),
    ),
    ...(suite.suites ?? []).flatMap(inside),
  ];
  return [...(report?.errors ?? []).map(() => 'failed'), ...(report?.suites ?? []).flatMap(inside)];
}

/** @returns {{passed: number, failed: number, skipped: number}} of both runners, from the reports of this run */
export function countTests() {
  const results = [...unitResults(read(REPORTS.unit)), ...e2eResults(read(REPORTS.e2e))];
  const count = (wanted) => results.filter((result) => result === wanted).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}
