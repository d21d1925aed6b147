import 'server-only';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import { problemOf } from '@/lib/domain/problem';
import { parseRequestsUrl, type RequestsView } from '@/lib/requests/view';
import { processWide } from '@/lib/server/process-wide';
import { jsonText, problemText, responseOf } from '@/lib/server/reply';
import { listingOf } from './listing';
import { writeListing } from './listing-text';
import { clocksOffFor } from './log-clocks';
import { logSources } from './log-source';
import { newRowsTotal } from './new-rows';
import { createPagingMemory, type PagingMemory } from './paging-memory';
import { partsOf } from './parts';

const kept = processWide<PagingMemory>('paging-memory');

function pagingMemory(): PagingMemory {
  const memory = kept.get() ?? createPagingMemory();
  kept.set(memory);
  return memory;
}

/** A listing as text for a view's parameters, and `cursor`. */
export async function listingText(params: URLSearchParams): Promise<Outcome<string>> {
  const { view, failure, own } = readParams(params, 'cursor');
  if (failure) return failed(failure);
  const began = performance.now();
  const elapsedMs = () => Math.ceil(performance.now() - began);
  const given = { sources: logSources(), memory: pagingMemory(), nowMs: Date.now(), elapsedMs };
  const listing = await listingOf(view, given, own);
  return listing.ok ? ok(writeListing({ ...listing.value, clocks: clocksOffFor(view) })) : listing;
}

/** `GET /api/view/requests?<view>&cursor=…`: one page of rows. */
export function replyWithListing(request: Request): Promise<Response> {
  return replyWith(request, listingText);
}

/** `GET /api/view/requests/new?<view>&since=ISO`: how many matches are newer. */
export function replyWithNewRows(request: Request): Promise<Response> {
  return replyWith(request, async (params) => {
    const { view, failure, own = '' } = readParams(params, 'since');
    if (failure) return failed(failure);
    const total = await newRowsTotal(view, own, Date.now(), logSources());
    return total.ok ? ok(JSON.stringify({ total: total.value })) : total;
  });
}

type Answer = (params: URLSearchParams) => Promise<Outcome<string>>;

/** A HEAD is checked like its GET and then answered without a call: a flood of them costs the services nothing. */
async function replyWith(request: Request, answer: Answer): Promise<Response> {
  const params = new URL(request.url).searchParams;
  const outcome = request.method === 'HEAD' ? checked(params) : await answer(params);
  return responseOf(outcome.ok ? jsonText(outcome.value) : problemText(problemOf(outcome.failure)));
}

function checked(params: URLSearchParams): Outcome<string | null> {
  const { view, failure } = readParams(params, 'cursor', 'since');
  if (failure) return failed(failure);
  const parts = partsOf(view, Date.now(), logSources());
  return parts.ok ? ok(null) : parts;
}

type Params = { view: RequestsView; failure?: Failure; own: string | undefined };

/** The view, and the parameter that is none of its own. What can't be read is refused here, where nobody would see it. */
function readParams(params: URLSearchParams, ...names: string[]): Params {
  const rest = new URLSearchParams(params);
  for (const name of names) rest.delete(name);
  const { view, problems } = parseRequestsUrl(rest);
  const wrong = problems.find(({ used }) => used === undefined);
  const failure: Failure | undefined = wrong && {
    kind: 'bad-request',
    detail: `${wrong.param}: ${wrong.message}`,
  };
  return { view, failure, own: params.get(names[0] ?? '') ?? undefined };
}
