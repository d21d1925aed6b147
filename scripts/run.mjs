import { ensureBuilt, isRelease } from './build.mjs';
import { findChromium, quickChromium } from './chromium.mjs';
import { ensureInstalled } from './install.mjs';
import { enterProject, fail, runCommand } from './project.mjs';

/** `bench`, `soak` and `screenshots` need a build and a browser. */
const FILES = {
  sandbox: 'sandbox/main.ts',
  bench: 'bench/main.ts',
  soak: 'bench/soak.ts',
  move: 'scripts/move.ts',
  chains: 'scripts/chains.ts',
  screenshots: 'e2e/take-screenshots.ts',
};

const [name, ...args] = process.argv.slice(2);
enterProject();
if (isRelease())
  fail(`npm run ${name} wants the sources, which a release does not have: run it in a checkout.`);
await ensureInstalled();
if (!['sandbox', 'move', 'chains'].includes(name)) {
  process.env.CHROMIUM = quickChromium(await findChromium());
  await ensureBuilt();
}
const code = await runCommand(
  process.execPath,
  ['--conditions=react-server', '--import=tsx', FILES[name], ...args],
  {
    stdio: ['ignore', 1, 2],
  },
);
process.exit(code);
