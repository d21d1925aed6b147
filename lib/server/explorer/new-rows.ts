import 'server-only';
import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import { formatIsoMillis, isoTimeInUtc, parseIsoTime, unixMillis } from '@/lib/domain/units';
import type { RequestsView } from '@/lib/requests/view';
import { LATENCY_MS } from './listing-pin';
import { isUnserved } from './log-source';
import { type LogSources, type Part, partsOf } from './parts';
import { momentOf } from './time-order';

/**
 * How many matches of a view were created after the moment `since` (ISO), decimal digits. Asked in the background: a
 * count is nothing that anybody waits for.
 */
export async function newRowsTotal(
  view: RequestsView,
  since: string,
  nowMs: number,
  sources: LogSources,
): Promise<Outcome<string>> {
  const moment = parseIsoTime(since) === undefined ? undefined : isoTimeInUtc(since);
  if (moment === undefined) return failed({ kind: 'bad-request', detail: SINCE_WRONG });
  const parts = partsOf({ ...view, asof: undefined }, nowMs, sources);
  if (!parts.ok) return parts;
  const until = lastNew(moment, nowMs);
  const counts = await Promise.all(parts.value.map((part) => newOf(withEnd(part, until), moment)));
  let sum = 0n;
  for (const count of counts) {
    if (!count.ok) return count;
    sum += count.value;
  }
  return ok(sum.toString());
}

const SINCE_WRONG = 'since must be an ISO 8601 time, such as 2026-11-20T08:00:00Z.';

/** Counts within one of these ask the same question, which is then asked once for all viewers. */
const STEP_MS = 10_000;

/**
 * Up to when rows are new: about now. A row that is dated further ahead is not new, and stays. Where the service's clock is
 * ahead, as `since` shows then, nobody knows.
 */
function lastNew(since: string, nowMs: number): string | undefined {
  const latestMs = nowMs + LATENCY_MS;
  if ((parseIsoTime(since) ?? 0) > latestMs) return undefined;
  return formatIsoMillis(unixMillis(Math.ceil(latestMs / STEP_MS) * STEP_MS));
}

function withEnd(part: Part, until: string | undefined): Part {
  const { max } = part.filter;
  const isEarlier = max !== undefined && until !== undefined && momentOf(max) <= momentOf(until);
  if (until === undefined || isEarlier) return part;
  return { ...part, filter: { ...part.filter, max: until } };
}

/**
 * Bounds of the service are inclusive, and how finely it takes them is not known: so the rows of the moment itself are
 * counted too, and subtracted.
 */
async function newOf({ source, filter }: Part, since: string): Promise<Outcome<bigint>> {
  const isWithin = filter.min === undefined || momentOf(filter.min) <= momentOf(since);
  const min = isWithin ? since : filter.min;
  if (filter.max !== undefined && min !== undefined && momentOf(filter.max) <= momentOf(min)) return ok(0n);
  const from = await source.count({ ...filter, min }, 'background');
  if (!from.ok) return isUnserved(from.failure, filter) ? ok(0n) : from;
  if (!isWithin || from.value === '0') return ok(BigInt(from.value));
  const at = await source.count({ ...filter, min, max: since }, 'background');
  if (!at.ok) return at;
  const after = BigInt(from.value) - BigInt(at.value);
  return ok(after > 0n ? after : 0n);
}
