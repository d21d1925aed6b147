import { announceWhenReady } from './announce.mjs';
import { checkSettings } from './check-settings.mjs';
import { ensureInstalled } from './install.mjs';
import { ensurePortFree, listenAddress } from './listen-address.mjs';
import { stopWithParent } from './parent-watch.mjs';
import { enterProject, installed } from './project.mjs';
import { runCommand } from './run-command.mjs';

enterProject();
stopWithParent(() => process.kill(process.pid, 'SIGTERM'));
const address = listenAddress();
await ensurePortFree(address);
await ensureInstalled();
await checkSettings();
announceWhenReady(address);
const next = installed('next', 'dist', 'bin', 'next');
const args = [next, 'dev', '--hostname', address.host, '--port', String(address.port)];
process.exitCode = await runCommand(process.execPath, args, { stdio: ['ignore', 1, 2] });
process.exit();
