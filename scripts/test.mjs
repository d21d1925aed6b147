import { execFileSync } from 'node:child_process';
import { QUICK_CHECKS, runChecks } from './checks.mjs';
import { findChromium, quickChromium } from './chromium.mjs';
import { ensureInstalled } from './install.mjs';
import { enterProject, installed, say } from './project.mjs';
import { countTests, forgetReports } from './test-counts.mjs';

const VITEST = installed('vitest', 'vitest.mjs');

enterProject();
await ensureInstalled();
const chromium = await findChromium();
Object.assign(process.env, { CHROMIUM: quickChromium(chromium), CHROMIUM_WITH_CACHE: chromium });
forgetReports();
const failures = await runChecks(QUICK_CHECKS);
const unbuilt = await runChecks([{ name: 'production build', args: ['scripts/build-for-tests.mjs'] }]);
const built = [
  { name: 'over HTTP', args: [VITEST, 'run', '--config', 'e2e/http/vitest.config.ts'] },
  { name: 'end to end', args: [installed('@playwright', 'test', 'cli.js'), 'test'] },
];
failures.push(...unbuilt, ...(unbuilt.length === 0 ? await runChecks(built) : []));
if (process.env.CI && !cloneIsClean()) failures.push('a clean clone');

const { passed, skipped, ...counted } = countTests();
// A check that counts no tests, such as the lint, is one failure when it fails; so is a runner that died.
const failed = Math.max(counted.failed, failures.length);
if (failures.length > 0) say(`Failed: ${failures.join(', ')}.`);
process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

/** Installing, building and testing must leave nothing behind that git would want to know about. */
function cloneIsClean() {
  const status = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' });
  if (status !== '') say(`The clone is no longer clean:\n${status}`);
  return status === '';
}
