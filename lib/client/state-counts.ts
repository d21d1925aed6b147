import { defaultRequestsView, logsQueryOf, type RequestsView } from '@/lib/contract/codec/requests-url';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import { readLogPage, type StateWord, WIRE_STATE } from '@/lib/domain/request-record';
import { fetchGatewayText } from './gateway';

/** The states that are counted, the ones that want attention first. */
export const COUNTED_STATES = Object.keys(WIRE_STATE) as StateWord[];

/** Exact counts in decimal digits, one failure per state that could not be counted. */
export type StateCounts = Record<StateWord, Outcome<string>>;

/** The counts of every keeper, as asked for at `atMs` (unix milliseconds). */
export type CountsAnswer = { atMs: number; keepers: { keeper: string; counts: StateCounts }[] };

const COUNTED_RANGE = '1h';

/** The rows that a count stands for, as a view of the log table: the keeper is named only when it isn't the first. */
export function countedView(keeper: string | undefined, state: StateWord): RequestsView {
  return {
    ...defaultRequestsView(),
    states: [state],
    keepers: keeper === undefined ? [] : [keeper],
    time: { kind: 'last', range: COUNTED_RANGE },
  };
}

/** The query that counts them: one row, of which only the total is read, since a service may refuse `limit=0`. */
export function countQuery(keeper: string | undefined, state: StateWord, nowMs: number): URLSearchParams {
  return logsQueryOf({ ...countedView(keeper, state), size: 1 }, nowMs);
}

/** The total of an answer; `malformed` when it has none. */
export function totalOf(text: Outcome<string>): Outcome<string> {
  if (!text.ok) return text;
  const page = readLogPage(text.value);
  if (!page.ok) return page;
  const { total } = page.value;
  const noTotal: Failure = { kind: 'malformed', service: 'logs', detail: 'The answer has no total.' };
  return total === undefined ? failed(noTotal) : ok(total);
}

/**
 * Counts the last hour by state for every keeper, by `ask` (a query of the gateway's log route to its text).
 * Never rejects unless `ask` does.
 */
export async function countStates(
  keepers: readonly string[],
  nowMs: number,
  ask: (query: URLSearchParams) => Promise<Outcome<string>>,
): Promise<CountsAnswer> {
  const counted = keepers.map(async (keeper) => {
    const totals = COUNTED_STATES.map(async (state) => {
      return [state, totalOf(await ask(countQuery(keeper, state, nowMs)))] as const;
    });
    return { keeper, counts: Object.fromEntries(await Promise.all(totals)) as StateCounts };
  });
  return { atMs: nowMs, keepers: await Promise.all(counted) };
}

/** The same from the browser, through the gateway. */
export function fetchCounts(keepers: readonly string[], signal: AbortSignal): Promise<CountsAnswer> {
  return countStates(keepers, Date.now(), (query) => fetchGatewayText(`/api/logs/v1/logs?${query}`, signal));
}

/** Shares of the whole in percent, for pixels only; undefined when a count is missing or all are zero. */
export function sharesOf(counts: StateCounts): Record<StateWord, number> | undefined {
  const totals = COUNTED_STATES.map((state) => counts[state]);
  const values = totals.map((total) => (total.ok ? Number(total.value) : Number.NaN));
  const sum = values.reduce((all, value) => all + value, 0);
  if (!(sum > 0)) return undefined;
  const shares = COUNTED_STATES.map((state, index) => [state, ((values[index] ?? 0) / sum) * 100]);
  return Object.fromEntries(shares) as Record<StateWord, number>;
}
