import { createServer } from 'node:http';
import { createRequire } from 'node:module';

/** Where lib/server/start-up.ts leaves what every request meets first. Next bundles that, so they can share no module. */
const KEY = Symbol.for('keeperscope.http-server');

/**
 * Runs Next inside this process, behind a server of ours: no child that a signal could miss. It listens when the start of
 * the dashboard is far enough to answer.
 * @param {{ host: string, port: number }} address
 */
export async function serve({ host, port }, { dev = false } = {}) {
  process.env.NODE_ENV = dev ? 'development' : 'production';
  // Next greets on standard output, which belongs to the JSON log.
  if (!dev) console.log = () => {};
  const next = createRequire(import.meta.url)('next');
  const server = createServer();
  // Next listens for upgrades on the server that it is told of. Only hot reload upgrades a connection: to a listener Node
  // would hand every request that merely offers to, as some clients do with HTTP/2, and those would never be answered.
  const app = next({
    dev,
    dir: process.cwd(),
    hostname: host,
    port,
    httpServer: dev ? server : createServer(),
  });
  await app.prepare();
  globalThis[KEY].open(server, app.getRequestHandler());
  server.listen(port, host);
}
