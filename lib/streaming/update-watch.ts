import type { TimerHandle, Timers } from './timers';

/** Without an update for this long a connection that brings a comment now is called quiet. */
export const QUIET_AFTER_MS = 10_000;
/** Without anything for this long, comments included, nobody may call it live any more, whatever becomes of it. */
export const NOT_LIVE_AFTER_MS = 20_000;

/**
 * Knows when the last update came, and says once when nothing has come for too long. It watches only while it is told to:
 * while prices are called live.
 */
export class UpdateWatch {
  #lastMs: number;
  #timer: TimerHandle | undefined;

  constructor(
    private readonly timers: Timers,
    private readonly onNone: () => void,
  ) {
    this.#lastMs = timers.now();
  }

  /** When the last update came, or its stream began. Unix milliseconds. */
  get lastMs(): number {
    return this.#lastMs;
  }

  /** An update came, or a stream begins. */
  came(): void {
    this.#lastMs = this.timers.now();
  }

  /** Whether so little came that a sign of life means: connected, and no updates. */
  get isQuiet(): boolean {
    return this.timers.now() - this.#lastMs >= QUIET_AFTER_MS;
  }

  // One timer that looks at the time of the last update costs less than one timer set anew per update.
  start(): void {
    this.stop();
    const leftMs = Math.max(1, this.#lastMs + NOT_LIVE_AFTER_MS - this.timers.now());
    this.#timer = this.timers.after(leftMs, () => {
      this.#timer = undefined;
      if (this.timers.now() - this.#lastMs >= NOT_LIVE_AFTER_MS) this.onNone();
      else this.start();
    });
  }

  stop(): void {
    this.timers.clear(this.#timer);
    this.#timer = undefined;
  }
}
