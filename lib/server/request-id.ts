import 'server-only';
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { processWide } from './process-wide';

/** The name that callers, proxies and logs know a request by; sent back with every answer. */
export const REQUEST_ID_HEADER = 'x-request-id';

type RequestScope = { id: string; sinceMs: number };

/** No more than what UUIDs, trace ids and the usual proxies need: it goes into a header and a log as it is. */
const WELL_FORMED = /^[A-Za-z0-9._-]{1,64}$/;

/** What still runs so long after a request began, such as a loop that it happened to start, is done for nobody in particular. */
const BELONGS_MS = 60_000;

const kept = processWide<AsyncLocalStorage<RequestScope>>('request-scopes');

/**
 * Gives a request its id: its own where that is well-formed, else a fresh one. From here on the request says the same to
 * whoever looks at it, and its answer carries it, whoever writes that.
 */
export function identify(request: IncomingMessage, response: ServerResponse): string {
  const given = request.headers[REQUEST_ID_HEADER];
  const id = typeof given === 'string' && WELL_FORMED.test(given) ? given : randomUUID();
  request.headers[REQUEST_ID_HEADER] = id;
  response.setHeader(REQUEST_ID_HEADER, id);
  return id;
}

/** What runs in `work`, and what follows from it, is done for this request. */
export function withinRequest<T>(id: string, work: () => T): T {
  const scopes = kept.get() ?? new AsyncLocalStorage<RequestScope>();
  kept.set(scopes);
  return scopes.run({ id, sinceMs: performance.now() }, work);
}

/** The id of the request that this is done for; undefined for what is done for nobody in particular. */
export function currentRequestId(): string | undefined {
  const scope = kept.get()?.getStore();
  return scope && performance.now() - scope.sinceMs < BELONGS_MS ? scope.id : undefined;
}
