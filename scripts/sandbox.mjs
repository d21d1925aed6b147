import { ensureInstalled } from './install.mjs';
import { stopWithParent } from './parent-watch.mjs';
import { enterProject, ROOT } from './project.mjs';
import { runCommand } from './run-command.mjs';

enterProject();
stopWithParent(() => process.kill(process.pid, 'SIGTERM'));
await ensureInstalled();
process.exit(
  await runCommand(process.execPath, ['--import=tsx', `${ROOT}/sandbox/main.ts`], {
    stdio: ['ignore', 1, 2],
  }),
);
