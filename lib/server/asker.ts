import 'server-only';
import type { IncomingMessage } from 'node:http';
import { ADDRESS_HEADER } from './request-gate';
import type { Asker } from './visitor';

/** Who asks, from a request of Node's. */
export function askerOf({ headers, socket }: IncomingMessage): Asker {
  return { header: (name) => headers[name]?.toString(), address: peerAddress(socket.remoteAddress) };
}

/** Who asks, from a request in the fetch style, whose address the gate has written down (request-gate.ts). */
export function askerOfFetch({ headers }: { headers: Headers }): Asker {
  return { header: (name) => headers.get(name), address: headers.get(ADDRESS_HEADER) ?? 'unknown' };
}

/** An address in one spelling. */
export function peerAddress(remote: string | undefined): string {
  return (remote ?? 'unknown').replace(/^::ffff:/, '');
}
