import 'server-only';
import type { IncomingMessage } from 'node:http';
import { posix } from 'node:path';
import { clientAddress } from './client-address';

/** Where requests go whose path must not match anything: no route has an encoded character in it. */
const NOWHERE = '/api/%20';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Says whether the caller sits on this machine. Always written here, so a caller can't forge it. */
export const PEER_HEADER = 'x-keeperscope-peer';

/** What the connection's peer is counted by. Always written here too: Next's own handlers see no connection. */
export const ADDRESS_HEADER = 'x-keeperscope-address';

/** The query as it came: Next writes it anew, and a service is to get every parameter as its caller wrote it. */
export const QUERY_HEADER = 'x-keeperscope-query';

const API = /^\/api(\/|$)/i;

/** By `/_next/data/<build>/x.json` Next answers route `/x` itself, past its proxy. Our own pages never ask for it. */
const DATA = /^\/_next\/data(\/|$)/i;

/**
 * Looks at a request before Next does, because Next would make a path match that was sent in disguise: it redirects
 * doubled slashes and one at the end, decodes encoded ones, follows dots, has a second address for each route, and
 * redirects to whatever host a whole URL in the request line names. The paths of our own routes need none of that.
 * Changes the request in place: a path that leads under /api in disguise leads nowhere, who asks is written down in
 * place of whatever the caller claims, and a method that Next can't handle (TRACE and the like) becomes one that every
 * route refuses.
 */
export function gateRequest(request: IncomingMessage): void {
  const url = request.url ?? '';
  if (!METHODS.has(request.method ?? '')) request.method = 'OPTIONS';
  request.headers[ADDRESS_HEADER] = clientAddress(request.socket.remoteAddress);
  request.headers[PEER_HEADER] = peerOf(request);
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  request.headers[QUERY_HEADER] = end < 0 ? '' : url.slice(end + 1);
  if (isDisguised(path)) {
    const plain = undisguised(path);
    if (!path.startsWith('/') || API.test(plain) || DATA.test(plain)) request.url = NOWHERE;
  } else if (DATA.test(path)) {
    request.url = NOWHERE;
  } else if (API.test(path)) {
    if (!path.startsWith('/api/') || path.endsWith('/')) request.url = NOWHERE;
    // Next would send a caller with this header elsewhere before our route is asked.
    delete request.headers.rsc;
  }
  // Whoever stands before us may have taken the other one.
  if (hostsOf(request) > 1) request.headers.host = '';
  // With this one Next answers in place of the route, whoever asks.
  delete request.headers['x-middleware-prefetch'];
}

/** A whole URL (or `*`) in place of a path is one too: the host in it is not the one that is guarded. */
function isDisguised(path: string): boolean {
  return !path.startsWith('/') || /[%\\]|\/\/|\/\.{1,2}(\/|$)/.test(path);
}

/** Where the path leads once it is decoded. Byte by byte: what can't be decoded may still hold dots that are followed. */
function undisguised(path: string): string {
  const decoded = path.replace(/%[0-9a-f]{2}/gi, (byte) => String.fromCharCode(Number(`0x${byte.slice(1)}`)));
  return posix.normalize(decoded.replaceAll('\\', '/')).replace(/^\/+/, '/');
}

/** Node takes the first of several. */
function hostsOf(request: IncomingMessage): number {
  return request.rawHeaders.filter((name, n) => n % 2 === 0 && name.toLowerCase() === 'host').length;
}

/** What reverse proxies add, each some of them. */
const SPEAKS_FOR_ANOTHER = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
];

/** A reverse proxy on this machine is a local peer too, but says that it speaks for another. */
function peerOf(request: IncomingMessage): 'local' | 'remote' {
  const address = request.socket.remoteAddress ?? '';
  const local = /^(::ffff:)?127\.|^::1$/.test(address);
  const isForAnother = SPEAKS_FOR_ANOTHER.some((name) => request.headers[name] !== undefined);
  return local && !isForAnother ? 'local' : 'remote';
}
