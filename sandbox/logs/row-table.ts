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

  /** Removes the rows from `row` on and gives them, in a table of their own. */
  cut(row: number): RowTable {
    const tail = new RowTable(Math.max(0, this.count - row));
    for (let place = row; place < this.count; place++) tail.append(this.stored(place));
    this.count = Math.min(this.count, row);
    return tail;
  }

  /** A row as it was appended. */
  stored(row: number): StoredRow {
    return {
      createdMs: this.createdAt(row),
      finishMs: this.finishAt(row),
      sequence: this.sequence(row),
      sender: this.sender(row),
      lane: this.lane(row),
      outcome: this.outcome(row),
    };
  }

  /** Gives a row another end; its state is not touched. */
  setEnd(row: number, outcome: Outcome, finishMs: number): void {
    this.outcomes[row] = outcome;
    this.finishMs[row] = finishMs;
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
