import { ensureBuilt } from './build.mjs';
import { findChromium } from './chromium.mjs';
import { ensureInstalled } from './install.mjs';
import { enterProject } from './project.mjs';
import { runCommand } from './run-command.mjs';

enterProject();
await ensureInstalled();
process.env.CHROMIUM = await findChromium();
await ensureBuilt();
process.exit(
  await runCommand(process.execPath, ['--import=tsx', 'bench/main.ts', ...process.argv.slice(2)], {
    stdio: ['ignore', 1, 2],
  }),
);
