import { createRequire } from 'node:module';
import { announceWhenReady } from './announce.mjs';
import { ensureBuilt, isBuilt } from './build.mjs';
import { checkSettings } from './check-settings.mjs';
import { holdEarlyRequests } from './early-requests.mjs';
import { ensureInstalled } from './install.mjs';
import { ensurePortFree, listenAddress } from './listen-address.mjs';
import { stopWithParent } from './parent-watch.mjs';
import { enterProject, installed } from './project.mjs';

enterProject();
stopWithParent(() => process.kill(process.pid, 'SIGTERM'));
const address = listenAddress();
await ensurePortFree(address);
await ensureInstalled();
if (!isBuilt()) {
  await checkSettings();
  await ensureBuilt();
}
serve();
announceWhenReady(address);

/**
 * Runs Next's own `start` command inside this process: no child that a signal could miss.
 * Next greets on standard output, which belongs to the JSON log, so its greeting is dropped.
 */
function serve() {
  process.env.NODE_ENV = 'production';
  console.log = () => {};
  const next = installed('next', 'dist', 'bin', 'next');
  holdEarlyRequests(address.port);
  process.argv = [
    process.execPath,
    next,
    'start',
    '--hostname',
    address.host,
    '--port',
    String(address.port),
  ];
  createRequire(import.meta.url)(next);
}
