import 'server-only';
import type { RequestRecord } from '@/lib/core/request-record';
import { countsIn, type HeldRow, type Interval, rowsOfState } from '@/lib/store/queries/sync';
import { requestId, wireMicros } from '@/lib/store/record-row';
import { BEGINNING_US } from '@/lib/store/schema';
import type { SyncParts } from './loss-detector';
import { readAgain, Walk, wholeMs } from './walk';

/** A listing of open rows longer than this is not read to its end. */
const MAX_ANSWERS = 20;
/** Rows that left are read again together where no more rows than this lie between them, */
const MAX_BATCH_ROWS = 900;
/** and by no more listings than this in one go: the largest groups first, single rows last. */
const MAX_SPANS = 6;
/** Of rows that left, the newest so many are looked after in one go. */
const MAX_LEFT_ROWS = 300;
const HOUR_US = 3_600_000_000;

/** The answers that it took, and whether the service refused to give more. */
type OpenRead = { answers: number; isRefused: boolean };

/** Rows whose outcome is not known yet: pending ones, and failed ones that may still complete. */
export class OpenRows {
  /** @param readFromUs rows created from there on are read again by whoever reads the new ones */
  constructor(
    private readonly parts: SyncParts,
    private readonly readFromUs: () => number,
  ) {}

  /** Asks which rows are pending, of all time, and reads those again that no longer are. */
  readPending(): Promise<OpenRead> {
    return this.#read('pending', undefined);
  }

  /** The same for rows that failed in the last hour before the newest row. */
  readFailed(): Promise<OpenRead> {
    return this.#read('failed', wholeMs(this.readFromUs() - HOUR_US));
  }

  async #read(state: 'pending' | 'failed', fromUs: number | undefined): Promise<OpenRead> {
    const { calls, rows } = this.parts;
    const { keeperId } = rows.keeper;
    // Asked before the listing: what comes meanwhile is in neither.
    const { engine } = rows.store;
    const held = await rowsOfState(engine, keeperId, state, fromUs ?? BEGINNING_US, this.readFromUs());
    const walk = new Walk({ fromUs, state }, true);
    const listed = new Set<string>();
    let answers = 0;
    for (; answers < MAX_ANSWERS && !walk.isOver && !walk.isStuck; answers += 1) {
      const answer = await calls.askOrRefused('open', walk.listing);
      if (answer === undefined) return { answers, isRefused: true };
      const records = walk.take(answer).fresh.filter((row) => row.kind === 'record');
      for (const row of records) listed.add(requestId(keeperId, row));
      await this.#put(records);
    }
    if (walk.isOver) await this.#readLeft(held.filter(({ id }) => !listed.has(id)).slice(0, MAX_LEFT_ROWS));
    return { answers, isRefused: false };
  }

  /** Where the past was read already, a row that was not there is new; elsewhere it only comes before the others. */
  async #put(records: RequestRecord[]): Promise<void> {
    const { rows } = this.parts;
    const isRead = ({ createdAt }: RequestRecord) => {
      const us = wireMicros(createdAt);
      return rows.covers({ fromUs: us, toUs: us });
    };
    await rows.put(records.filter(isRead), 'new');
    await rows.put(
      records.filter((record) => !isRead(record)),
      'history',
    );
  }

  async #readLeft(left: readonly HeldRow[]): Promise<void> {
    const groups = await this.#together(left.map(({ createdUs }) => createdUs).toSorted((a, b) => a - b));
    for (const moments of groups.toSorted((one, other) => other.length - one.length).slice(0, MAX_SPANS)) {
      await readAgain(this.parts, 'open', spanOf(moments));
    }
  }

  /** Divides moments, in their order, at the widest gaps, until few enough rows lie between the first and the last of each. */
  async #together(moments: readonly number[]): Promise<number[][]> {
    const { rows } = this.parts;
    const groups: number[][] = [];
    const waiting = moments.length === 0 ? [] : [[...moments]];
    for (let group = waiting.pop(); group !== undefined; group = waiting.pop()) {
      const isSmall =
        group.at(0) === group.at(-1) ||
        (await countsIn(rows.store.engine, rows.keeper.keeperId, spanOf(group))).all <= MAX_BATCH_ROWS;
      if (isSmall) groups.push(group);
      else waiting.push(...dividedAtWidest(group));
    }
    return groups;
  }
}

function spanOf(moments: readonly number[]): Interval {
  return { fromUs: wholeMs(moments.at(0) ?? 0), toUs: wholeMs((moments.at(-1) ?? 0) + 999) };
}

function dividedAtWidest(moments: readonly number[]): [number[], number[]] {
  let [at, widest] = [1, -1];
  for (let index = 1; index < moments.length; index += 1) {
    const gap = (moments[index] ?? 0) - (moments[index - 1] ?? 0);
    if (gap > widest) [at, widest] = [index, gap];
  }
  return [moments.slice(0, at), moments.slice(at)];
}
