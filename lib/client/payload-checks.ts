import { checkSteps, checkUpdate, type UpdateCheck } from '@/lib/domain/payload/check-update';
import type { DecodedUpdate } from '@/lib/domain/payload/decode-update';

/** How far the signatures and proofs of some updates have been verified. */
export type CheckStanding = {
  readonly done: number;
  readonly total: number;
  /** In the order of the updates; undefined for one that is not through. */
  readonly checks: readonly (UpdateCheck | undefined)[];
};

/** `pause` gives the browser its turn: a promise that is kept in a task of its own. */
export type CheckEdges = { readonly nowMs: () => number; readonly pause: () => Promise<void> };

const BROWSER: CheckEdges = {
  nowMs: () => performance.now(),
  pause: () => new Promise((resolve) => setTimeout(resolve, 0)),
};

/** How long it computes before others have their turn: half a frame, ms. */
const SLICE_MS = 8;

/**
 * Verifies updates in slices while somebody looks on: the first listener starts it, without one it stops where it is, and the
 * next one goes on from there.
 */
export class PayloadChecks {
  readonly #updates: readonly DecodedUpdate[];
  readonly #edges: CheckEdges;
  readonly #listeners = new Set<() => void>();
  #current: Generator<number, UpdateCheck> | undefined;
  #standing: CheckStanding;
  #isRunning = false;

  constructor(updates: readonly DecodedUpdate[], edges: CheckEdges = BROWSER) {
    this.#updates = updates;
    this.#edges = edges;
    const total = updates.reduce((sum, update) => sum + checkSteps(update), 0);
    this.#standing = { done: 0, total, checks: updates.map(() => undefined) };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (!this.#isRunning) void this.#run();
    return () => this.#listeners.delete(listener);
  };

  readonly standing = (): CheckStanding => this.#standing;

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Not at once: what was read is to be on screen first.
    await this.#edges.pause();
    while (this.#listeners.size > 0 && this.#slice()) {
      for (const listener of this.#listeners) listener();
      await this.#edges.pause();
    }
    this.#isRunning = false;
  }

  /** Computes until the slice is over; false when there was nothing left to do. */
  #slice(): boolean {
    const untilMs = this.#edges.nowMs() + SLICE_MS;
    let { done } = this.#standing;
    const checks = [...this.#standing.checks];
    let at = checks.indexOf(undefined);
    if (at === -1) return false;
    do {
      const update = this.#updates[at];
      if (update === undefined) break;
      this.#current ??= checkUpdate(update);
      const step = this.#current.next();
      if (step.done === true) {
        checks[at] = step.value;
        this.#current = undefined;
        at += 1;
      } else done += 1;
    } while (this.#edges.nowMs() < untilMs);
    this.#standing = { ...this.#standing, done, checks };
    return true;
  }
}
