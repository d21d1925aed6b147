import 'server-only';
import type { LogRow } from '@/lib/core/request-record';
import { MINUTE_MS } from '@/lib/core/time';
import { PreparedRows } from '@/lib/store/ingest';
import type { Interval } from '@/lib/store/queries/sync';
import { BEGINNING_US } from '@/lib/store/schema';
import type { Answer } from './call-queue';
import type { SyncParts } from './keeper-loss';
import { newestGap } from './keeper-rows';
import { floorToMs, PageWalk } from './page-walk';

type HistoryBounds = {
  /** Oldest moment to read. */
  bottomUs: () => number;
  /** Undefined for a keeper that is called as fast as it answers. */
  callsPerSecond: number | undefined;
};

/** Delay before a listing that only repeats the same rows is tried again. */
const REPEATING_RETRY_MS = MINUTE_MS;

/** The newest gap is read first. Each answer is stored together with its coverage. */
export class History {
  constructor(
    private readonly parts: SyncParts,
    private readonly bounds: HistoryBounds,
  ) {}

  get gap(): Interval | undefined {
    return newestGap(this.parts.rows.coverage, this.bounds.bottomUs());
  }

  async read(): Promise<void> {
    if (this.gap !== undefined) await this.#requestTotal();
    for (let gap = this.gap; gap !== undefined; gap = this.gap) await this.#fill(gap);
  }

  /** Only the service knows the total, even after a restart. */
  async #requestTotal(): Promise<void> {
    const bottomUs = this.bounds.bottomUs();
    const fromUs = bottomUs <= BEGINNING_US ? undefined : floorToMs(bottomUs);
    const { total } = await this.parts.calls.request('history', { fromUs, limit: 1 });
    if (total !== undefined) this.parts.status.update({ expected: total });
  }

  /** The next answer is requested while the previous one is written. Ends early if a newer gap opens. */
  async #fill(gap: Interval): Promise<void> {
    const { calls, rows, status } = this.parts;
    const walk = new PageWalk({
      fromUs: gap.fromUs <= BEGINNING_US ? undefined : floorToMs(gap.fromUs),
      toUs: floorToMs(gap.toUs + 999),
    });
    const writer = new Writer(rows.keeper.keeperId, (part, fromUs) =>
      rows.put(part, 'history', fromUs === undefined ? undefined : { fromUs, toUs: gap.toUs }),
    );
    try {
      let answer: Answer | undefined = await calls.request('history', walk.listing);
      while (answer !== undefined) {
        const { fresh, downToUs } = walk.add(answer);
        const goesOn = !walk.isOver && !walk.isStuck && (this.gap?.toUs ?? gap.toUs) <= gap.toUs;
        const next: Promise<Answer> | undefined = goesOn ? this.#requestNext(walk, answer) : undefined;
        // A rejection is handled below, once the previous rows are being written.
        next?.catch(() => undefined);
        await writer.add(fresh, walk.isOver ? gap.fromUs : downToUs);
        status.update({ hasGap: true });
        answer = await next;
      }
      await writer.begin();
    } finally {
      await writer.done;
    }
    if (walk.isOutOfOrder) status.note('order', 'the service sends rows out of time order');
    if (!walk.isStuck) return;
    status.note('repeats', 'the service’s listing repeats itself: older rows unknown');
    await calls.sleep(REPEATING_RETRY_MS);
  }

  /** At most half of the calls are for the history. A slow service rests for as long as its answer took. */
  async #requestNext({ listing }: PageWalk, { tookMs }: Answer): Promise<Answer> {
    const { callsPerSecond } = this.bounds;
    if (callsPerSecond !== undefined) await this.parts.calls.sleep(Math.max(tookMs, 2000 / callsPerSecond));
    return this.parts.calls.request('history', listing);
  }
}

/** Rows that arrive faster than they are written are written together. */
const MAX_BATCH_ROWS = 5000;

/** One write at a time, in the background. */
class Writer {
  #rows: PreparedRows;
  /** Rows of the last write, whose buffers are reused. */
  #written: PreparedRows;
  #downToUs: number | undefined;
  #isWriting = false;
  /** Settles with the current write. */
  done: Promise<void> = Promise.resolve();

  constructor(
    keeperId: number,
    private readonly put: (rows: PreparedRows, downToUs: number | undefined) => Promise<unknown>,
  ) {
    this.#rows = new PreparedRows(keeperId);
    this.#written = new PreparedRows(keeperId);
  }

  /** @param downToUs moment down to which all rows were read */
  async add(rows: readonly LogRow[], downToUs: number | undefined): Promise<void> {
    await this.#rows.add(rows);
    this.#downToUs = downToUs ?? this.#downToUs;
    if (!this.#isWriting || this.#rows.length >= MAX_BATCH_ROWS) await this.begin();
  }

  /** Resolves when the previous write has ended and the next one has begun. */
  async begin(): Promise<void> {
    await this.done;
    this.#isWriting = true;
    const rows = this.#rows;
    this.#rows = this.#written;
    this.#rows.clear();
    this.#written = rows;
    this.done = this.put(rows, this.#downToUs).then(() => {
      this.#isWriting = false;
    });
    // The next `await` of `done` receives the failure.
    this.done.catch(() => undefined);
  }
}
