import { existsSync, readFileSync, rmSync } from 'node:fs';

/** Where the runners leave their own reports (vitest.config.ts, playwright.config.ts). */
const UNIT = 'reports/unit.json';
const E2E = 'reports/e2e.json';

/** Removes earlier reports, so that a runner that dies leaves none behind to be counted. */
export function forgetReports() {
  for (const file of [UNIT, E2E]) rmSync(file, { force: true });
}

const read = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined);

/**
 * Counts from the reports. A test that passed only on a retry counts as failed: flaky is not passed.
 * @returns {{passed: number, failed: number, skipped: number}}
 */
export function countTests() {
  const unit = read(UNIT);
  const e2e = read(E2E)?.stats;
  return {
    passed: (unit?.numPassedTests ?? 0) + (e2e?.expected ?? 0),
    failed:
      (unit?.numFailedTests ?? 0) + (unit ? failedSuites(unit) : 0) + (e2e ? e2e.unexpected + e2e.flaky : 0),
    skipped: (unit?.numPendingTests ?? 0) + (unit?.numTodoTests ?? 0) + (e2e?.skipped ?? 0),
  };
}

/** Files that could not be run at all: they fail without a failed test of their own. */
function failedSuites(unit) {
  return unit.testResults.filter((suite) => suite.status === 'failed' && suite.assertionResults.length === 0)
    .length;
}
