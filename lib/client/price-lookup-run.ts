import type { LookupSource } from '@/lib/contract/codec/prices-url';
import type { Failure, Outcome } from '@/lib/domain/outcome';
import { cellKey, type LookupAsk, type LookupCall, type LookupCell, serviceOf } from './price-lookup';
import { isAboutFeeds, isForGood, pauseOf } from './price-lookup-failures';
import {
  countCalls,
  deprecatedFollowUp,
  type LookupPlan,
  lookupCall,
  planLookup,
  splitFeeds,
} from './price-lookup-plan';
import { readLookupAnswer } from './price-lookup-read';
import {
  IDLE_LOOKUP,
  type LookupAnswer,
  type LookupEdges,
  type LookupService,
  type LookupState,
} from './price-lookup-state';

/** Under way at once: a browser has six connections to one host. */
const MOST_CALLS = 5;
/** Of one source, always. */
const SOURCE_CALLS = 2;
const MOST_ATTEMPTS = 4;
/** After so many failures in a row a service is left in peace for the rest of the lookup. */
const FAILURES_IN_A_ROW = 3;
/** Refused parts may be asked again so often, and a few times more for each part that was answered. */
const FIRST_SPLITS = 12;
const SPLITS_PER_ANSWER = 4;

type Queued = { readonly call: LookupCall; readonly attempts: number };

/** One lookup from its first call to its last. A new one is made for the next question. */
export class LookupRun {
  #state: LookupState;
  readonly #ask: LookupAsk;
  readonly #edges: LookupEdges;
  readonly #listeners = new Set<() => void>();
  readonly #stop = new AbortController();
  readonly #cells = new Map<string, LookupCell>();
  readonly #running = new Map<LookupSource, number>();
  readonly #splits = new Map<LookupSource, number>();
  readonly #gaveUp = new Map<LookupService, Failure>();
  readonly #failures = new Map<LookupService, number>();
  #queue: Queued[] = [];
  #answers: LookupAnswer[] = [];
  #cancelAlarm: (() => void) | undefined;
  #followed: 'yes' | undefined;

  constructor(ask: LookupAsk, edges: LookupEdges) {
    this.#ask = ask;
    this.#edges = edges;
    this.#state = { ...IDLE_LOOKUP, ask, calls: { made: 0, planned: countCalls(ask) } };
    this.#take({ calls: [], given: planLookup(ask).given });
    this.#state = { ...this.#state, cells: new Map(this.#cells) };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The same object until something changes. */
  readonly current = (): LookupState => this.#state;

  /** Begins, once. */
  start(): void {
    if (this.#state.phase !== 'idle') return;
    this.#take(planLookup(this.#ask));
    this.#set({ phase: 'running', startedMs: this.#edges.now() });
    this.#pump();
  }

  /** Ends it; what is there stays. */
  cancel(): void {
    if (this.#state.phase !== 'running') return;
    this.#cancelAlarm?.();
    this.#queue = [];
    this.#set({ phase: 'cancelled', pauses: {} });
    this.#stop.abort();
  }

  #take({ calls, given }: LookupPlan): void {
    for (const [key, cell] of given) this.#cells.set(key, cell);
    this.#queue.push(...calls.map((call) => ({ call, attempts: 1 })));
  }

  #set(change: Partial<LookupState>): void {
    this.#state = { ...this.#state, ...change, cells: new Map(this.#cells), answers: this.#answers };
    for (const listener of [...this.#listeners]) listener();
  }

  /** Starts as many calls as may be under way, or ends the lookup when none is left. */
  #pump(): void {
    if (this.#state.phase !== 'running') return;
    while (this.#underWay() < MOST_CALLS) {
      const at = this.#queue.findIndex(({ call }) => this.#mayStart(call));
      const next = at < 0 ? undefined : this.#queue.splice(at, 1)[0];
      if (next === undefined) break;
      void this.#make(next);
    }
    if (this.#underWay() > 0) return;
    if (this.#queue.length === 0) this.#finish();
    else this.#setAlarm();
  }

  #underWay(): number {
    return [...this.#running.values()].reduce((sum, count) => sum + count, 0);
  }

  #mayStart({ source }: LookupCall): boolean {
    const pausedUntil = this.#state.pauses[serviceOf(source)] ?? 0;
    return (this.#running.get(source) ?? 0) < SOURCE_CALLS && pausedUntil <= this.#edges.now();
  }

  /** The deprecated route is asked last when the moment is now; then all is over. */
  #finish(): void {
    if (this.#followed === undefined) {
      this.#followed = 'yes';
      this.#take(deprecatedFollowUp(this.#ask, this.#cells));
      if (this.#queue.length > 0) {
        this.#pump();
        return;
      }
    }
    this.#set({
      phase: 'ended',
      endedMs: this.#edges.now(),
      pauses: {},
      calls: { ...this.#state.calls, planned: this.#state.calls.made },
    });
  }

  #setAlarm(): void {
    this.#cancelAlarm?.();
    const ends = this.#queue.map(({ call }) => this.#state.pauses[serviceOf(call.source)] ?? 0);
    const waitMs = Math.max(50, Math.min(...ends) - this.#edges.now());
    this.#cancelAlarm = this.#edges.after(waitMs, () => this.#pump());
  }

  async #make({ call, attempts }: Queued): Promise<void> {
    const gaveUp = this.#gaveUp.get(serviceOf(call.source));
    if (gaveUp !== undefined) {
      this.#fail(call, gaveUp);
      this.#count({ asked: 'no' });
      return;
    }
    this.#running.set(call.source, (this.#running.get(call.source) ?? 0) + 1);
    const startedMs = this.#edges.now();
    try {
      const outcome = await this.#edges.ask(call.request, this.#stop.signal);
      if (this.#state.phase === 'running') this.#hear({ call, attempts }, outcome, startedMs);
    } catch (error) {
      // Only a cancelled call rejects.
      if (!this.#stop.signal.aborted) throw error;
    } finally {
      this.#running.set(call.source, (this.#running.get(call.source) ?? 1) - 1);
    }
    this.#pump();
  }

  #hear({ call, attempts }: Queued, outcome: Outcome<string>, startedMs: number): void {
    const service = serviceOf(call.source);
    const nowMs = this.#edges.now();
    const read = outcome.ok ? readLookupAnswer(call, outcome.value, nowMs) : outcome;
    const failure = read.ok ? undefined : read.failure;
    const pauseS = failure === undefined ? undefined : pauseOf(failure);
    if (pauseS !== undefined && attempts < MOST_ATTEMPTS) {
      this.#queue.unshift({ call, attempts: attempts + 1 });
      this.#set({ pauses: { ...this.#state.pauses, [service]: nowMs + pauseS * 1000 } });
      this.#setAlarm();
      return;
    }
    const text = outcome.ok ? { text: outcome.value } : {};
    const payloads = read.ok ? read.value.payloads : [];
    const answer = { call, ...text, ...(failure ? { failure } : {}), payloads, tookMs: nowMs - startedMs };
    this.#answers = [...this.#answers, answer];
    if (read.ok) {
      this.#failures.delete(service);
      this.#allowSplits(call);
      for (const feed of call.feeds) {
        const cell = read.value.cells.get(feed.key) ?? { kind: 'absent' };
        this.#cells.set(cellKey(feed, call.source), cell);
      }
    } else this.#hearFailure(call, read.failure);
    this.#count({ asked: 'yes' });
  }

  #hearFailure(call: LookupCall, failure: Failure): void {
    const service = serviceOf(call.source);
    if (isAboutFeeds(failure)) {
      this.#failures.delete(service);
      if (!this.#askInParts(call, failure)) this.#fail(call, failure);
      return;
    }
    this.#fail(call, failure);
    const inARow = (this.#failures.get(service) ?? 0) + 1;
    this.#failures.set(service, inARow);
    if (isForGood(failure) || inARow >= FAILURES_IN_A_ROW) this.#gaveUp.set(service, failure);
  }

  /** Whether the feeds of a refused call are asked again in parts, so that one of them does not take the others along. */
  #askInParts(call: LookupCall, failure: Failure): boolean {
    if (call.feeds.length < 2) return false;
    const parts = splitFeeds(call, failure.detail);
    const left = this.#splits.get(call.source) ?? FIRST_SPLITS;
    if (left < parts.length) return false;
    this.#splits.set(call.source, left - parts.length);
    const calls = parts.map((feeds) => lookupCall(this.#ask, call.source, feeds));
    this.#queue.unshift(...calls.map((part) => ({ call: part, attempts: 1 })));
    const { made, planned } = this.#state.calls;
    this.#state = { ...this.#state, calls: { made, planned: planned + calls.length } };
    return true;
  }

  #allowSplits(call: LookupCall): void {
    const left = this.#splits.get(call.source);
    if (left !== undefined) this.#splits.set(call.source, left + SPLITS_PER_ANSWER);
  }

  #fail(call: LookupCall, failure: Failure): void {
    const others = call.feeds.length - 1;
    for (const feed of call.feeds) {
      this.#cells.set(cellKey(feed, call.source), {
        kind: 'failed',
        failure,
        ...(others > 0 && isAboutFeeds(failure) ? { together: others } : {}),
      });
    }
  }

  #count({ asked }: { asked: 'yes' | 'no' }): void {
    const { made, planned } = this.#state.calls;
    this.#set({
      calls: asked === 'yes' ? { made: made + 1, planned } : { made, planned: Math.max(made, planned - 1) },
    });
  }
}
