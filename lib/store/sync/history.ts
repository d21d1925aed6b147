import 'server-only';
import { BEGINNING_US } from '@/lib/store/schema';
import type { Answer, CallLine } from './call-line';
import { type Interval, newestGap } from './coverage';
import type { KeeperRows } from './keeper-rows';
import type { SyncStatus } from './sync-status';
import { Walk, wholeMs } from './walk';

export type HistoryOptions = {
  line: CallLine;
  rows: KeeperRows;
  /** How far back to read, unix microseconds; undefined: to the beginning. */
  bottomUs: () => number | undefined;
  /** Calls a second that the keeper may be asked in all; undefined: as fast as it answers. */
  callsPerSecond: number | undefined;
  status: SyncStatus;
};

/** A listing that only repeats itself is tried again after this. */
const STUCK_MS = 60_000;

/** Reads what is missing below the newest rows: the newest gap first, each answer stored with how far it reaches. */
export class History {
  readonly #options: HistoryOptions;

  constructor(options: HistoryOptions) {
    this.#options = options;
  }

  /** What is read next; undefined when there is no gap. */
  get gap(): Interval | undefined {
    const { rows, bottomUs } = this.#options;
    return newestGap(rows.coverage, bottomUs() ?? BEGINNING_US);
  }

  /** Reads until there is no gap. */
  async read(): Promise<void> {
    for (let gap = this.gap; gap !== undefined; gap = this.gap) await this.#fill(gap);
  }

  /** The next answer is asked for while the one before is written. Ends early where a newer gap opens. */
  async #fill(gap: Interval): Promise<void> {
    const { line, rows, status } = this.#options;
    const walk = new Walk({
      fromUs: gap.fromUs <= BEGINNING_US ? undefined : wholeMs(gap.fromUs),
      toUs: wholeMs(gap.toUs + 999),
    });
    let write: Promise<unknown> = Promise.resolve();
    try {
      while (!walk.isOver && !walk.isStuck && (this.gap?.toUs ?? gap.toUs) <= gap.toUs) {
        const answer = await line.ask('history', walk.listing);
        const { fresh, downToUs } = walk.take(answer);
        const downTo = walk.isOver ? gap.fromUs : downToUs;
        await write;
        write = rows.put(
          fresh,
          'history',
          downTo === undefined ? undefined : { fromUs: downTo, toUs: gap.toUs },
        );
        // Whoever awaits it next hears of a failure; until then it is nobody's.
        write.catch(() => undefined);
        status.history(true);
        await this.#pause(answer);
      }
    } finally {
      await write;
    }
    if (walk.isOutOfOrder) status.note('order', 'the service sends rows out of the order of time');
    if (!walk.isStuck) return;
    status.note('repeats', 'a listing of the service only repeats itself: what is below is not known');
    await line.rest(STUCK_MS);
  }

  /** At most half of the calls are the history's, and a service that is slow is left alone for as long as it took. */
  async #pause({ tookMs }: Answer): Promise<void> {
    const { line, callsPerSecond } = this.#options;
    if (callsPerSecond !== undefined) await line.rest(Math.max(tookMs, 2000 / callsPerSecond));
  }
}
