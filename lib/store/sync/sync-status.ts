import 'server-only';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import type { CallQueue } from './call-queue';
import { isFromBeginning, type KeeperRows } from './keeper-rows';

/** Notes for the operator, each shown once. */
type NoteName = 'clock' | 'order' | 'repeats' | 'undelivered' | 'capped' | 'pending';

/** `hasGap`: history is missing. `expected`: the service's count of all rows. */
type Known = Pick<
  KeeperStatus,
  'failure' | 'pendingAtMs' | 'audit' | 'lost' | 'vanished' | 'clockAheadMs'
> & {
  hasGap: boolean;
  expected: number | null;
};

/** Reported to the index on every change. */
export class SyncStatus {
  readonly #notes = new Map<NoteName, string>();
  #known: Known = {
    failure: null,
    pendingAtMs: null,
    audit: null,
    lost: null,
    vanished: null,
    clockAheadMs: 0,
    hasGap: true,
    expected: null,
  };

  constructor(private readonly rows: KeeperRows) {
    this.#known.clockAheadMs = rows.store.reads.clockAheadMs(rows.keeper.name);
  }

  note(name: NoteName, text: string | undefined): void {
    if (text === undefined) this.#notes.delete(name);
    else this.#notes.set(name, text);
    this.update({});
  }

  update(change: Partial<Known>): void {
    this.#known = { ...this.#known, ...change };
    const { hasGap, expected, ...members } = this.#known;
    const { store, keeper, coverage, counts } = this.rows;
    const { oldestUs, ...counted } = counts;
    const [newest] = coverage;
    const coversAll = newest !== undefined && isFromBeginning(newest);
    const fromUs = coversAll ? oldestUs : newest?.fromUs;
    store.report(keeper.name, {
      ...members,
      ...counted,
      state: members.failure !== null ? 'failing' : hasGap ? 'syncing' : 'live',
      coveredFromMs: fromUs === undefined || fromUs === null ? null : Math.ceil(fromUs / 1000),
      coversAll,
      history: hasGap
        ? { done: counts.rows, expected: expected === null ? null : Math.max(counts.rows, expected) }
        : null,
      notes: [...this.#notes.values()],
    });
  }
}

export type KeeperParts = {
  calls: CallQueue;
  rows: KeeperRows;
  status: SyncStatus;
  /** A number from 0 to 1. */
  random: () => number;
  /** Unix milliseconds by the service's clock; undefined if unknown. */
  serviceNowMs: () => number | undefined;
};
