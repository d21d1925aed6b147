import type { Failure } from '@/lib/domain/outcome';
import { FailureStreak, isOutage, isUntold } from './circuit-streak';
import type { Timers } from './timers';

/** Why a call does not go out. */
export type CircuitRefusal = {
  /** The failure that the calls before came to. */
  last: Failure;
  /** Until the next try. */
  waitMs: number;
  /** A call is on its way to see whether the service works again. */
  trying: 'yes' | undefined;
  /** When it was refused, by `Timers.elapsed`. */
  at: number;
};

/** A call that may go out. */
export type CircuitPass = {
  /**
   * Says how the call ended; `failure` is absent after a success.
   * @returns milliseconds until the next try, where calls now stop
   */
  over(failure: Failure | undefined): number | undefined;
};

/** How the circuit stands. `failures`: in a row, without a success between them. */
export type CircuitState =
  | { state: 'closed'; failures: number }
  | {
      /** `open`: nothing goes out before the next try. `trying`: one call is on its way. */
      state: 'open' | 'trying';
      failures: number;
      last: Failure;
      openForMs: number;
      /** 0: the next call that is asked for is the try. */
      nextTryInMs: number;
    };

export type ServiceCircuit = {
  /** Why a call to this route will not go out, also not soon, if so. Nothing is taken by asking. */
  refusal(route: string): CircuitRefusal | undefined;
  /** Asked right before sending; a pass has to be handed back by its `over`. */
  enter(route: string): CircuitPass | CircuitRefusal;
  /**
   * Ends when it is worth asking `enter` again: with a try that is under way, or when the next one is due. Undefined when
   * neither comes soon after the first refusal, or too many wait: then the refusal stands.
   */
  soon(first: CircuitRefusal): Promise<void> | undefined;
  /** Somebody wants to know now: the next call is a try, at most once in a few seconds. */
  tryEarly(): void;
  state(): CircuitState;
};

/** Calls stop for a second, then for twice as long each time, up to a minute; each wait is shorter by up to a quarter. */
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
/** However often somebody presses "Try again", the service gets a try of theirs so seldom. */
const EARLY_EVERY_MS = 3000;
/** A call that does not say how it ended within the time-outs of a call was lost: another one may try. */
const LOST_TRY_MS = 30_000;
/**
 * Calls that come shortly before a try or during it wait for it, and no more than so many; others are refused. So nobody
 * sees a service that is away for a moment. A try may take seconds where the service is slow; without it these calls would
 * wait as long themselves.
 */
const PATIENCE_MS = { forTheTime: 3000, forTheTry: 8000 };
const MOST_WAITING = 100;

type Try = { startedAt: number; ended: Promise<void>; end: () => void };

/** While calls stop. Times are those of `Timers.elapsed`. */
type Opening = { openedAt: number; nextTryAt: number; step: number; early: 'yes' | undefined; try?: Try };

/**
 * Leaves a service in peace that failed several times in a row, and asks it again with one call at a time until one
 * succeeds.
 * A route that did not fail itself may always be that one call: where only one route of a service is broken, the others
 * go on.
 * @param random from 0 to 1: many dashboards must not ask at the same moment
 */
export function createServiceCircuit(timers: Timers, random: () => number = Math.random): ServiceCircuit {
  return new Circuit(timers, random);
}

class Circuit implements ServiceCircuit {
  readonly #streak = new FailureStreak();
  #opening: Opening | undefined;
  /** Changes whenever the circuit opens or closes: how calls of before end, says nothing of after. */
  #epoch = 0;
  #earlyAt = Number.NEGATIVE_INFINITY;
  #waiting = 0;

  constructor(
    readonly timers: Timers,
    readonly random: () => number,
  ) {}

  refusal(route: string): CircuitRefusal | undefined {
    const refusal = this.#refusalNow(route);
    return refusal?.trying || (refusal?.waitMs ?? 0) <= PATIENCE_MS.forTheTime ? undefined : refusal;
  }

  enter(route: string): CircuitPass | CircuitRefusal {
    const refusal = this.#refusalNow(route);
    if (refusal) return refusal;
    const epoch = this.#epoch;
    const opening = this.#opening;
    if (opening === undefined) return { over: (failure) => this.#over(route, failure, epoch) };
    const own = this.#startTry(opening);
    const due = opening.nextTryAt <= own.startedAt ? 'yes' : undefined;
    return { over: (failure) => this.#tried(own, route, failure, due) };
  }

  soon({ at }: CircuitRefusal): Promise<void> | undefined {
    const opening = this.#opening;
    if (opening === undefined || this.#waiting >= MOST_WAITING) return undefined;
    const underWay = this.#tryOf(opening);
    const patienceMs = underWay ? PATIENCE_MS.forTheTry : PATIENCE_MS.forTheTime;
    const leftMs = at + patienceMs - this.timers.elapsed();
    if (leftMs <= 0) return undefined;
    const waitMs = underWay ? leftMs : this.#waitMs(opening);
    if (waitMs > leftMs) return undefined;
    this.#waiting += 1;
    return this.#pause(waitMs, underWay?.ended).then(() => {
      this.#waiting -= 1;
    });
  }

  tryEarly(): void {
    const now = this.timers.elapsed();
    if (this.#opening === undefined || now - this.#earlyAt < EARLY_EVERY_MS) return;
    this.#earlyAt = now;
    this.#opening.early = 'yes';
  }

  state(): CircuitState {
    const opening = this.#opening;
    const { inRow: failures, last } = this.#streak;
    if (opening === undefined || last === undefined) return { state: 'closed', failures };
    return {
      state: this.#tryOf(opening) === undefined ? 'open' : 'trying',
      failures,
      last,
      openForMs: Math.round(this.timers.elapsed() - opening.openedAt),
      nextTryInMs: opening.early ? 0 : this.#waitMs(opening),
    };
  }

  #refusalNow(route: string): CircuitRefusal | undefined {
    const opening = this.#opening;
    const { last } = this.#streak;
    if (opening === undefined || last === undefined) return undefined;
    const trying = this.#tryOf(opening) ? 'yes' : undefined;
    if (!trying && this.#mayTry(opening, route)) return undefined;
    return { last, waitMs: this.#waitMs(opening), trying, at: this.timers.elapsed() };
  }

  #mayTry(opening: Opening, route: string): boolean {
    return (
      opening.early !== undefined ||
      this.timers.elapsed() >= opening.nextTryAt ||
      // Of a route that was not asked yet nothing is known.
      !this.#streak.has(route)
    );
  }

  #tryOf({ try: underWay }: Opening): Try | undefined {
    if (underWay === undefined || this.timers.elapsed() - underWay.startedAt >= LOST_TRY_MS) return undefined;
    return underWay;
  }

  #waitMs({ nextTryAt }: Opening): number {
    return Math.max(0, Math.ceil(nextTryAt - this.timers.elapsed()));
  }

  #startTry(opening: Opening): Try {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const own = { startedAt: this.timers.elapsed(), ended, end };
    opening.try?.end();
    opening.try = own;
    opening.early = undefined;
    return own;
  }

  #pause(ms: number, ended: Promise<void> | undefined): Promise<void> {
    return new Promise((resolve) => {
      const callOff = this.timers.after(ms, resolve);
      void ended?.then(() => {
        callOff();
        resolve();
      });
    });
  }

  /** A call ended that went out while the circuit was closed. */
  #over(route: string, failure: Failure | undefined, epoch: number): number | undefined {
    if (failure && isUntold(failure)) return undefined;
    if (failure === undefined || !isOutage(failure)) {
      this.#close();
      return undefined;
    }
    if (epoch === this.#epoch) {
      this.#streak.add(route, failure);
      if (this.#streak.isLongEnough()) this.#open();
    }
    return this.#opening && this.#waitMs(this.#opening);
  }

  /** @param due undefined for a try before its time: it makes the next wait no longer */
  #tried(own: Try, route: string, failure: Failure | undefined, due: 'yes' | undefined): number | undefined {
    const opening = this.#opening;
    const isUp = failure === undefined || !(isOutage(failure) || isUntold(failure));
    if (isUp) this.#close();
    else if (opening?.try === own) {
      if (isOutage(failure)) this.#streak.add(route, failure);
      opening.try = undefined;
      if (due) opening.step += 1;
      const next = this.timers.elapsed() + this.#jittered(due ? opening.step : 0);
      opening.nextTryAt = Math.max(opening.nextTryAt, next);
    }
    own.end();
    return this.#opening && this.#waitMs(this.#opening);
  }

  #open(): void {
    const openedAt = this.timers.elapsed();
    this.#epoch += 1;
    this.#opening = { openedAt, nextTryAt: openedAt + this.#jittered(0), step: 0, early: undefined };
  }

  /** Any success shows that the service works, also that of a call which was under way when the circuit opened. */
  #close(): void {
    this.#streak.clear();
    if (this.#opening === undefined) return;
    this.#epoch += 1;
    this.#opening.try?.end();
    this.#opening = undefined;
  }

  #jittered(step: number): number {
    const plain = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(step, 10));
    return plain * (0.75 + this.random() / 4);
  }
}
