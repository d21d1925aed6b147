import { existsSync, readFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';

/** Where the runners leave their own reports (vitest.config.ts, playwright.config.ts), of both tries. */
export const REPORTS = {
  unit: { first: 'reports/unit.json', second: 'reports/unit-alone.json' },
  e2e: { first: 'reports/e2e.json', second: 'reports/e2e-alone.json' },
};

/** Removes earlier reports, so that a runner that dies leaves none behind to be counted. */
export function forgetReports() {
  for (const { first, second } of Object.values(REPORTS)) {
    for (const file of [first, second]) rmSync(file, { force: true });
  }
}

const read = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined);

/**
 * @typedef {object} Outcome one test, or a file that could not be run at all
 * @property {string} name unlike that of any other
 * @property {string} place what the runner takes to run it again
 * @property {'passed' | 'failed' | 'skipped'} result
 */

/** @returns {Outcome[]} what Vitest says in its JSON report; a file that fails without a test of its own is one failure */
export function unitOutcomes(report) {
  return (report?.testResults ?? []).flatMap(({ name, status, assertionResults }) => {
    const place = relative(process.cwd(), name);
    if (assertionResults.length === 0 && status === 'failed')
      return [{ name: place, place, result: 'failed' }];
    return assertionResults.map(({ fullName, status }) => ({
      name: `${place} › ${fullName}`,
      place,
      result: status === 'passed' || status === 'failed' ? status : 'skipped',
    }));
  });
}

const PLAYWRIGHT_RESULTS = { expected: 'passed', skipped: 'skipped' };

/** @returns {Outcome[]} what Playwright says in its JSON report; an error outside of all tests is one failure */
export function e2eOutcomes(report) {
  const errors = (report?.errors ?? []).map(({ message }) => ({
    name: message,
    place: '',
    result: 'failed',
  }));
  const inside = (suite, titles) => [
    ...(suite.specs ?? []).flatMap(({ title, file, line, tests }) =>
      tests.map(({ status }) => ({
        name: [...titles, title].join(' › '),
        place: `${file}:${line}`,
        result: PLAYWRIGHT_RESULTS[status] ?? 'failed',
      })),
    ),
    ...(suite.suites ?? []).flatMap((one) => inside(one, [...titles, one.title])),
  ];
  return [...errors, ...(report?.suites ?? []).flatMap((suite) => inside(suite, [suite.title]))];
}

/** @param {'unit' | 'e2e'} runner @param {'first' | 'second'} attempt @returns {Outcome[]} */
export function outcomesOf(runner, attempt) {
  const report = read(REPORTS[runner][attempt]);
  return runner === 'unit' ? unitOutcomes(report) : e2eOutcomes(report);
}

/**
 * Counts from the reports. A test that failed beside others and passed alone is passed, and named for itself.
 * @param {Outcome[]} first
 * @param {Outcome[]} second
 * @returns {{passed: number, failed: number, skipped: number, onlyAlone: string[]}}
 */
export function countTests(first, second) {
  const passedAlone = new Set(second.filter(({ result }) => result === 'passed').map(({ name }) => name));
  const of = (wanted) => first.filter(({ result }) => result === wanted);
  const onlyAlone = of('failed').filter(({ name }) => passedAlone.has(name));
  return {
    passed: of('passed').length + onlyAlone.length,
    failed: of('failed').length - onlyAlone.length,
    skipped: of('skipped').length,
    onlyAlone: onlyAlone.map(({ name }) => name),
  };
}
