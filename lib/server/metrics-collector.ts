import 'server-only';
import type { Timers } from '@/lib/upstream/timers';
import type { KeeperFigure, NetworkFigures } from './network-figures';

export type CollectorEdges = {
  /** Gathers the figures once, in the background; undefined where there is nothing to gather. */
  gather: () => Promise<NetworkFigures | undefined>;
  timers: Timers;
  /** An exception of ours: to be logged, nothing else. */
  bug: (error: unknown) => void;
};

/** What the collector has done since the process began, and what it knows. */
export type Collected = {
  state: 'resting' | 'running';
  figures?: NetworkFigures;
  runs: number;
  /** How long the last run took, ms; absent before the first. */
  lastRunMs?: number;
};

/** From the end of one run to the beginning of the next. */
export const COLLECT_EVERY_MS = 60_000;
/** When nobody has read the metrics for so long, nothing is collected for them any more. */
export const UNREAD_MS = 600_000;

/**
 * The loop behind the figures that nobody knows without asking a service. It begins with the first reading of the metrics
 * and rests when they are not read any more; then its figures are forgotten, so that old ones are never told as new.
 */
export class MetricsCollector {
  #readAt = Number.NEGATIVE_INFINITY;
  #state: Collected['state'] = 'resting';
  #callOff: (() => void) | undefined;
  /** Of the loop that runs: what an earlier one still brings is not taken. */
  #loop = 0;
  #figures: NetworkFigures | undefined;
  readonly #checkedAtMs = new Map<string, number>();
  #runs = 0;
  #lastRunMs: number | undefined;

  constructor(private readonly edges: CollectorEdges) {}

  /** The metrics are being read. */
  read(): void {
    this.#readAt = this.edges.timers.elapsed();
    if (this.#state === 'running') return;
    this.#state = 'running';
    this.#loop += 1;
    this.#begin(this.#loop);
  }

  stop(): void {
    this.#callOff?.();
    this.#state = 'resting';
    this.#figures = undefined;
    this.#checkedAtMs.clear();
  }

  get collected(): Collected {
    return {
      state: this.#state,
      figures: this.#figures,
      runs: this.#runs,
      lastRunMs: this.#lastRunMs,
    };
  }

  #begin(loop: number): void {
    this.#run(loop).catch((error: unknown) => {
      this.edges.bug(error);
      if (!this.#isCurrent(loop)) return;
      this.#figures = undefined;
      this.#later(loop);
    });
  }

  async #run(loop: number): Promise<void> {
    const { timers, gather } = this.edges;
    const beganAt = timers.elapsed();
    const figures = await gather();
    if (!this.#isCurrent(loop)) return;
    this.#figures = figures && { ...figures, keepers: figures.keepers.map((one) => this.#remembered(one)) };
    this.#runs += 1;
    this.#lastRunMs = timers.elapsed() - beganAt;
    this.#later(loop);
  }

  #isCurrent(loop: number): boolean {
    return this.#state === 'running' && loop === this.#loop;
  }

  /** When a log was last read stays known while it can't be: that is what an alarm asks for. */
  #remembered(figure: KeeperFigure): KeeperFigure {
    const { keeper, checkedAtMs = this.#checkedAtMs.get(keeper) } = figure;
    if (checkedAtMs === undefined) return figure;
    this.#checkedAtMs.set(keeper, checkedAtMs);
    return { ...figure, checkedAtMs };
  }

  #later(loop: number): void {
    this.#callOff = this.edges.timers.after(COLLECT_EVERY_MS, () => {
      if (this.edges.timers.elapsed() - this.#readAt >= UNREAD_MS) this.stop();
      else this.#begin(loop);
    });
  }
}
