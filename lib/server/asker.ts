import 'server-only';
import type { IncomingMessage } from 'node:http';
import { clientAddress } from './client-address';
import { ADDRESS_HEADER } from './request-gate';
import type { Asker } from './visitor';

/** Who asks, from a request of Node's. */
export function askerOf({ headers, socket }: IncomingMessage): Asker {
  return { header: (name) => headers[name]?.toString(), address: clientAddress(socket.remoteAddress) };
}

/** Who asks, from a request in the fetch style, whose address the gate has written down (request-gate.ts). */
export function askerOfFetch({ headers }: { headers: Headers }): Asker {
  return { header: (name) => headers.get(name), address: headers.get(ADDRESS_HEADER) ?? 'unknown' };
}
