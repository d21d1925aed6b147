import 'server-only';
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';

/** Says whether the caller sits on this machine. Always written here, so a caller can't forge it. */
export const PEER_HEADER = 'x-keeperscope-peer';
/** What the connection's peer is counted by. Always written here too: Next's own handlers see no connection. */
export const ADDRESS_HEADER = 'x-keeperscope-address';
/** The query as it came: Next writes it anew, and a service is to get every parameter as its caller wrote it. */
export const QUERY_HEADER = 'x-keeperscope-query';

/** Who asks, as far as it can be told: headers by their names in lower case, and what the peer of the connection is counted by. */
export type Caller = { header(name: string): string | null | undefined; address: string };

/** IPv4, alone or mapped into IPv6, in the brackets and with the port that some proxies add. */
const IPV4 = /^\[?(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})\]?(?::\d{1,5})?$/i;
/** IPv6 addresses of one customer: providers give out networks of 64 bits and more (RFC 6177), never less. */
const NETWORK_GROUPS = 4;
const GROUPS = 8;
/** The longest IPv6 address with a zone is shorter; a header may hold 160 kB, and thousands of clients are remembered. */
const MAX_ADDRESS_LENGTH = 64;

/** What a client is counted by: its IPv4 address, or its IPv6 network, as whoever has one has 2^64 addresses. */
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

/** Without leading zeros and in lower case; an IPv4 address at the end takes the place of two. */
function groupsOf(part: string): string[] {
  const groups = part === '' ? [] : part.split(':');
  return groups.flatMap((group) =>
    group.includes('.') ? ['0', '0'] : [Number.parseInt(group, 16).toString(16)],
  );
}

export function callerOf({ headers, socket }: IncomingMessage): Caller {
  return { header: (name) => headers[name]?.toString(), address: clientAddress(socket.remoteAddress) };
}

/** Who asks, from a request in the fetch style, whose address http-server.ts has written down. */
export function callerOfFetch({ headers }: { headers: Pick<Headers, 'get'> }): Caller {
  return { header: (name) => headers.get(name), address: headers.get(ADDRESS_HEADER) ?? 'unknown' };
}
