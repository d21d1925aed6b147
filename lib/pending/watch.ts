'use client';
import { useSyncExternalStore } from 'react';
import {
  chooseNotifications,
  tellUnseen,
  type Watched,
  type WatchList,
  watchList,
  withWatched,
} from '@/lib/alerts/watch-list';
import { mayPassByItself, nextAttemptMs } from '@/lib/core/explain-failure';
import { fetchGatewayText } from '@/lib/core/gateway';
import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import { stateWord } from '@/lib/core/request-record';
import { clipped } from '@/lib/core/text';
import { isSameRequest, oneAddress, readOne } from '@/lib/requests/one';
import { askedOfKey, requestOfKey } from '@/lib/requests/request-address';
import { readTriage, triageAddress } from './answers';

export { isWatched, MOST_WATCHED, type Watched } from '@/lib/alerts/watch-list';

/** The states of an incident; a request has the words of its state, or `GONE` when the log has it no more. */
export const OPEN = 'open';
export const OVER = 'over';
export const GONE = 'not in the log';

const STATES: Record<string, string> = {
  pending: 'Pending',
  completed: 'Completed',
  'callback-failed': 'Callback reverted',
  failed: 'Failed',
  [OPEN]: 'Open',
  [OVER]: 'Over',
};

/** `pending` → `Pending`; what the service invented stays as it is. */
export function stateText(state: string): string {
  return Object.hasOwn(STATES, state) ? (STATES[state] ?? state) : clipped(state, 60);
}

/** `Request 1234` or `Incident`, without its network. */
export function subjectText({ kind, id }: Pick<Watched, 'kind' | 'id'>): string {
  const sequence = kind === 'request' ? requestOfKey(id)?.sequence : undefined;
  return sequence === undefined ? 'Incident' : `Request ${clipped(sequence, 40)}`;
}

/** How something stands that was looked at; `size` of an incident. */
export type Sighting = { readonly id: string; readonly state: string; readonly size?: number };

export type WatchChange = { readonly one: Watched; readonly from: string; readonly to: string };

/** An incident grows and shrinks all the time: only a change by half is worth telling. */
function isWorthTelling(before: Watched, { state, size }: Sighting): boolean {
  if (state !== before.state) return true;
  const { notedSize } = before;
  if (size === undefined || notedSize === undefined) return false;
  return Math.abs(size - notedSize) >= 3 && (size >= notedSize * 1.5 || size * 1.5 <= notedSize);
}

/** The list after some of the watched were looked at, and the transitions that this shows. */
export function withSightings(
  list: WatchList,
  sightings: readonly Sighting[],
  nowMs: number,
): { list: WatchList; changes: WatchChange[] } {
  const changes: WatchChange[] = [];
  const words = (state: string, size: number | undefined) =>
    state === OPEN && size !== undefined ? `${size} pending` : state;
  const watched = list.watched.map((before): Watched => {
    const now = sightings.find(({ id }) => id === before.id);
    if (now === undefined) return before;
    const { state, size } = now;
    if (!isWorthTelling(before, now)) return { ...before, size, notedSize: before.notedSize ?? size };
    const from = words(before.state, before.notedSize);
    const one = {
      ...before,
      state: clipped(state, 50),
      size,
      notedSize: size,
      was: { state: from, atMs: nowMs },
    };
    changes.push({ one, from, to: words(state, size) });
    return one;
  });
  return { list: { ...list, watched }, changes };
}

/** How often it is asked about, by its state: some go no further, others seldom do. */
function gapMs({ kind, state }: Watched): number {
  if (kind === 'incident') return 10_000;
  if (state === 'completed' || state === 'callback-failed') return Number.POSITIVE_INFINITY;
  return state === 'failed' || state === GONE ? 60_000 : 5_000;
}

export type WatchEdges = {
  /** Gets a route of ours as text. */
  readonly ask: (path: string, signal: AbortSignal) => Promise<Outcome<string>>;
  readonly now: () => number;
  readonly isHidden: () => boolean;
  /** Hears of every change, at least one. */
  readonly onChanges: (changes: readonly WatchChange[]) => void;
};

/** How the asking goes. `waits` names what failed, and when (unix ms) it is tried again. */
export type WatchStanding =
  | { readonly kind: 'idle' }
  | { readonly kind: 'watching'; readonly checkedAtMs: number | undefined }
  | { readonly kind: 'waits'; readonly failure: Failure; readonly againAtMs: number | undefined };

/** Between rounds: while somebody may look, and while nobody can. */
const ROUND_MS = 5_000;
const HIDDEN_ROUND_MS = 20_000;
/** One that can't be asked about is tried this often. */
const REFUSED_GAP_MS = 60_000;
/** Questions of one round: those that were asked about longest ago. */
const MOST_QUESTIONS = 10;

/** Asks about what is watched, round by round, as long as something may change. A round ends with its first failure. */
export class WatchPoller {
  readonly #askedAtMs = new Map<string, number>();
  readonly #refused = new Map<string, Failure>();
  readonly #listeners = new Set<() => void>();
  #standing: WatchStanding = { kind: 'idle' };
  #failures = 0;
  #isAsking = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly list: Pick<typeof watchList, 'read' | 'change' | 'subscribe'>,
    private readonly edges: WatchEdges,
  ) {
    list.subscribe(() => this.#follow());
    this.#follow();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly standing = (): WatchStanding => this.#standing;

  /** Why one of them can't be asked about, which asking again soon won't change; the others go on. */
  readonly refusal = (id: string): Failure | undefined => this.#refused.get(id);

  /** Somebody looks again, or wants to know now: no need to wait for the next round. */
  readonly wake = (): void => {
    if (this.#standing.kind !== 'idle') this.#later(0);
  };

  #due(): Watched[] {
    const askedMs = ({ id }: Watched) => this.#askedAtMs.get(id) ?? 0;
    return this.list
      .read()
      .watched.filter((one) => this.edges.now() - askedMs(one) >= this.#gapMs(one))
      .sort((one, other) => askedMs(one) - askedMs(other));
  }

  #gapMs(one: Watched): number {
    return this.#refused.has(one.id) ? Math.max(REFUSED_GAP_MS, gapMs(one)) : gapMs(one);
  }

  #follow(): void {
    const { watched } = this.list.read();
    const isOpen = watched.some((one) => Number.isFinite(gapMs(one)));
    const isNew = watched.some((one) => Number.isFinite(gapMs(one)) && !this.#askedAtMs.has(one.id));
    if (!isOpen) {
      clearTimeout(this.#timer);
      this.#stand({ kind: 'idle' });
    } else if (this.#standing.kind === 'idle') {
      this.#stand({ kind: 'watching', checkedAtMs: undefined });
      this.#later(0);
    } else if (isNew && this.#standing.kind === 'watching') this.#later(0);
  }

  #later(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#isAsking) this.#timer = setTimeout(() => void this.#round(), ms);
  }

  async #round(): Promise<void> {
    this.#isAsking = true;
    const asked = await this.#askAll();
    this.#isAsking = false;
    if (asked.ok) {
      this.#failures = 0;
      const isOpen = this.list.read().watched.some((one) => Number.isFinite(gapMs(one)));
      this.#stand(isOpen ? { kind: 'watching', checkedAtMs: this.edges.now() } : { kind: 'idle' });
      if (isOpen) this.#later(this.edges.isHidden() ? HIDDEN_ROUND_MS : ROUND_MS);
      return;
    }
    this.#failures += 1;
    const ms = nextAttemptMs(asked.failure, this.#failures, Math.random());
    const againAtMs = ms === undefined ? undefined : this.edges.now() + ms;
    this.#stand({ kind: 'waits', failure: asked.failure, againAtMs });
    if (ms !== undefined) this.#later(ms);
  }

  async #askAll(): Promise<Outcome<undefined>> {
    const due = this.#due();
    const incidents = due.filter(({ kind }) => kind === 'incident');
    const requests = due.filter(({ kind }) => kind === 'request').slice(0, MOST_QUESTIONS);
    const questions = [...requests.map((one) => [one]), ...(incidents.length > 0 ? [incidents] : [])];
    for (const about of questions) {
      for (const { id } of about) this.#askedAtMs.set(id, this.edges.now());
      const seen = await (about === incidents ? this.#sightIncidents(about) : this.#sightRequest(about[0]));
      if (!seen.ok && mayPassByItself(seen.failure)) return seen;
      for (const { id } of about) {
        if (seen.ok) this.#refused.delete(id);
        else this.#refused.set(id, seen.failure);
      }
      if (seen.ok) this.#keep(seen.value);
    }
    return ok(undefined);
  }

  async #answer<T>(path: string, read: (text: string) => Outcome<T>): Promise<Outcome<T>> {
    try {
      const text = await this.edges.ask(path, AbortSignal.timeout(60_000));
      return text.ok ? read(text.value) : text;
    } catch {
      return failed({ kind: 'timeout', detail: 'No answer in time.' });
    }
  }

  async #sightRequest(one: Watched | undefined): Promise<Outcome<Sighting[]>> {
    const asked = one && askedOfKey(one.id);
    if (asked === undefined) return ok([]);
    const { id } = one as Watched;
    const found = await this.#answer(oneAddress(asked), readOne);
    if (!found.ok) return found;
    const row = found.value.rows.find((known) => isSameRequest(known, { key: id }));
    if (row !== undefined) return ok([{ id, state: stateWord(row.state) }]);
    // Where the index does not reach and the service could not be asked, it may be there.
    const isCertain = found.value.asked.every(({ failure }) => failure === undefined);
    return ok(isCertain ? [{ id, state: GONE }] : []);
  }

  /** One that is not there is over only when everything was looked at. */
  async #sightIncidents(about: readonly Watched[]): Promise<Outcome<Sighting[]>> {
    const found = await this.#answer(triageAddress(), readTriage);
    if (!found.ok) return found;
    const { state, incidents, counts } = found.value;
    const isWhole = state === 'complete' && incidents.length >= counts.incidents;
    return ok(
      about.flatMap(({ id }): Sighting[] => {
        const incident = incidents.find((known) => known.id === id);
        if (incident !== undefined) return [{ id, state: OPEN, size: incident.size }];
        return isWhole ? [{ id, state: OVER, size: 0 }] : [];
      }),
    );
  }

  #keep(sightings: readonly Sighting[]): void {
    let changes: readonly WatchChange[] = [];
    this.list.change((list) => {
      const seen = withSightings(list, sightings, this.edges.now());
      changes = seen.changes;
      return JSON.stringify(seen.list.watched) === JSON.stringify(list.watched) ? list : seen.list;
    });
    if (changes.length > 0) this.edges.onChanges(changes);
  }

  #stand(standing: WatchStanding): void {
    if (standing.kind === 'idle' && this.#standing.kind === 'idle') return;
    this.#standing = standing;
    for (const listener of [...this.#listeners]) listener();
  }
}

let ofTab: WatchPoller | undefined;

/** The one of this tab: it begins with the first reader, and goes on for as long as the tab lives. */
function poller(): WatchPoller {
  ofTab ??= begun();
  return ofTab;
}

function begun(): WatchPoller {
  const made = new WatchPoller(watchList, {
    ask: fetchGatewayText,
    now: Date.now,
    isHidden: () => document.hidden,
    onChanges: (changes) => tellUnseen(changes.length, noticesOf(changes)),
  });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) made.wake();
  });
  return made;
}

/** All of it as one notification: a browser that was away for a night does not get a hundred. */
function noticesOf([first, ...others]: readonly WatchChange[]) {
  if (first === undefined) return [];
  const { one, from, to } = first;
  const title = `${subjectText(one)}: ${stateText(from).toLowerCase()} → ${stateText(to).toLowerCase()}`;
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  const body = `Network ${one.networkId}, keeper ${clipped(one.keeper, 60)}${more}`;
  return [{ title, body, tag: 'keeperscope-watch' }];
}

const IDLE: WatchStanding = { kind: 'idle' };

const ACTIONS = {
  watch: (one: Watched): void => void watchList.change((list) => withWatched(list, one)),
  unwatch: (id: string): void =>
    void watchList.change((list) => ({ ...list, watched: list.watched.filter((one) => one.id !== id) })),
  refusal: (id: string): Failure | undefined => poller().refusal(id),
  askAgain: (): void => poller().wake(),
  /** Only from a click: browsers ask the person then. */
  notify: () => chooseNotifications('yes'),
  dontNotify: (): void => void chooseNotifications('no'),
} as const;

/** What this browser watches and what it has seen, and what can be done with it. */
export function useWatch() {
  const book = useSyncExternalStore(watchList.subscribe, watchList.read, watchList.none);
  const standing = useSyncExternalStore(
    (listener) => poller().subscribe(listener),
    () => poller().standing(),
    () => IDLE,
  );
  return { book, standing, ...ACTIONS };
}
