import 'server-only';
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';

/** Whether the peer is on this machine. The server always sets it, so a caller cannot forge it. */
export const PEER_HEADER = 'x-keeperscope-peer';
/**
 * Address of the client for rate limits. Always set by the server, because Next's handlers do not see the connection.
 */
export const ADDRESS_HEADER = 'x-keeperscope-address';
/** Raw query: Next rewrites queries, but a service must receive every parameter as its caller wrote it. */
export const QUERY_HEADER = 'x-keeperscope-query';

/** Headers are by lower-case name; limits are counted by `address`. */
export type Caller = { header(name: string): string | null | undefined; address: string };

/** IPv4 alone or mapped to IPv6, with the brackets and the port that some proxies add. */
const IPV4 = /^\[?(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})\]?(?::\d{1,5})?$/i;
/** Groups that identify a customer: providers assign networks of at least 64 bits (RFC 6177). */
const NETWORK_GROUPS = 4;
const GROUPS = 8;
/** Fits any IPv6 address with a zone. A header may hold 160 kB, and thousands of clients are remembered. */
const MAX_ADDRESS_LENGTH = 64;

/** The IPv4 address or the IPv6 /64 network, because one client has 2^64 IPv6 addresses. */
export function clientAddress(remote: string | undefined): string {
  const text = (remote ?? '').trim();
  const [, ipv4] = IPV4.exec(text) ?? [];
  if (ipv4 !== undefined) return ipv4;
  const bare = text.replace(/^\[([^\]]*)\](:\d{1,5})?$/, '$1').replace(/%.*$/, '');
  return isIPv6(bare) ? `${networkOf(bare)}::/64` : text.slice(0, MAX_ADDRESS_LENGTH) || 'unknown';
}

function networkOf(ipv6: string): string {
  const [head = [], tail = []] = ipv6.split('::').map(groupsOf);
  const zeros = Array.from({ length: Math.max(0, GROUPS - head.length - tail.length) }, () => '0');
  return [...head, ...zeros, ...tail].slice(0, NETWORK_GROUPS).join(':');
}

/** Lower case without leading zeros. An IPv4 address at the end stands for two groups. */
function groupsOf(part: string): string[] {
  const groups = part === '' ? [] : part.split(':');
  return groups.flatMap((group) =>
    group.includes('.') ? ['0', '0'] : [Number.parseInt(group, 16).toString(16)],
  );
}

export function readCaller({ headers, socket }: IncomingMessage): Caller {
  return { header: (name) => headers[name]?.toString(), address: clientAddress(socket.remoteAddress) };
}

/** The address comes from the header that http-server.ts sets. */
export function callerOfFetch({ headers }: { headers: Pick<Headers, 'get'> }): Caller {
  return { header: (name) => headers.get(name), address: headers.get(ADDRESS_HEADER) ?? 'unknown' };
}
