import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createRequire } from 'node:module';
import { createServer, isIP } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { ensureBuilt, isBuilt, isRelease } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { enterProject, fail, runCommand, say } from './project.mjs';

/** `npm start`; with `--dev` it is `npm run dev`, which builds each page on first request. */
const dev = process.argv.includes('--dev');
const HOST_FORM = 'HOST should be an address or a name of this machine, such as 127.0.0.1';
/** lib/runtime/start-up.ts calls it. A symbol, because Next bundles that module and can't share one with this script. */
const STARTED = Symbol.for('keeperscope.started');

/** An address of 32,000 characters three times: itself, Referer, and escaped in a header of Next's router. */
const MAX_HEAD_BYTES = 160 * 1024;

/** Percent of the heap in use, before V8 collects. Its default multiple held 380 MB for three exports, mostly garbage. */
const HEAP_GROWTH_PERCENT = 40;

setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
enterProject();
const { host, port, origin } = listenAddress();
await ensurePortFree();
if (!isRelease()) await ensureInstalled();
if (dev || !isBuilt()) await checkSettings();
if (!dev) await ensureBuilt();
await serve();

/** Address from HOST and PORT; validated here, because Next rewrites PORT before the settings are read. */
function listenAddress() {
  const host = (process.env.HOST || '127.0.0.1').replace(/^\[(.*)\]$/, '$1');
  const portText = process.env.PORT || '3000';
  const port = Number(portText);
  if (!/^[1-9]\d{0,4}$/.test(portText) || port > 65535) fail('PORT should be a whole number from 1 to 65535');
  if (isIP(host) === 0 && !/^[a-z]([a-z0-9.-]*[a-z0-9])?$/i.test(host)) fail(HOST_FORM);
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return { host, port, origin: `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}` };
}

async function ensurePortFree() {
  const reason = await new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error) => resolve(error.code ?? error.message));
    probe.listen(port, host, () => probe.close(() => resolve(undefined)));
  });
  if (reason === 'EADDRINUSE')
    fail(`Port ${port} on ${host} is taken. Stop what listens there, or set PORT to another.`);
  if (reason === 'EACCES') fail('PORT should be one that this user may listen on, such as 3000');
  if (reason) fail(`${HOST_FORM} (${reason})`);
}

/** Settings are checked before a build is spent on them. The server validates them again, with the same message. */
async function checkSettings() {
  const check = `import('@/lib/platform/settings').then(({ readSettings }) => readSettings(process.env))`;
  const reportError = `(error) => { console.error(error.name === 'SettingsError' ? error.message : error); process.exit(1) }`;
  const args = ['--conditions=react-server', '--import=tsx', '--eval', `${check}.catch(${reportError})`];
  const code = await runCommand(process.execPath, args);
  if (code !== 0) process.exit(code);
}

/** Serves in this process, behind our own server, so that no child process can miss a signal. */
async function serve() {
  process.env.NODE_ENV = dev ? 'development' : 'production';
  // Next prints its greeting to standard output, which is reserved for the JSON log.
  console.log = dev ? console.error : () => {};
  const next = createRequire(import.meta.url)('next');
  const server = createHttpServer({ maxHeaderSize: MAX_HEAD_BYTES });
  // Next's upgrade listener is for hot reload. With one, Node would hand over every request that merely offers an
  // upgrade, as some HTTP/2 clients do, and it would never be answered.
  const app = next({
    dev,
    dir: process.cwd(),
    hostname: host,
    port,
    httpServer: dev ? server : createHttpServer(),
  });
  // Next may be ready before the modules that it starts have been loaded.
  const started = new Promise((resolve) => {
    globalThis[STARTED] = resolve;
  });
  await app.prepare();
  const ours = await started;
  ours.open(server, app.getRequestHandler());
  await new Promise((resolve) => server.listen(port, host, resolve));
  await ours.healthReady;
  say(`Keeperscope ${JSON.parse(readFileSync('package.json', 'utf8')).version} is at ${origin}`);
}
