import type { Timers } from './timers';

/** Idle timeouts of proxies begin at 60 s. */
export const HEARTBEAT_MS = 15_000;
/** Silence after which a stream counts as lost: two missed heartbeats plus some latency. */
const SILENT_AFTER_MS = 2 * HEARTBEAT_MS + 2_000;
const CHECK_INTERVAL_MS = 2_000;
/** A check that is this late shows that the computer was asleep. */
const MIN_SLEEP_MS = 10_000;

/** Detects a stream that died without being closed: behind a VPN or NAT, or while the computer slept. */
export class HeartbeatWatch {
  /** Unix ms. */
  lastEventMs: number;
  #cancel: (() => void) | undefined;

  /** @param onSilent called once, when the stream is dead, or its state unknown after sleep */
  constructor(
    private readonly timers: Pick<Timers, 'now' | 'after'>,
    private readonly onSilent: () => void,
  ) {
    this.lastEventMs = timers.now();
    this.#scheduleCheck();
  }

  recordEvent(): void {
    this.lastEventMs = this.timers.now();
  }

  stop(): void {
    this.#cancel?.();
  }

  #scheduleCheck(): void {
    const dueMs = this.timers.now() + CHECK_INTERVAL_MS;
    this.#cancel = this.timers.after(CHECK_INTERVAL_MS, () => {
      const nowMs = this.timers.now();
      if (nowMs - dueMs > MIN_SLEEP_MS || nowMs - this.lastEventMs >= SILENT_AFTER_MS) this.onSilent();
      else this.#scheduleCheck();
    });
  }
}
