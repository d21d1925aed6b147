import { findChromium, quickChromium } from './chromium.mjs';
import { ensureInstalled } from './install.mjs';
import { enterProject, fail } from './project.mjs';
import { runCommand } from './run-command.mjs';

enterProject();
await ensureInstalled();
const chromium = await findChromium();
Object.assign(process.env, { CHROMIUM: quickChromium(chromium), CHROMIUM_WITH_CACHE: chromium });
const node = (...args) => runCommand(process.execPath, args, { stdio: ['ignore', 1, 2] });
if ((await node('scripts/build-for-tests.mjs')) !== 0) fail('The build failed; its message stands above.');
process.exit(await node('--import=tsx', 'scripts/run-faults.ts', ...process.argv.slice(2)));
