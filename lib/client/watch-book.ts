import { requestOfKey } from '@/lib/contract/codec/triage';

/** What is watched: a request by the key of its row, or an incident by its id. */
export type Watched = {
  readonly kind: 'request' | 'incident';
  readonly id: string;
  readonly keeper: string;
  readonly networkId: string;
  readonly sinceMs: number;
  /** Where it stood when it was looked at last: `WatchedState`. */
  readonly state: string;
  /** Unix ms: when it was looked at last; undefined when nobody could yet. */
  readonly checkedAtMs?: number;
  /** Of an incident: how many are pending, and how many when that was last worth telling. */
  readonly size?: number;
  readonly notedSize?: number;
  /** The last transition that this browser has seen: from which state, and when (unix ms). */
  readonly was?: { readonly state: string; readonly atMs: number };
};

/** A transition that this browser sees. */
export type WatchChange = Pick<Watched, 'kind' | 'id' | 'networkId' | 'keeper'> & {
  readonly from: string;
  readonly to: string;
};

/** All that a browser remembers of it. */
export type WatchBook = {
  readonly watched: readonly Watched[];
  /** Whether somebody asked this browser to show notifications. */
  readonly notify: 'yes' | 'no';
};

/** How something stands that was looked at; `size` of an incident. */
export type Sighting = { readonly id: string; readonly state: string; readonly size?: number };

/** The states of an incident; a request has the words of its state, or this when the log has it no more. */
export const OPEN = 'open';
export const OVER = 'over';
export const GONE = 'not in the log';

export const MOST_WATCHED = 50;
const LONGEST_ID = 300;
const LONGEST_WORD = 60;

export const EMPTY_BOOK: WatchBook = { watched: [], notify: 'no' };

type Fields = Record<string, unknown>;

/** The book that a text of the storage holds. Other tabs, extensions and older versions write there too: what is none is left out. */
export function readWatchBook(text: string | null): WatchBook {
  const stored = parsed(text);
  if (typeof stored !== 'object' || stored === null) return EMPTY_BOOK;
  const { watched, notify } = stored as Fields;
  const known = new Map<string, Watched>();
  for (const entry of listOf(watched)) {
    const one = watchedOf(entry);
    if (one !== undefined && !known.has(one.id)) known.set(one.id, one);
  }
  return {
    watched: [...known.values()].slice(0, MOST_WATCHED),
    notify: notify === 'yes' ? 'yes' : 'no',
  };
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
}

function listOf(value: unknown): Fields[] {
  if (!Array.isArray(value)) return [];
  return value.filter((one): one is Fields => typeof one === 'object' && one !== null);
}

function subjectOf({ kind, id, keeper, networkId }: Fields) {
  if (!isShortText(id, LONGEST_ID) || !isShortText(keeper, LONGEST_WORD)) return undefined;
  if (typeof networkId !== 'string' || !/^\d{1,20}$/.test(networkId)) return undefined;
  if (kind === 'request') {
    const parts = requestOfKey(id);
    if (parts?.keeper !== keeper || parts.networkId !== networkId) return undefined;
  } else if (kind !== 'incident') return undefined;
  return { kind, id, keeper, networkId } as const;
}

function watchedOf(entry: Fields): Watched | undefined {
  const subject = subjectOf(entry);
  const { sinceMs, state, checkedAtMs, size, notedSize } = entry;
  const was = changeOf(entry.was);
  if (subject === undefined || !isMoment(sinceMs) || !isShortText(state, LONGEST_WORD)) return undefined;
  return {
    ...subject,
    sinceMs,
    state,
    ...(isMoment(checkedAtMs) ? { checkedAtMs } : {}),
    ...(isCount(size) ? { size } : {}),
    ...(isCount(notedSize) ? { notedSize } : {}),
    ...(was === undefined ? {} : { was }),
  };
}

function changeOf(was: unknown): Watched['was'] {
  const { state, atMs } = typeof was === 'object' && was !== null ? (was as Fields) : {};
  return isShortText(state, LONGEST_WORD) && isMoment(atMs) ? { state, atMs } : undefined;
}

function isShortText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= most;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** The last moment that a calendar of browsers has. */
const LAST_MS = 8.64e15;

function isMoment(value: unknown): value is number {
  return isCount(value) && value <= LAST_MS;
}

export function isWatched(book: WatchBook, id: string): boolean {
  return book.watched.some((one) => one.id === id);
}

/** The book with this one in front; unchanged when it is watched already or there are too many. */
export function withWatched(book: WatchBook, one: Watched): WatchBook {
  if (isWatched(book, one.id) || book.watched.length >= MOST_WATCHED) return book;
  const state = one.state.slice(0, LONGEST_WORD);
  return { ...book, watched: [{ ...one, state }, ...book.watched] };
}

export function withoutWatched(book: WatchBook, id: string): WatchBook {
  return { ...book, watched: book.watched.filter((one) => one.id !== id) };
}

/** How the state of an incident is named in a transition. */
function incidentWords(state: string, size: number | undefined): string {
  return state === OPEN && size !== undefined ? `${size} pending` : state;
}

/** An incident grows and shrinks all the time: only a change by half is worth telling. */
function isWorthTelling(before: Watched, { state, size }: Sighting): boolean {
  if (state !== before.state) return true;
  const noted = before.notedSize;
  if (size === undefined || noted === undefined || before.kind === 'request') return false;
  return Math.abs(size - noted) >= 3 && (size >= noted * 1.5 || size * 1.5 <= noted);
}

/**
 * The book after some of the watched were looked at, and the transitions that this shows. One that nobody had looked at
 * before has none.
 */
export function withSightings(
  book: WatchBook,
  sightings: readonly Sighting[],
  nowMs: number,
): { book: WatchBook; changes: WatchChange[] } {
  const seen = new Map(sightings.map((one) => [one.id, one]));
  const changes: WatchChange[] = [];
  const watched = book.watched.map((before): Watched => {
    const sighting = seen.get(before.id);
    if (sighting === undefined) return before;
    const state = sighting.state.slice(0, LONGEST_WORD);
    const now = { ...sighting, state };
    const isNews = isWorthTelling(before, now);
    const from = incidentWords(before.state, before.notedSize);
    if (isNews) {
      const { kind, id, keeper, networkId } = before;
      changes.push({ kind, id, keeper, networkId, from, to: incidentWords(state, now.size) });
    }
    const was = isNews ? { state: from, atMs: nowMs } : before.was;
    const notedSize = isNews || before.notedSize === undefined ? sighting.size : before.notedSize;
    return { ...before, state, size: sighting.size, notedSize, was, checkedAtMs: nowMs };
  });
  return { book: { ...book, watched }, changes };
}
