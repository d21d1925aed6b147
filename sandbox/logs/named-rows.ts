import type { Tale } from '@/sandbox/scenarios/tale';
import { type FactSource, OUTCOME } from './facts';
import { hashOf, identify, KIND } from './identity';
import { LogIndex } from './log-index';
import type { Mixer } from './mix';
import { LANES } from './networks';
import { RowTable, STATE } from './row-table';
import type { Schedule } from './schedule';
import type { SetAside } from './set-aside';
import type { WireRow } from './wire-row';

/** What identifies a row for good: its series and its number in it. */
export type RowIdentity = { series: 'history' | 'live' | 'scenario'; k: number };

export type SeriesState = { schedule: Schedule; facts: FactSource; own: Mixer };

/**
 * The rows of both keepers, and what they are called: a row's number in the table is good for now only,
 * its hashes and addresses lead back to it at any time.
 */
export abstract class NamedRows {
  protected abstract readonly history: SeriesState;
  protected abstract readonly live: SeriesState;
  protected firstHistoryK = 0;
  protected historyRows = 0;
  protected firstLiveK = 0;
  protected rowTable = new RowTable(0);
  protected logIndex = new LogIndex(this.rowTable);
  /** Rows that repeat a stuck request after a reorganisation, with the `k` of that request. */
  protected readonly twins = new Map<number, number>();
  protected told: { tale: Tale; aside: SetAside } | undefined;

  constructor(readonly mixer: Mixer) {}

  get table(): RowTable {
    return this.rowTable;
  }

  get index(): LogIndex {
    return this.logIndex;
  }

  identityOf(row: number): RowIdentity {
    const tale = this.taleOf(row);
    if (tale) return { series: 'scenario', k: tale.kOf(row) };
    return row < this.historyRows
      ? { series: 'history', k: this.firstHistoryK + row }
      : { series: 'live', k: this.firstLiveK + row - this.historyRows };
  }

  private mixerOf({ series }: RowIdentity): Mixer {
    if (series === 'scenario') return this.told?.tale.scenario.mixer ?? this.mixer;
    return this[series].own;
  }

  /** 64 hex digits of the request transaction; the rows of one batch share it. */
  requestHash({ series, k }: RowIdentity): string {
    if (series === 'scenario') return this.told?.tale.requestHash(k) ?? '';
    const lead = this[series].schedule.transactionOf(k);
    return hashOf(this.mixer, series === 'live' ? KIND.liveRequest : KIND.historyRequest, lead);
  }

  private revealHash({ series, k }: RowIdentity): string {
    if (series === 'scenario') return this.told?.tale.revealHash(k) ?? '';
    return hashOf(this.mixer, series === 'live' ? KIND.liveReveal : KIND.historyReveal, k);
  }

  /** The gas limit that a scenario gives a row; undefined: as its sender asks for. */
  gasLimitOf(row: number): number | undefined {
    return this.taleOf(row)?.gasLimitOf(row);
  }

  /** What a row's text is made of, as of now; it holds whatever becomes of the world. */
  wireRow(row: number): WireRow {
    const { rowTable } = this;
    const lane = LANES[rowTable.lane(row)];
    if (!lane) throw new Error(`row ${row} has no lane`);
    const identity = this.identityOf(row);
    const tale = this.taleOf(row);
    return {
      network: lane.network,
      provider: lane.provider,
      sender: rowTable.sender(row),
      sequence: rowTable.sequence(row),
      createdMs: rowTable.createdAt(row),
      updatedMs: this.updatedMs(row),
      state: rowTable.state(row),
      gasLimit: tale?.gasLimitOf(row),
      mixer: this.mixerOf(identity),
      k: identity.k,
      contribution: tale ? tale.contributionOf(row) : (this.twins.get(row) ?? identity.k),
      requestHash: () => (tale ? tale.requestHash(identity.k) : this.requestHash(identity)),
      revealHash: () => (tale ? tale.revealHash(identity.k) : this.revealHash(identity)),
    };
  }

  private updatedMs(row: number): number {
    const { rowTable } = this;
    if (rowTable.state(row) === STATE.pending) return rowTable.createdAt(row);
    const isSecond =
      rowTable.outcome(row) === OUTCOME.failedThenCompleted && rowTable.state(row) === STATE.completed;
    return isSecond ? this.secondFinishMs(row) : rowTable.finishAt(row);
  }

  /** When a failed request was revealed after all. */
  secondFinishMs(row: number): number {
    const { series, k } = this.identityOf(row);
    const finishMs = this.rowTable.finishAt(row);
    // Scenarios have no such request.
    return series === 'scenario' ? finishMs : this[series].facts.secondFinishMs(k, finishMs);
  }

  /** The rows with a transaction hash, that of the request or of the reveal; 64 lower-case hex digits. */
  rowsOfTransaction(hash: string): number[] {
    const inTale = this.told?.tale.find(hash);
    if (inTale)
      return inTale.kind === 'request' ? inTale.rows : inTale.rows.flatMap((row) => this.revealed(row));
    const found = identify(this.mixer, hash);
    switch (found?.kind) {
      case KIND.historyRequest:
        return this.rowsOfBatch(false, found.id);
      case KIND.liveRequest:
        return this.rowsOfBatch(true, found.id);
      case KIND.historyReveal:
        return this.revealedRow(false, found.id);
      case KIND.liveReveal:
        return this.revealedRow(true, found.id);
      default:
        return [];
    }
  }

  /** The rows of a sender's address, 40 lower-case hex digits. */
  rowsOfSender(address: string): Iterable<number> {
    const found = identify(this.mixer, address);
    return found?.kind === KIND.sender ? this.logIndex.ofSender(found.id) : [];
  }

  private rowOf(live: boolean, k: number): number | undefined {
    const row = live ? this.historyRows + k - this.firstLiveK : k - this.firstHistoryK;
    const end = this.told?.tale.firstRow ?? this.rowTable.length;
    const [low, high] = live ? [this.historyRows, end] : [0, Math.min(this.historyRows, end)];
    return row >= low && row < high ? row : undefined;
  }

  private rowsOfBatch(live: boolean, lead: number): number[] {
    const { schedule } = live ? this.live : this.history;
    const rows: number[] = [];
    for (let k = lead; schedule.transactionOf(k) === lead; k++) {
      const row = this.rowOf(live, k);
      if (row !== undefined) rows.push(row);
    }
    return rows;
  }

  private revealedRow(live: boolean, k: number): number[] {
    const row = this.rowOf(live, k);
    return row === undefined ? [] : this.revealed(row);
  }

  /** The row, if it has been revealed by now. */
  private revealed(row: number): number[] {
    const state = this.rowTable.state(row);
    return state === STATE.completed || state === STATE.callbackFailed ? [row] : [];
  }

  protected taleOf(row: number): Tale | undefined {
    const tale = this.told?.tale;
    return tale && row >= tale.firstRow ? tale : undefined;
  }
}
