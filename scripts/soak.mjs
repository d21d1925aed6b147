import { ensureBuilt } from './build.mjs';
import { findChromium } from './chromium.mjs';
import { ensureInstalled } from './install.mjs';
import { enterProject, fail } from './project.mjs';
import { runCommand } from './run-command.mjs';

const UNITS = { s: 1, m: 60, h: 3600 };
const USUAL = '10m';

const [asked = USUAL] = process.argv.slice(2);
const [, count, unit] = /^(\d{1,4})(s|m|h)$/.exec(asked) ?? [];
if (count === undefined) fail('npm run soak takes a time such as 90s, 10m or 2h.');

enterProject();
await ensureInstalled();
process.env.CHROMIUM = await findChromium();
await ensureBuilt();
process.exit(
  await runCommand(process.execPath, ['--import=tsx', 'bench/soak.ts', String(Number(count) * UNITS[unit])], {
    stdio: ['ignore', 1, 2],
  }),
);
