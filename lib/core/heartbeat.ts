import type { Timers } from './timers';

/** The streams of our pages say this often that they are alive. Idle time-outs of proxies begin at 60 s. */
export const HEARTBEAT_MS = 15_000;
/** After two missed beats, and the time that one may be on its way, a stream carries nothing any more. */
const SILENT_AFTER_MS = 2 * HEARTBEAT_MS + 2_000;
/** How often a stream is looked after. A look that comes so much too late tells that the computer slept. */
const CHECK_INTERVAL_MS = 2_000;
const MIN_SLEEP_MS = 10_000;

/** Looks after a stream that may die without being closed: behind a VPN or a NAT, or while the computer sleeps. */
export class HeartbeatWatch {
  heardMs: number;
  #cancel: (() => void) | undefined;

  /** @param onSilent called once: the stream is dead, or the computer slept and nobody can say */
  constructor(
    private readonly timers: Pick<Timers, 'now' | 'after'>,
    private readonly onSilent: () => void,
  ) {
    this.heardMs = timers.now();
    this.#scheduleCheck();
  }

  heard(): void {
    this.heardMs = this.timers.now();
  }

  stop(): void {
    this.#cancel?.();
  }

  #scheduleCheck(): void {
    const dueMs = this.timers.now() + CHECK_INTERVAL_MS;
    this.#cancel = this.timers.after(CHECK_INTERVAL_MS, () => {
      const nowMs = this.timers.now();
      if (nowMs - dueMs > MIN_SLEEP_MS || nowMs - this.heardMs >= SILENT_AFTER_MS) this.onSilent();
      else this.#scheduleCheck();
    });
  }
}
