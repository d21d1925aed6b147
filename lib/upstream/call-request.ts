import { ACCEPTED_ENCODINGS } from './body-reader';
import type { ExchangeRequest } from './exchange';
import type { HttpCall, StreamCall } from './http-service';
import { requestTarget, type ServiceAddress } from './service-address';

/** A call as it goes on the wire. */
export function callRequest(
  address: ServiceAddress,
  call: Pick<HttpCall, 'method' | 'path' | 'query' | 'body'>,
  key: string | undefined,
): ExchangeRequest {
  return {
    method: call.method,
    target: requestTarget(address, call.path, call.query),
    headers: {
      accept: 'application/json',
      'accept-encoding': ACCEPTED_ENCODINGS,
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...caller(key),
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
    headers: { accept: 'text/event-stream', 'accept-encoding': 'identity', ...caller(key) },
  };
}

/** Who calls, and with which key. Some firewalls refuse callers without a name. */
function caller(key: string | undefined): Record<string, string> {
  return { 'user-agent': 'keeperscope', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) };
}
