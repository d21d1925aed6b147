import type { Outcome, RowFacts } from './facts';

/** States as the query parameter tells them apart; the numbers are stored. */
export const STATE = { pending: 0, completed: 1, callbackFailed: 2, failed: 3 } as const;
export type State = (typeof STATE)[keyof typeof STATE];

export type StoredRow = RowFacts & { sequence: number };

/** The rows in order of creation, a column per property; a row's number is its place. */
export class RowTable {
  private capacity: number;
  private count = 0;
  private createdMs: Float64Array;
  private finishMs: Float64Array;
  private sequences: Float64Array;
  private senders: Int32Array;
  private lanes: Uint8Array;
  private outcomes: Uint8Array;
  private states: Uint8Array;

  constructor(capacity: number) {
    this.capacity = Math.max(1024, capacity);
    this.createdMs = new Float64Array(this.capacity);
    this.finishMs = new Float64Array(this.capacity);
    this.sequences = new Float64Array(this.capacity);
    this.senders = new Int32Array(this.capacity);
    this.lanes = new Uint8Array(this.capacity);
    this.outcomes = new Uint8Array(this.capacity);
    this.states = new Uint8Array(this.capacity);
  }

  get length(): number {
    return this.count;
  }

  /** Adds a row, pending, and returns its number. */
  append(row: StoredRow): number {
    if (this.count === this.capacity) this.grow();
    const place = this.count;
    this.createdMs[place] = row.createdMs;
    this.finishMs[place] = row.finishMs;
    this.sequences[place] = row.sequence;
    this.senders[place] = row.sender;
    this.lanes[place] = row.lane;
    this.outcomes[place] = row.outcome;
    this.states[place] = STATE.pending;
    this.count += 1;
    return place;
  }

  createdAt(row: number): number {
    return this.createdMs[row] ?? 0;
  }

  finishAt(row: number): number {
    return this.finishMs[row] ?? 0;
  }

  sequence(row: number): number {
    return this.sequences[row] ?? 0;
  }

  sender(row: number): number {
    return this.senders[row] ?? 0;
  }

  lane(row: number): number {
    return this.lanes[row] ?? 0;
  }

  outcome(row: number): Outcome {
    return (this.outcomes[row] ?? 0) as Outcome;
  }

  state(row: number): State {
    return (this.states[row] ?? 0) as State;
  }

  setState(row: number, state: State): void {
    this.states[row] = state;
  }

  private grow(): void {
    const larger = new RowTable(this.capacity * 2);
    larger.createdMs.set(this.createdMs);
    larger.finishMs.set(this.finishMs);
    larger.sequences.set(this.sequences);
    larger.senders.set(this.senders);
    larger.lanes.set(this.lanes);
    larger.outcomes.set(this.outcomes);
    larger.states.set(this.states);
    const count = this.count;
    Object.assign(this, larger);
    this.count = count;
  }
}
