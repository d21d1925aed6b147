import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import { readLogPage, type StateWord, WIRE_STATE } from '@/lib/domain/request-record';
import { defaultRequestsView, logsQueryOf, type RequestsView } from '@/lib/requests/view';
import { fetchGatewayText } from './gateway';

/** The states that are counted, the ones that want attention first. */
export const COUNTED_STATES = Object.keys(WIRE_STATE) as StateWord[];

/** Exact counts in decimal digits, one failure per state that could not be counted. */
export type StateCounts = Record<StateWord, Outcome<string>>;

/** The last counts that were complete, and when they were asked for (unix milliseconds). */
export type LastGoodCounts = { atMs: number; counts: Record<StateWord, string> };

export type KeeperCounts = { keeper: string; counts: StateCounts; lastGood: LastGoodCounts | undefined };

/** The counts of every keeper, as asked for at `atMs` (unix milliseconds). */
export type CountsAnswer = { atMs: number; keepers: KeeperCounts[] };

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
    const counts = Object.fromEntries(await Promise.all(totals)) as StateCounts;
    return { keeper, counts, lastGood: goodCounts(counts, nowMs) };
  });
  return { atMs: nowMs, keepers: await Promise.all(counted) };
}

function goodCounts(counts: StateCounts, atMs: number): LastGoodCounts | undefined {
  const totals = COUNTED_STATES.map((state) => [state, counts[state]] as const);
  if (!totals.every(([, total]) => total.ok)) return undefined;
  const values = totals.map(([state, total]) => [state, total.ok ? total.value : '']);
  return { atMs, counts: Object.fromEntries(values) as LastGoodCounts['counts'] };
}

/** The new answer, in which a keeper that could not be counted keeps what was known of it before. */
export function keptCounts(answer: CountsAnswer, before: CountsAnswer | undefined): CountsAnswer {
  const keepers = answer.keepers.map((one) => ({
    ...one,
    lastGood: one.lastGood ?? before?.keepers.find(({ keeper }) => keeper === one.keeper)?.lastGood,
  }));
  return { ...answer, keepers };
}

/** The same from the browser, through the gateway; what can't be counted now is taken from `before`. */
export async function fetchCounts(
  keepers: readonly string[],
  before: CountsAnswer | undefined,
  signal: AbortSignal,
): Promise<CountsAnswer> {
  const answer = await countStates(keepers, Date.now(), (query) =>
    fetchGatewayText(`/api/logs/v1/logs?${query}`, signal),
  );
  return keptCounts(answer, before);
}

/** A count as it is known: now, else from the last good answer; undefined when it never was. */
export function shownCount(keeper: KeeperCounts, state: StateWord): string | undefined {
  const count = keeper.counts[state];
  return count.ok ? count.value : keeper.lastGood?.counts[state];
}

/** Shares of the whole in percent, for pixels only; undefined when a count is missing or all are zero. */
export function sharesOf(keeper: KeeperCounts): Record<StateWord, number> | undefined {
  const values = COUNTED_STATES.map((state) => Number(shownCount(keeper, state) ?? Number.NaN));
  const sum = values.reduce((all, value) => all + value, 0);
  if (!(sum > 0)) return undefined;
  const shares = COUNTED_STATES.map((state, index) => [state, ((values[index] ?? 0) / sum) * 100]);
  return Object.fromEntries(shares) as Record<StateWord, number>;
}
