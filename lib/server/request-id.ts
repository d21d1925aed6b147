import 'server-only';
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { processWide } from './process-wide';

/** The name that callers, proxies and logs know a request by; sent back with every answer. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** A request under way, as what is done for it knows it. */
export type RequestScope = {
  id: string;
  /** In ms of `performance.now`: since when it is over, or a stream that began; absent before. */
  overSinceMs?: number;
};

/** No more than what UUIDs, trace ids and the usual proxies need: it goes into a header and a log as it is. */
const WELL_FORMED = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * A call to a service may outlive the request that it was made for by its own time-out (15 s). What still runs later, such
 * as a loop that this request happened to start, is done for nobody in particular.
 */
const OUTLIVES_MS = 20_000;

const kept = processWide<AsyncLocalStorage<RequestScope>>('request-scopes');

/**
 * Gives a request its id: its own where that is well-formed, else a fresh one. From here on the request says the same to
 * whoever looks at it, and its answer carries it, whoever writes that.
 */
export function beginRequest(request: IncomingMessage, response: ServerResponse): RequestScope {
  const given = request.headers[REQUEST_ID_HEADER];
  const id = typeof given === 'string' && WELL_FORMED.test(given) ? given : randomUUID();
  request.headers[REQUEST_ID_HEADER] = id;
  response.setHeader(REQUEST_ID_HEADER, id);
  return { id };
}

/** What runs in `work`, and what follows from it, is done for this request. */
export function withinRequest<T>(scope: RequestScope, work: () => T): T {
  return scopes().run(scope, work);
}

/** The request is over, or its stream began: what goes on from now on is its own for a little while only. */
export function endRequest(scope: RequestScope): void {
  scope.overSinceMs ??= performance.now();
}

/** The id of the request that this is done for; undefined for what is done for nobody in particular. */
export function currentRequestId(): string | undefined {
  const scope = kept.get()?.getStore();
  if (!scope) return undefined;
  const { id, overSinceMs } = scope;
  return overSinceMs === undefined || performance.now() - overSinceMs < OUTLIVES_MS ? id : undefined;
}

function scopes(): AsyncLocalStorage<RequestScope> {
  const made = kept.get() ?? new AsyncLocalStorage<RequestScope>();
  kept.set(made);
  return made;
}
