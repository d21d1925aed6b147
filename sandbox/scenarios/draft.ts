import type { Outcome } from '@/sandbox/logs/facts';

/** What a row of a plot is there for: to stay pending, or to be what the stuck ones are compared with. */
export type Role = 'stuck' | 'other' | 'twin';

/** A row of a scenario before it has a number. Times in unix milliseconds. */
export type Draft = {
  createdMs: number;
  lane: number;
  sender: number;
  outcome: Outcome;
  /** Infinite when it never finishes. */
  finishMs: number;
  gasLimit: number;
  /** Sequence numbers left out before this row. */
  skip?: number;
  /** `twin`: the request before it in its lane once more; `batch`: in the transaction of that request. */
  follows?: 'twin' | 'batch';
  /** The plot that it belongs to, by place, and what for; undefined: it is there to be healthy. */
  part?: { plot: number; role: Role };
};

/** Gives rows in order of time. */
export interface DraftSource {
  /** The rows created at or before a time that were not given yet. */
  until(ms: number): Draft[];
}
