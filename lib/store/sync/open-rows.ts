import 'server-only';
import type { RequestRecord } from '@/lib/core/request-record';
import { HOUR_US } from '@/lib/core/time';
import { countsIn, type Interval, rowsOfState, type TrackedRow } from '@/lib/store/queries/sync';
import { requestId, wireMicros } from '@/lib/store/record-row';
import { BEGINNING_US } from '@/lib/store/schema';
import type { SyncParts } from './keeper-loss';
import { floorToMs, PageWalk, readAgain } from './page-walk';

const MAX_ANSWERS = 20;
/** Rows between the first and the last row of a group that is read again together. */
const MAX_BATCH_ROWS = 900;
/** Groups read in one pass, the largest first. */
const MAX_SPANS = 6;
/** Maximum number of rows no longer in an open state that are read again in one pass, newest first. */
const MAX_REMAINING_ROWS = 300;

type OpenRead = { answers: number; isRefused: boolean };

/** Rows whose outcome may still change: pending ones, and failed ones that may complete. */
export class OpenRows {
  /** @param readFromUs moment after which `NewRows` reads rows again anyway */
  constructor(
    private readonly parts: SyncParts,
    private readonly readFromUs: () => number,
  ) {}

  /** Lists all pending rows, and reads again those that are no longer pending. */
  readPending(): Promise<OpenRead> {
    return this.#read('pending', undefined);
  }

  /** Rows that failed within an hour before the newest row may complete. */
  readFailed(): Promise<OpenRead> {
    return this.#read('failed', floorToMs(this.readFromUs() - HOUR_US));
  }

  async #read(state: 'pending' | 'failed', fromUs: number | undefined): Promise<OpenRead> {
    const { calls, rows } = this.parts;
    const { keeperId } = rows.keeper;
    // The ids are read before the listing. Rows that arrive in between are in neither.
    const { engine } = rows.store;
    const openIds = await rowsOfState(engine, keeperId, state, fromUs ?? BEGINNING_US, this.readFromUs());
    const walk = new PageWalk({ fromUs, state }, true);
    const listed = new Set<string>();
    let answers = 0;
    for (; answers < MAX_ANSWERS && !walk.isOver && !walk.isStuck; answers += 1) {
      const answer = await calls.requestUnlessRefused('open', walk.listing);
      if (answer === undefined) return { answers, isRefused: true };
      const records = walk.add(answer).fresh.filter((row) => row.kind === 'record');
      for (const row of records) listed.add(requestId(keeperId, row));
      await this.#put(records);
    }
    if (walk.isOver)
      await this.#readRemaining(openIds.filter(({ id }) => !listed.has(id)).slice(0, MAX_REMAINING_ROWS));
    return { answers, isRefused: false };
  }

  /** Writes records: in a covered span an unknown row is new; elsewhere it is history that is read early. */
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

  async #readRemaining(left: readonly TrackedRow[]): Promise<void> {
    const groups = await this.#groupNearby(left.map(({ createdUs }) => createdUs).toSorted((a, b) => a - b));
    for (const moments of groups.toSorted((a, b) => b.length - a.length).slice(0, MAX_SPANS)) {
      await readAgain(this.parts, 'open', spanOf(moments));
    }
  }

  /** Divides sorted moments at the widest gaps, until each group spans few enough rows. */
  async #groupNearby(moments: readonly number[]): Promise<number[][]> {
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
  return { fromUs: floorToMs(moments.at(0) ?? 0), toUs: floorToMs((moments.at(-1) ?? 0) + 999) };
}

function dividedAtWidest(moments: readonly number[]): [number[], number[]] {
  let at = 1;
  let widest = -1;
  for (let index = 1; index < moments.length; index += 1) {
    const gap = (moments[index] ?? 0) - (moments[index - 1] ?? 0);
    if (gap <= widest) continue;
    at = index;
    widest = gap;
  }
  return [moments.slice(0, at), moments.slice(at)];
}
