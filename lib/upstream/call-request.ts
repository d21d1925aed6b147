import { ACCEPTED_ENCODINGS } from './body-reader';
import type { CallPriority } from './call-budget';
import type { ExchangeRequest } from './exchange';

/** A call as it goes on the wire. */
export function callRequest(
  address: ServiceAddress,
  call: { method: 'GET' | 'POST'; path: string; query?: string; body?: string; priority: CallPriority },
  key: string | undefined,
): ExchangeRequest {
  return {
    method: call.method,
    target: requestTarget(address, call.path, call.query),
    headers: {
      accept: 'application/json',
      'accept-encoding': ACCEPTED_ENCODINGS,
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...caller(key, call.priority),
    },
    body: call.body,
  };
}

/** The same for a stream. */
export function streamRequest(
  address: ServiceAddress,
  call: { path: string; query?: string },
  key: string | undefined,
): Pick<ExchangeRequest, 'target' | 'headers'> {
  return {
    target: requestTarget(address, call.path, call.query),
    // Compression would hold events back until a block is full.
    headers: { accept: 'text/event-stream', 'accept-encoding': 'identity', ...caller(key, 'user') },
  };
}

/**
 * Who calls, and with which key. Some firewalls refuse callers without a name; a service's own log tells by it which calls
 * somebody waits for.
 */
function caller(key: string | undefined, priority: CallPriority): Record<string, string> {
  const name = priority === 'user' ? 'keeperscope' : 'keeperscope (background)';
  return { 'user-agent': name, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) };
}

/** Where a service lives. */
export type ServiceAddress = {
  /** Scheme, host and port. */
  origin: string;
  /** The base URL's path without a trailing slash: empty, or such as `/hermes`. */
  prefix: string;
};

/** Splits a base URL, with or without a path prefix and a trailing slash. @throws TypeError when it is no URL */
export function serviceAddress(baseUrl: string): ServiceAddress {
  const { origin, pathname } = new URL(baseUrl);
  return { origin, prefix: pathname.replace(/\/+$/, '') };
}

/**
 * The request target for a path and a query below the address. `new URL(path, base)` would drop the prefix.
 * Characters that may not stand in a request line are percent-encoded; what is encoded already stays as it is.
 */
export function requestTarget({ prefix }: ServiceAddress, path: string, query: string | undefined): string {
  const target = prefix + path + (query ? `?${query}` : '');
  return target.replace(/[^\x21-\x7e]|#/gu, (character) =>
    character === '#' ? '%23' : encodeURIComponent(character.replace(/\p{Cs}/u, '\uFFFD')),
  );
}
