import type { IncomingHttpHeaders } from 'node:http';

/** What the `Date` of a host's latest answers says of its clock. Moments are unix milliseconds. */
export type AnswerClock = {
  /** How far it is ahead of our clock at least, milliseconds; behind where negative; 0 where no difference is proved. */
  offByMs: number;
  /** What the answer that says so is dated, by the clock of whoever dated it. */
  datedMs: number;
  /** When that answer was here, by ours. */
  atMs: number;
  /** So many of the latest answers were looked at; this one is off by least. */
  answers: number;
};

export type AnswerDates = {
  /**
   * Takes what an answer's headers say.
   * @param ms how long the call took
   */
  heard(headers: IncomingHttpHeaders, ms: number): void;
  /** Undefined before the first answer that says when it was made. */
  clock(): AnswerClock | undefined;
};

/**
 * So many of the latest answers are kept, and the one that is off by least counts: a cache that does not say how old its
 * answers are makes them look older, never younger, and one host of several whose clock is off is no clock of the service.
 */
const KEPT_ANSWERS = 3;
/** A `Date` names whole seconds, rounded down (RFC 9110, 5.6.7). */
const DATE_STEP_MS = 1000;

/** Compares the dates of one host's answers with our clock. `now` is unix milliseconds. */
export function createAnswerDates(now: () => number): AnswerDates {
  let kept: Omit<AnswerClock, 'answers'>[] = [];
  return {
    heard(headers, ms) {
      const datedMs = datedAt(headers);
      if (datedMs === undefined) return;
      const atMs = now();
      kept = [{ offByMs: offBy(datedMs, atMs - ms, atMs), datedMs, atMs }, ...kept].slice(0, KEPT_ANSWERS);
    },
    clock() {
      const [least] = kept.toSorted((one, other) => Math.abs(one.offByMs) - Math.abs(other.offByMs));
      return least && { ...least, answers: kept.length };
    },
  };
}

/**
 * When an answer was made, by whoever dated it. Undefined where it does not say, says it twice or in another form than
 * HTTP's own (`Sun, 06 Nov 1994 08:49:37 GMT`), and where a cache has kept it for a while: its `Age` says so.
 */
export function datedAt({ date, age = '0' }: IncomingHttpHeaders): number | undefined {
  if (typeof date !== 'string' || age !== '0') return undefined;
  const ms = Date.parse(date);
  // What comes out as it went in is of that form, down to the day of the week.
  return !Number.isNaN(ms) && new Date(ms).toUTCString() === date ? ms : undefined;
}

/** Dated between the sending of the call and its answer, an answer proves no difference. */
function offBy(datedMs: number, sentMs: number, atMs: number): number {
  if (datedMs > atMs) return datedMs - atMs;
  return Math.min(0, datedMs + DATE_STEP_MS - sentMs);
}
