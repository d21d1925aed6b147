import type { FailureKind } from './outcome';

/** A finished call, as metrics and logs see it. It never holds a key, a query or a body. */
export type CallEvent = {
  label: string;
  /** The pattern of the route, so that metrics have few distinct values. */
  route: string;
  outcome: 'ok' | FailureKind;
  /** Duration from sending to the end of the answer; 0 if nothing was sent. */
  ms: number;
  /** Decompressed size; 0 for a stream, whose bytes arrive later. */
  bytes: number;
  /** Absent if there was no response. */
  status?: number;
  /** False if the call was stopped in this process: by a pause or a spent budget. */
  called: boolean;
};
