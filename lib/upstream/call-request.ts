import { ACCEPTED_ENCODINGS } from './body-reader';
import type { CallPriority } from './call-budget';
import type { ExchangeRequest } from './exchange';
import type { HttpCall, StreamCall } from './http-service';
import { requestTarget, type ServiceAddress } from './service-address';

/** A call as it goes on the wire. */
export function callRequest(
  address: ServiceAddress,
  call: Pick<HttpCall, 'method' | 'path' | 'query' | 'body' | 'priority'>,
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
  call: Pick<StreamCall, 'path' | 'query'>,
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
