/** Indices of the state: the last setting by the real clock and by the sandbox's, the speed, whether it is stopped. */
const REAL = 0;
const SANDBOX = 1;
const SPEED = 2;
const STOPPED = 3;

/** Unix ms. Shows real time until it is set, stopped or sped up. All data are computed from it. */
export class SandboxClock {
  static readonly STATE_BYTES = 4 * Float64Array.BYTES_PER_ELEMENT;

  /** `state` is reset here; shared memory when several threads use the clock. */
  constructor(
    readonly realNow: () => number = Date.now,
    private readonly state: Float64Array = new Float64Array(4),
  ) {
    const now = realNow();
    state.set([now, now, 1, 0]);
  }

  /** Sandbox milliseconds per real millisecond. It keeps its value while the clock is stopped. */
  get speed(): number {
    return this.at(SPEED);
  }

  get stopped(): boolean {
    return this.at(STOPPED) === 1;
  }

  now(): number {
    if (this.stopped) return this.at(SANDBOX);
    return Math.floor(this.at(SANDBOX) + (this.realNow() - this.at(REAL)) * this.speed);
  }

  /** Jumps to `ms`, forwards or backwards. Values that are omitted do not change. */
  set({ ms = this.now(), speed = this.speed, stopped = this.stopped }): void {
    this.state.set([this.realNow(), Math.floor(ms), speed, stopped ? 1 : 0]);
  }

  private at(place: number): number {
    return this.state[place] ?? 0;
  }
}
