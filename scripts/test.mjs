import { execFileSync } from 'node:child_process';
import { QUICK_CHECKS, runChecks } from './checks.mjs';
import { findChromium, quickChromium } from './chromium.mjs';
import { ensureInstalled } from './install.mjs';
import { enterProject, installed, say } from './project.mjs';
import { countTests, forgetReports, outcomesOf, REPORTS } from './test-counts.mjs';

/** So many failed tests of a runner are tried once more, each alone. More are no accident of the load. */
const MOST_SECOND_TRIES = 5;

enterProject();
await ensureInstalled();
const chromium = await findChromium();
Object.assign(process.env, { CHROMIUM: quickChromium(chromium), CHROMIUM_WITH_CACHE: chromium });
forgetReports();
const failures = await runChecks(QUICK_CHECKS);
const build = { name: 'production build', args: ['scripts/build-for-tests.mjs'] };
const playwright = { name: 'end to end', args: [installed('@playwright', 'test', 'cli.js'), 'test'] };
const unbuilt = await runChecks([build]);
failures.push(...unbuilt, ...(unbuilt.length === 0 ? await runChecks([playwright]) : []));

const unit = await withSecondTry('unit', 'unit tests', (places) => ({
  args: [installed('vitest', 'vitest.mjs'), 'run', '--no-file-parallelism', ...places],
  env: { UNIT_REPORT: REPORTS.unit.second },
}));
const e2e = await withSecondTry('e2e', 'end to end', (places) => ({
  args: [...playwright.args, '--workers=1', '--output=reports/e2e-alone', ...places],
  env: { E2E_REPORT: REPORTS.e2e.second },
}));
if (process.env.CI && !cloneIsClean()) failures.push('a clean clone');

for (const name of [...unit.onlyAlone, ...e2e.onlyAlone]) say(`Failed beside others, passed alone: ${name}`);
// A check that counts no tests, such as the lint, is one failure when it fails; so is a runner that died.
const failed = Math.max(unit.failed + e2e.failed, failures.length);
const passed = unit.passed + e2e.passed;
const skipped = unit.skipped + e2e.skipped;
if (failures.length > 0) say(`Failed: ${failures.join(', ')}.`);
process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
process.exit(failures.length === 0 && failed === 0 && passed > 0 ? 0 : 1);

/** Runs the few tests that failed once more, alone; a runner whose tests all passed then is no failure. */
async function withSecondTry(runner, name, commandFor) {
  const first = outcomesOf(runner, 'first');
  const places = new Set(first.filter(({ result }) => result === 'failed').map(({ place }) => place));
  if (places.size === 0 || places.size > MOST_SECOND_TRIES || places.has('')) return countTests(first, []);
  const failedAgain = await runChecks([
    { name: `${name}, the failed ones alone`, ...commandFor([...places]) },
  ]);
  const counts = countTests(first, outcomesOf(runner, 'second'));
  const failure = failures.indexOf(name);
  if (failure >= 0 && failedAgain.length === 0 && counts.failed === 0) failures.splice(failure, 1);
  return counts;
}

/** Installing, building and testing must leave nothing behind that git would want to know about. */
function cloneIsClean() {
  const status = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' });
  if (status !== '') say(`The clone is no longer clean:\n${status}`);
  return status === '';
}
