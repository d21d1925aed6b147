import { announceWhenReady } from './announce.mjs';
import { checkSettings } from './check-settings.mjs';
import { ensureInstalled } from './install.mjs';
import { ensurePortFree, listenAddress } from './listen-address.mjs';
import { stopWithParent } from './parent-watch.mjs';
import { enterProject } from './project.mjs';
import { serve } from './serve.mjs';

enterProject();
stopWithParent(() => process.kill(process.pid, 'SIGTERM'));
const address = listenAddress();
await ensurePortFree(address);
await ensureInstalled();
await checkSettings();
announceWhenReady(address);
await serve(address, { dev: true });
