import { existsSync, readFileSync, rmSync } from 'node:fs';

/** Where the runners leave their own reports (vitest.config.ts, e2e/http/vitest.config.ts, playwright.config.ts). */
const REPORTS = { unit: 'reports/unit.json', http: 'reports/http.json', e2e: 'reports/e2e.json' };

/** Removes earlier reports, so that a runner that dies leaves none behind to be counted. */
export function forgetReports() {
  for (const file of Object.values(REPORTS)) rmSync(file, { force: true });
}

const read = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined);

/** @returns {string[]} how each test of Vitest's report ended; a file that fails without a test of its own is one failure */
export function vitestResults(report) {
  return (report?.testResults ?? []).flatMap(({ status, assertionResults }) =>
    assertionResults.length === 0 && status === 'failed'
      ? ['failed']
      : assertionResults.map(({ status }) => status),
  );
}

const PLAYWRIGHT_RESULTS = { expected: 'passed', skipped: 'skipped' };

/** @returns {string[]} how each test of Playwright's report ended; an error outside of all tests is one failure */
export function playwrightResults(report) {
  const inside = ({ specs = [], suites = [] }) => [
    ...specs.flatMap(({ tests }) => tests.map(({ status }) => PLAYWRIGHT_RESULTS[status] ?? 'failed')),
    ...suites.flatMap(inside),
  ];
  return [...(report?.errors ?? []).map(() => 'failed'), ...inside(report ?? {})];
}

/** @returns {{passed: number, failed: number, skipped: number}} what all reports together say */
export function countTests() {
  const results = [
    ...vitestResults(read(REPORTS.unit)),
    ...vitestResults(read(REPORTS.http)),
    ...playwrightResults(read(REPORTS.e2e)),
  ];
  const passed = results.filter((result) => result === 'passed').length;
  const failed = results.filter((result) => result === 'failed').length;
  return { passed, failed, skipped: results.length - passed - failed };
}
