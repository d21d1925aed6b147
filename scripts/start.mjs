import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createRequire } from 'node:module';
import { createServer, isIP } from 'node:net';
import { ensureBuilt, isBuilt, isRelease } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { enterProject, fail, runCommand, say } from './project.mjs';

/** `npm start`; with `--dev` it is `npm run dev`, which builds each page when it is asked for. */
const dev = process.argv.includes('--dev');
const HOST_FORM = 'HOST should be an address or a name of this machine, such as 127.0.0.1';
/** What lib/runtime/start-up.ts calls with what every request meets first. Next bundles that, so they can share no module. */
const STARTED = Symbol.for('keeperscope.started');

/** An address of 32,000 characters, which comes three times: as itself, as Referer, and escaped in a header of Next's router. */
const MAX_HEAD_BYTES = 160 * 1024;

enterProject();
const { host, port, origin } = listenAddress();
await ensurePortFree();
if (!isRelease()) await ensureInstalled();
if (dev || !isBuilt()) await checkSettings();
if (!dev) await ensureBuilt();
await serve();

/** By the settings HOST and PORT; checked here, because Next rewrites PORT before the settings are read. */
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

/** Before a build is spent on them: a bad one ends with the line that the server would say, which checks them again. */
async function checkSettings() {
  const check = `import('@/lib/platform/settings').then(({ readSettings }) => readSettings(process.env))`;
  const said = `(error) => { console.error(error.name === 'SettingsError' ? error.message : error); process.exit(1) }`;
  const args = ['--conditions=react-server', '--import=tsx', '--eval', `${check}.catch(${said})`];
  const code = await runCommand(process.execPath, args);
  if (code !== 0) process.exit(code);
}

/** Runs Next inside this process, behind a server of ours: no child that a signal could miss. */
async function serve() {
  process.env.NODE_ENV = dev ? 'development' : 'production';
  // Next greets on standard output, which belongs to the JSON log.
  console.log = dev ? console.error : () => {};
  const next = createRequire(import.meta.url)('next');
  const server = createHttpServer({ maxHeaderSize: MAX_HEAD_BYTES });
  // Next listens for upgrades on the server that it is told of. Only hot reload upgrades a connection: to a listener Node
  // would hand every request that merely offers to, as some clients do with HTTP/2, and those would never be answered.
  const app = next({
    dev,
    dir: process.cwd(),
    hostname: host,
    port,
    httpServer: dev ? server : createHttpServer(),
  });
  // Next may be ready before what it starts has been loaded.
  const started = new Promise((resolve) => {
    globalThis[STARTED] = resolve;
  });
  await app.prepare();
  const ours = await started;
  ours.open(server, app.getRequestHandler());
  await new Promise((resolve) => server.listen(port, host, resolve));
  await ours.canAnswer;
  say(`Keeperscope ${JSON.parse(readFileSync('package.json', 'utf8')).version} is at ${origin}`);
}
