import 'server-only';
import { isIPv6 } from 'node:net';

/** IPv4, alone or mapped into IPv6, in the brackets and with the port that some proxies add. */
const IPV4 = /^\[?(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})\]?(?::\d{1,5})?$/i;

/** IPv6 addresses of one customer: providers give out networks of 64 bits and more (RFC 6177), never less. */
const NETWORK_GROUPS = 4;
const GROUPS = 8;

/** The longest IPv6 address with a zone is shorter; a header may hold 16 kB, and thousands of clients are remembered. */
const LONGEST = 64;

/**
 * What a client is counted by, in one spelling: its IPv4 address, or the network of its IPv6 address, as whoever has one
 * of those has 2^64. What is no address stays as it is, but for its length.
 */
export function clientAddress(remote: string | undefined): string {
  const text = (remote ?? '').trim();
  const [, ipv4] = IPV4.exec(text) ?? [];
  if (ipv4 !== undefined) return ipv4;
  const bare = text.replace(/^\[([^\]]*)\](:\d{1,5})?$/, '$1').replace(/%.*$/, '');
  return isIPv6(bare) ? `${networkOf(bare)}::/64` : text.slice(0, LONGEST) || 'unknown';
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
