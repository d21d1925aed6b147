import type { Failure, Outcome } from '@/lib/domain/outcome';
import { mayPassByItself, nextAttemptMs } from './explain-failure';
import { type Sighting, type WatchChange, type Watched, withSightings } from './watch-book';
import { type AskRoute, paceOf, sightIncidents, sightRequest } from './watch-questions';
import type { WatchStore } from './watch-store';

export type WatchEdges = {
  readonly ask: AskRoute;
  readonly now: () => number;
  readonly setTimer: (run: () => void, ms: number) => unknown;
  readonly clearTimer: (timer: unknown) => void;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly isHidden: () => boolean;
  /** What was seen to change, at least one. */
  readonly onChanges: (changes: readonly WatchChange[]) => void;
};

/** How the asking goes. `waits` names what failed, and when (unix ms) it is tried again. */
export type WatchStanding =
  | { readonly kind: 'idle' }
  | { readonly kind: 'watching'; readonly checkedAtMs: number | undefined }
  | { readonly kind: 'waits'; readonly failure: Failure; readonly againAtMs: number | undefined };

/** Between rounds, milliseconds: while somebody may look, and while nobody can. */
const ROUND_MS = 5_000;
const HIDDEN_ROUND_MS = 20_000;
/** How often one of them is asked about again at the most, by its pace. */
const GAP_MS = { often: 5_000, seldom: 60_000, never: Number.POSITIVE_INFINITY } as const;
/** Questions of one round: those that were asked about longest ago. */
const MOST_QUESTIONS = 10;
/** The state of all incidents is a large answer. */
const INCIDENTS_GAP_MS = 10_000;

/**
 * Asks about what is watched, round by round, as long as something may change. One for a whole tab. A round ends with
 * its first failure; then the gaps grow.
 */
export class WatchPoller {
  readonly #store: WatchStore;
  readonly #edges: WatchEdges;
  readonly #listeners = new Set<() => void>();
  readonly #askedAtMs = new Map<string, number>();
  readonly #refused = new Map<string, Failure>();
  #standing: WatchStanding = { kind: 'idle' };
  #timer: unknown;
  #round: AbortController | undefined;
  #failures = 0;
  #stop: (() => void) | undefined;

  constructor(store: WatchStore, edges: WatchEdges) {
    this.#store = store;
    this.#edges = edges;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly standing = (): WatchStanding => this.#standing;

  /** Why one of them can't be asked about, which asking again soon won't change; the others go on. */
  readonly refusal = (id: string): Failure | undefined => this.#refused.get(id);

  /** Follows the store from now on. A second start changes nothing. */
  start(): void {
    if (this.#stop !== undefined) return;
    this.#stop = this.#store.subscribe(() => this.#follow());
    this.#follow();
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#round?.abort();
    this.#round = undefined;
    this.#rest();
  }

  /** Somebody looks again, or wants to know now: no need to wait for the next round. */
  wake(): void {
    if (this.#stop === undefined || this.#round !== undefined || this.#standing.kind === 'idle') return;
    if (this.#standing.kind === 'waits' && this.#standing.againAtMs === undefined) return;
    this.#later(0);
  }

  /** Something was added or taken away, here or in another tab. */
  #follow(): void {
    const ids = new Set(this.#watched().map(({ id }) => id));
    for (const id of this.#askedAtMs.keys()) {
      if (ids.has(id)) continue;
      this.#askedAtMs.delete(id);
      this.#refused.delete(id);
    }
    if (!this.#isAnythingOpen()) {
      this.#rest();
      return;
    }
    if (this.#round !== undefined || this.#standing.kind === 'waits') return;
    if (this.#standing.kind === 'idle' || this.#isAnythingNew()) this.#later(0);
  }

  /** Whether anything of it may still change. */
  #isAnythingOpen(): boolean {
    return this.#watched().some((one) => paceOf(one) !== 'never');
  }

  #isAnythingNew(): boolean {
    return this.#watched().some((one) => paceOf(one) !== 'never' && !this.#askedAtMs.has(one.id));
  }

  #watched(): readonly Watched[] {
    return this.#store.read().watched;
  }

  #rest(): void {
    this.#edges.clearTimer(this.#timer);
    this.#failures = 0;
    this.#stand({ kind: 'idle' });
  }

  #later(ms: number): void {
    this.#edges.clearTimer(this.#timer);
    if (this.#standing.kind === 'idle') this.#stand({ kind: 'watching', checkedAtMs: undefined });
    this.#timer = this.#edges.setTimer(() => void this.#run(), ms);
  }

  async #run(): Promise<void> {
    const round = new AbortController();
    this.#round = round;
    const ended = await this.#askAll(round.signal);
    if (round.signal.aborted) return;
    this.#round = undefined;
    if (ended.ok) this.#ended();
    else this.#failed(ended.failure);
  }

  #ended(): void {
    this.#failures = 0;
    if (!this.#isAnythingOpen()) {
      this.#rest();
      return;
    }
    this.#stand({ kind: 'watching', checkedAtMs: this.#edges.now() });
    const pause = this.#edges.isHidden() ? HIDDEN_ROUND_MS : ROUND_MS;
    this.#later(this.#isAnythingNew() ? 0 : pause);
  }

  #failed(failure: Failure): void {
    this.#failures += 1;
    const ms = nextAttemptMs(failure, this.#failures, this.#edges.random());
    this.#stand({ kind: 'waits', failure, againAtMs: ms === undefined ? undefined : this.#edges.now() + ms });
    if (ms !== undefined) this.#later(ms);
  }

  /** A round over those that are due. What it has seen before a failure is kept. */
  async #askAll(signal: AbortSignal): Promise<Outcome<undefined>> {
    const due = this.#due();
    const requests = due.filter(({ kind }) => kind === 'request').slice(0, MOST_QUESTIONS);
    const incidents = due.filter(({ kind }) => kind === 'incident');
    const questions = [
      ...requests.map((one) => ({ about: [one], ask: () => sightRequest(one, this.#edges.ask, signal) })),
      ...(incidents.length === 0
        ? []
        : [{ about: incidents, ask: () => sightIncidents(incidents, this.#edges.ask, signal) }]),
    ];
    for (const { about, ask } of questions) {
      for (const { id } of about) this.#askedAtMs.set(id, this.#edges.now());
      const answer = await answerOf(ask, signal);
      if (answer === undefined) break;
      if (!answer.ok && mayPassByItself(answer.failure)) return answer;
      for (const { id } of about) {
        if (answer.ok) this.#refused.delete(id);
        else this.#refused.set(id, answer.failure);
      }
      if (answer.ok) this.#keep(answer.value);
    }
    return { ok: true, value: undefined };
  }

  #due(): Watched[] {
    const nowMs = this.#edges.now();
    const lastMs = ({ id }: Watched) => this.#askedAtMs.get(id) ?? 0;
    return this.#watched()
      .filter((one) => nowMs - lastMs(one) >= this.#gapMs(one))
      .sort((one, other) => lastMs(one) - lastMs(other));
  }

  #gapMs(one: Watched): number {
    const pace = paceOf(one);
    if (pace !== 'often') return GAP_MS[pace];
    if (this.#refused.has(one.id)) return GAP_MS.seldom;
    return one.kind === 'incident' ? INCIDENTS_GAP_MS : GAP_MS.often;
  }

  #keep(sightings: readonly Sighting[]): void {
    const nowMs = this.#edges.now();
    const changes = this.#store.change((book) => {
      const { book: next, changes: seen } = withSightings(book, sightings, nowMs);
      return { book: next, result: seen };
    });
    if (changes.length > 0) this.#edges.onChanges(changes);
  }

  #stand(standing: WatchStanding): void {
    if (standing.kind === 'idle' && this.#standing.kind === 'idle') return;
    this.#standing = standing;
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Undefined when the round was given up meanwhile. */
async function answerOf(
  ask: () => Promise<Outcome<Sighting[]>>,
  signal: AbortSignal,
): Promise<Outcome<Sighting[]> | undefined> {
  try {
    const answer = await ask();
    return signal.aborted ? undefined : answer;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
