import { createServer } from 'node:net';
import { fail } from './project.mjs';

/** Where the dashboard listens, by the settings HOST and PORT (their form is checked by the settings themselves). */
export function listenAddress() {
  const host = (process.env.HOST || '127.0.0.1').replace(/^\[(.*)\]$/, '$1');
  const port = Number(process.env.PORT || 3000);
  if (!Number.isInteger(port) || port < 1 || port > 65535)
    fail('PORT must be a whole number from 1 to 65535.');
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  const shown = reachable.includes(':') ? `[${reachable}]` : reachable;
  return { host, port, origin: `http://${shown}:${port}` };
}

/** Ends with one line when the port can't be had. */
export async function ensurePortFree({ host, port }) {
  const reason = await new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error) => resolve(error.code ?? error.message));
    probe.listen(port, host, () => probe.close(() => resolve(undefined)));
  });
  if (reason === 'EADDRINUSE')
    fail(`Port ${port} on ${host} is taken. Stop what listens there, or set PORT to another.`);
  if (reason) fail(`Can't listen on ${host} port ${port} (${reason}). Check HOST and PORT.`);
}
