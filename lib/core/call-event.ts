import type { FailureKind } from './outcome';

/** One finished call to a service, as metrics and logs see it. It never holds a key, a query or a body. */
export type CallEvent = {
  label: string;
  /** The pattern of the route instead of the path, so that metrics have few distinct values. */
  route: string;
  outcome: 'ok' | FailureKind;
  /** Milliseconds from sending to the end of the answer; 0 if nothing was sent. */
  ms: number;
  /** Size of the decompressed body; 0 for a stream, whose bytes arrive later. */
  bytes: number;
  /** Status of the service's response; absent if there was none. */
  status?: number;
  /** False if the call was stopped in this process: by a pause or a spent budget. */
  called: boolean;
};
