import 'server-only';
import type { Failure } from '@/lib/core/outcome';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import type { CallLine } from './call-line';
import { isFromBeginning, type KeeperRows } from './keeper-rows';

/** What an operator should know, each said once. */
export type NoteName = 'clock' | 'order' | 'repeats' | 'emptied' | 'undelivered' | 'refused';

/** What the sync of one keeper has to tell, told to the index whenever it changes. */
export class SyncStatus {
  readonly #notes = new Map<NoteName, string>();
  #failure: KeeperStatus['failure'] = null;
  #syncedAtMs: number | null = null;
  #pendingAtMs: number | null = null;
  #audit: KeeperStatus['audit'] = null;
  #hasGap = true;
  #expected = 0;

  constructor(private readonly rows: KeeperRows) {}

  /** The newest rows are there. */
  synced(): void {
    this.#syncedAtMs = this.rows.store.now();
    this.tell();
  }

  /** The pending rows are those of this moment, or later. @param atMs unix milliseconds, by the store's clock */
  pendingRead(atMs: number): void {
    this.#pendingAtMs = atMs;
    this.tell();
  }

  answered(): void {
    if (this.#failure === null) return;
    this.#failure = null;
    this.tell();
  }

  /** @param waitMs until the service is asked again */
  failed({ kind, detail }: Failure, waitMs: number): void {
    this.#failure = { kind, detail, nextTryMs: this.rows.store.now() + waitMs };
    this.tell();
  }

  /** @param hasGap rows of the past are missing */
  history(hasGap: boolean): void {
    this.#hasGap = hasGap;
    this.tell();
  }

  /** So many rows the service has, as it says. */
  expect(total: number | undefined): void {
    this.#expected = Math.max(this.#expected, total ?? 0);
  }

  audited(audit: NonNullable<KeeperStatus['audit']>): void {
    this.#audit = audit;
    this.tell();
  }

  note(name: NoteName, text: string | undefined): void {
    if (text === undefined) this.#notes.delete(name);
    else this.#notes.set(name, text);
    this.tell();
  }

  tell(): void {
    const { store, keeper, coverage, counts } = this.rows;
    const [newest] = coverage;
    const { rows, gone, unreadable, oldestUs } = counts;
    const coversAll = newest !== undefined && isFromBeginning(newest);
    const fromUs = coversAll ? oldestUs : newest?.fromUs;
    store.report(keeper.name, {
      state: this.#failure !== null ? 'failing' : this.#hasGap ? 'syncing' : 'live',
      syncedAtMs: this.#syncedAtMs,
      pendingAtMs: this.#pendingAtMs,
      coveredFromMs: fromUs === undefined || fromUs === null ? null : Math.ceil(fromUs / 1000),
      coversAll,
      rows,
      gone,
      unreadable,
      history: this.#hasGap ? { done: rows, expected: Math.max(rows, this.#expected) } : null,
      failure: this.#failure,
      audit: this.#audit,
      notes: [...this.#notes.values()],
    });
  }
}

/** What all parts of the sync of one keeper work with. */
export type SyncParts = {
  line: CallLine;
  rows: KeeperRows;
  status: SyncStatus;
  /** Unix milliseconds by the clock of the service; undefined where that is not known. */
  serviceNowMs: () => number | undefined;
};
