import 'server-only';
import type { IncomingMessage } from 'node:http';

/** Where requests go whose path must not match anything: no route has an encoded character in it. */
const NOWHERE = '/api/%20';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Says whether the caller sits on this machine. Always written here, so a caller can't forge it. */
export const PEER_HEADER = 'x-keeperscope-peer';

/**
 * Looks at a request before Next does, because Next would make a path match that was sent in disguise: it redirects
 * doubled slashes and one at the end, and decodes encoded ones. The paths of our own routes need none of that.
 * Changes the request in place: a disguised path under /api leads nowhere, metrics learn who asks, and a method that
 * Next can't handle (TRACE and the like) becomes one that every route refuses.
 */
export function gateRequest(request: IncomingMessage): void {
  const url = request.url ?? '';
  if (!METHODS.has(request.method ?? '')) request.method = 'OPTIONS';
  if (!/^[/\\]+(a|%)/i.test(url)) return;
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  if (/^\/api(\/|$)/.test(path)) {
    if (isDisguised(path) || path === '/api' || path.endsWith('/')) request.url = NOWHERE;
    else if (path === '/api/metrics') request.headers[PEER_HEADER] = peerOf(request);
  } else if (isDisguised(path) && /^\/*api(\/|$)/i.test(plainPath(path))) {
    request.url = NOWHERE;
  }
}

function isDisguised(path: string): boolean {
  return /[%\\]|\/\/|\/\.{1,2}(\/|$)/.test(path);
}

/** What the path would be after decoding and with forward slashes: enough to see where it was meant to lead. */
function plainPath(path: string): string {
  try {
    return decodeURIComponent(path).replaceAll('\\', '/');
  } catch {
    return path;
  }
}

/** A reverse proxy on this machine is a local peer too, but says that it speaks for another. */
function peerOf(request: IncomingMessage): 'local' | 'remote' {
  const address = request.socket.remoteAddress ?? '';
  const local = /^(::ffff:)?127\.|^::1$/.test(address);
  const forwarded = request.headers['x-forwarded-for'] ?? request.headers.forwarded;
  return local && forwarded === undefined ? 'local' : 'remote';
}
