import { createServer, isIP } from 'node:net';
import { fail } from './project.mjs';

const HOST_FORM = 'HOST should be an address or a name of this machine, such as 127.0.0.1';

/** Where the dashboard listens, by the settings HOST and PORT (their form is checked by the settings themselves). */
export function listenAddress() {
  const host = (process.env.HOST || '127.0.0.1').replace(/^\[(.*)\]$/, '$1');
  const portText = process.env.PORT || '3000';
  const port = Number(portText);
  // Checked here, because Next rewrites PORT before the settings are read.
  if (!/^[1-9]\d{0,4}$/.test(portText) || port > 65535) fail('PORT should be a whole number from 1 to 65535');
  if (isIP(host) === 0 && !/^[a-z]([a-z0-9.-]*[a-z0-9])?$/i.test(host)) fail(HOST_FORM);
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
  if (reason === 'EACCES') fail('PORT should be one that this user may listen on, such as 3000');
  if (reason) fail(`${HOST_FORM} (${reason})`);
}
