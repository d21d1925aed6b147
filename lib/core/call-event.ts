import type { FailureKind } from './outcome';

/** One call as metrics and logs see it. Never a key, a query or a body. */
export type CallEvent = {
  label: string;
  /** The route's pattern, not the path: few different values. */
  route: string;
  outcome: 'ok' | FailureKind;
  /** From sending to the end of the answer; 0 when nothing was sent. */
  ms: number;
  /** Of the answer's body, decompressed; 0 for a stream, whose bytes come later. */
  bytes: number;
  /** The service's own; absent when no answer came. */
  status?: number;
  /** False when the call ended here: a shut gate or a spent budget. */
  called: boolean;
};
