import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { findChromium, quickChromium } from './chromium.mjs';
import { ensureInstalled } from './install.mjs';
import { ensurePostgres } from './postgres.mjs';
import { enterProject, installed, runCommand, say } from './project.mjs';

/** `npm test`; with `--quick` it is `npm run check`: without long tests, the build, and tests that need it. */
const isQuick = process.argv.includes('--quick');
const VITEST = installed('vitest', 'vitest.mjs');

const QUICK = [
  ['shape', 'scripts/shape-check.mjs'],
  ['route types', installed('next', 'dist', 'bin', 'next'), 'typegen'],
  ['types', installed('typescript', 'bin', 'tsc'), '--noEmit', '--project', 'tsconfig.json'],
  ['lint', installed('@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', '.'],
  ['unit tests', VITEST, 'run', ...(isQuick ? ['--project', 'unit'] : [])],
];
const BUILT = [
  ['over HTTP', VITEST, 'run', '--config', 'e2e/http/vitest.config.ts'],
  ['end to end', installed('@playwright', 'test', 'cli.js'), 'test'],
];
/** Reports configured for Vitest and Playwright. */
const REPORTS = ['reports/unit.json', 'reports/http.json', 'reports/e2e.json'];

enterProject();
// Read by vitest.config.ts.
if (isQuick) process.env.QUICK = 'yes';
await ensureInstalled();
await ensurePostgres();
if (isQuick) {
  const failures = await runChecks(QUICK);
  say(failures.length === 0 ? 'All checks hold.' : `Failed: ${failures.join(', ')}.`);
  process.exit(failures.length === 0 ? 0 : 1);
}
const chromium = await findChromium();
Object.assign(process.env, { CHROMIUM: quickChromium(chromium), CHROMIUM_WITH_CACHE: chromium });
// Old reports must not be counted when a runner dies.
for (const file of REPORTS) rmSync(file, { force: true });
const failures = await runChecks(QUICK);
const unbuilt = await runChecks([['production build', 'scripts/build-for-tests.mjs']]);
failures.push(...unbuilt, ...(unbuilt.length === 0 ? await runChecks(BUILT) : []));
if (process.env.CI && !cloneIsClean()) failures.push('a clean clone');

const { passed, skipped, ...counted } = countTests();
// A failed check without tests, such as the lint, counts as one failure; so does a runner that died.
const failed = Math.max(counted.failed, failures.length);
for (const line of failedTests()) say(line);
if (failures.length > 0) say(`Failed: ${failures.join(', ')}.`);
process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

/** Continues after failures, so that one run reports everything. Returns the names of the failed checks. */
async function runChecks(checks) {
  const failures = [];
  for (const [name, ...args] of checks) {
    const started = Date.now();
    say(`── ${name}`);
    const code = await runCommand(process.execPath, args);
    const seconds = Math.round((Date.now() - started) / 1000);
    say(`── ${name}: ${code === 0 ? 'ok' : `FAILED (exit ${code})`} in ${seconds} s`);
    if (code !== 0) failures.push(name);
  }
  return failures;
}

/** Vitest has its totals at the top, Playwright under `stats`. */
function countTests() {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const file of REPORTS.filter(existsSync)) {
    const { stats, errors = [], ...vitest } = JSON.parse(readFileSync(file, 'utf8'));
    count.passed += stats?.expected ?? vitest.numPassedTests;
    count.failed += stats ? stats.unexpected + stats.flaky + errors.length : vitest.numFailedTests;
    count.skipped += stats?.skipped ?? vitest.numPendingTests + vitest.numTodoTests;
  }
  return count;
}

/** The end of a long log shows which tests failed, and why. */
function failedTests() {
  return REPORTS.filter(existsSync).flatMap((file) => {
    const { testResults = [], suites = [] } = JSON.parse(readFileSync(file, 'utf8'));
    const unit = testResults.flatMap(({ name, status, message, assertionResults }) => {
      const failed = assertionResults.filter((test) => test.status === 'failed');
      if (failed.length === 0)
        return status === 'failed' ? [failedLine(name, 'the file itself', message)] : [];
      return failed.map((test) => failedLine(name, test.fullName, test.failureMessages[0]));
    });
    return [...unit, ...suites.flatMap(failedSpecs)];
  });
}

function failedSpecs({ suites = [], specs = [] }) {
  const failed = specs.filter((spec) => !spec.ok);
  return [
    ...failed.map(({ file, title, tests }) =>
      failedLine(
        file,
        title,
        tests.flatMap((test) => test.results).find((result) => result.error)?.error.message,
      ),
    ),
    ...suites.flatMap(failedSpecs),
  ];
}

function failedLine(file, title, reason = 'no reason') {
  return `FAILED ${file} › ${title}: ${reason.replaceAll(/\s+/g, ' ').slice(0, 500)}`;
}

function cloneIsClean() {
  const status = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' });
  if (status !== '') say(`The clone is no longer clean:\n${status}`);
  return status === '';
}
