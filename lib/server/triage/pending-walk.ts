import 'server-only';
import type { ListedRow } from '@/lib/contract/codec/listing';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import { WIRE_STATE } from '@/lib/domain/request-record';
import {
  type LogFilter,
  type LogSource,
  MOST_ROWS,
  queryText,
  type SourcePage,
} from '@/lib/server/explorer/log-source';
import { millisAfter } from '@/lib/server/explorer/time-order';
import type { Asking } from './asking';
import { isoOf, type ListedRecord, recordsOf, totalOf } from './log-rows';

/** All pending rows of one keeper, each once, as far as they were seen. */
export type PendingRows = {
  rows: readonly ListedRecord[];
  /** How many more the service counts. */
  missing: number;
  /** How many came that can't be read. */
  unreadable: number;
};

/** More than this is not triage any more: the rest is only counted. */
const MOST_PENDING = 100_000;
/** So many of the usual rows have fewer characters; a service that writes larger ones must not fill the memory. */
const MOST_CHARACTERS = 80_000_000;
/** Calls beyond those that full answers need. */
const SPARE_CALLS = 20;
/** Rows that a page shares with the one before it where all have the same time, so that none slips through. */
const OVERLAP = 8;

const FILTER: LogFilter = { state: WIRE_STATE.pending };

/** The question with which a walk begins. */
export const PENDING_QUERY = queryText(FILTER, MOST_ROWS, 0);

/** One walk through the pending rows of a keeper. */
export type Walk = {
  found: PendingRows;
  /** Why it ended before the end. */
  failure?: Failure;
};

/**
 * Sees every row that is pending from the beginning of the walk to its end, once. The newest page is asked for first,
 * which says how many there are, then the others from the oldest on. The walk goes by time: rows that leave the list
 * meanwhile shift what stands behind them, so a place in it means nothing from one call to the next; a page that ends at
 * a moment is followed by one that begins with that moment.
 * @param onPage told what was seen so far
 */
export async function walkPending(
  source: LogSource,
  asking: Asking,
  onPage: (found: PendingRows) => void = () => {},
): Promise<Walk> {
  const seen = new SeenRows();
  const ask = (filter: LogFilter, offset: number) =>
    asking.ask(`Pending requests of ${source.keeper}`, (priority) =>
      source.page(filter, MOST_ROWS, offset, priority),
    );
  const first = await ask(FILTER, 0);
  if (!first.ok) return { found: seen.found(0), failure: first.failure };
  seen.add(first.value.rows);
  const rest = restAfter(first.value);
  if (rest === undefined) return { found: seen.found(0) };
  asking.plan(Math.ceil(Math.min(rest.expected, MOST_PENDING) / MOST_ROWS));
  onPage(seen.found(rest.expected));
  return walkBack(rest, ask, seen, onPage);
}

/**
 * What is left to see: rows of this filter, and how many they are at most. `by` place: what stands behind them in the
 * list has been seen, though the filter does not leave it out.
 */
type Rest = { filter: LogFilter; expected: number; by: 'time' | 'place' };

type AskPage = (filter: LogFilter, offset: number) => Promise<Outcome<SourcePage>>;

/** Everything that is as old as the oldest row of the newest page, or older. */
function restAfter(page: SourcePage): Rest | undefined {
  const left = totalOf(page) - page.rows.length;
  if (left <= 0) return undefined;
  const times = recordsOf(page.rows).map(({ createdAt }) => millisAfter(createdAt));
  if (times.length === 0) return { filter: FILTER, expected: totalOf(page), by: 'time' };
  const oldest = Math.min(...times);
  const same = page.rows.filter((row) => row.kind === 'record' && row.createdAt.ms <= oldest).length;
  return { filter: { ...FILTER, max: isoOf(oldest) }, expected: left + same, by: 'time' };
}

async function walkBack(
  start: Rest,
  ask: AskPage,
  seen: SeenRows,
  onPage: (found: PendingRows) => void,
): Promise<Walk> {
  let rest = start;
  const mostCalls = Math.ceil(Math.min(start.expected, MOST_PENDING) / (MOST_ROWS / 2)) + SPARE_CALLS;
  for (let calls = 0; calls < mostCalls && seen.hasRoom; calls += 1) {
    const offset = Math.max(0, rest.expected - MOST_ROWS);
    const page = await ask(rest.filter, offset);
    if (!page.ok) return { found: seen.found(rest.expected), failure: page.failure };
    const next = restBefore(rest, offset, page.value);
    if (!next.ok) return { found: seen.found(0), failure: next.failure };
    seen.add(page.value.rows);
    if (next.value === undefined) return { found: seen.found(0) };
    rest = next.value;
    onPage(seen.found(rest.expected));
  }
  const failure = seen.hasRoom ? TOO_RESTLESS : TOO_MANY;
  return { found: seen.found(rest.expected), failure };
}

const TOO_RESTLESS: Failure = {
  kind: 'malformed',
  service: 'logs',
  detail: 'The list of pending requests does not come to an end.',
};

const TOO_MANY: Failure = {
  kind: 'too-many',
  service: 'logs',
  detail: `More requests are pending than can be looked at here (${MOST_PENDING} per keeper, fewer where rows are large).`,
};

const NO_TOTAL: Failure = {
  kind: 'malformed',
  service: 'logs',
  detail: 'The request log service does not say how many rows there are.',
};

/** What is left after a page from the end of the list: the rows before it, and those of its newest moment again. */
function restBefore(rest: Rest, offset: number, page: SourcePage): Outcome<Rest | undefined> {
  if (page.total === undefined) return failed(NO_TOTAL);
  const total = totalOf(page);
  // The list is longer or much shorter than it was: the same question again, with its end in view.
  const end = offset + page.rows.length;
  if (rest.by === 'time' && end < total) return ok({ ...rest, expected: total });
  if (offset === 0) return ok(undefined);
  if (page.rows.length === 0) return ok(total === 0 ? undefined : { ...rest, expected: total });
  const times = recordsOf(page.rows).map(({ createdAt }) => createdAt.ms);
  const newest = Math.max(...times);
  const min = isoOf(newest);
  // Nothing but one moment on the whole page: only places lead on, and they only shrink.
  if (times.length === 0 || min === rest.filter.min) {
    return ok({ ...rest, expected: offset + OVERLAP, by: 'place' });
  }
  const same = times.filter((ms) => ms === newest).length;
  return ok({ filter: { ...rest.filter, min }, expected: offset + same, by: 'time' });
}

/** Rows by identity: one that was fetched twice counts once, as it was the last time. */
class SeenRows {
  readonly #rows = new Map<string, ListedRecord>();
  readonly #unreadable = new Map<string, number>();
  #characters = 0;

  /** Whether there is room for another page. */
  get hasRoom(): boolean {
    return this.#rows.size < MOST_PENDING && this.#characters < MOST_CHARACTERS;
  }

  add(rows: readonly ListedRow[]): void {
    const odd = new Map<string, number>();
    for (const row of rows) {
      if (row.kind === 'record') this.#keep(row);
      else odd.set(row.key, (odd.get(row.key) ?? 0) + 1);
    }
    // The same text twice on one page is two rows; on two pages it may be one.
    for (const [key, count] of odd) {
      this.#unreadable.set(key, Math.max(count, this.#unreadable.get(key) ?? 0));
    }
  }

  #keep(row: ListedRecord): void {
    this.#characters += row.rawJson.length - (this.#rows.get(row.key)?.rawJson.length ?? 0);
    this.#rows.set(row.key, row);
  }

  found(missing: number): PendingRows {
    const unreadable = [...this.#unreadable.values()].reduce((sum, count) => sum + count, 0);
    return { rows: [...this.#rows.values()], missing, unreadable };
  }
}
