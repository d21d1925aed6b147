import { type Failure, failed, type Outcome, ok } from './outcome';
import { failureOfProblem, readProblem } from './problem';
import { retryAfterSeconds } from './retry-after';

/**
 * Timeout of a call to our own server. The server itself gives up on a service after 15 s, so a longer wait means that
 * the server or the way to it is slow.
 */
const TIMEOUT_MS = 20_000;

/** @param headers of the answer: a proxy in front of us may send `Retry-After` without a problem body */
export function failureOfAnswer(text: string, status: number, headers?: Headers): Failure {
  const failure = failureOfProblem(readProblem(text, status));
  const retryHeaders = { retryAfter: headers?.get('retry-after'), date: headers?.get('date') };
  const named = failure.retryAfterS ?? (headers && retryAfterSeconds(status, retryHeaders, Date.now()));
  return named === undefined ? failure : { ...failure, retryAfterS: named };
}

/**
 * Fetches one of our own routes as text, with every digit. Failures are values: those that our server explains, and two
 * without a service that it cannot explain (`unreachable`, `timeout`).
 * @param body JSON; turns the call into a POST
 * @throws only if aborted
 */
export async function fetchGatewayText(
  path: string,
  signal: AbortSignal,
  { body, timeoutMs = TIMEOUT_MS }: { body?: string | undefined; timeoutMs?: number } = {},
): Promise<Outcome<string>> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const post = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
  try {
    const response = await fetch(path, {
      ...(body === undefined ? {} : post),
      signal: AbortSignal.any([signal, timeout]),
      cache: 'no-store',
    });
    const text = await response.text();
    return response.ok ? ok(text) : failed(failureOfAnswer(text, response.status, response.headers));
  } catch (error) {
    if (signal.aborted) throw error;
    if (timeout.aborted)
      return failed({ kind: 'timeout', detail: `No answer within ${timeoutMs / 1000} seconds.` });
    return failed({ kind: 'unreachable', detail: 'No connection.' });
  }
}

/** A failed answer as an exception. React-query reports only thrown failures. */
export class AnswerFailed extends Error {
  /** Time of the next automatic retry, unix ms; undefined if none is scheduled. */
  retryAtMs?: number;

  constructor(readonly failure: Failure) {
    super(failure.detail);
  }
}

/** Poll interval for react-query: `ms`, or longer if the last answer requested a longer wait. */
export const pollEvery =
  (ms: number) =>
  ({ state: { error } }: { state: { error: Error | null } }): number => {
    const waitS = error instanceof AnswerFailed ? (error.failure.retryAfterS ?? 0) : 0;
    return Math.max(ms, waitS * 1000);
  };

/** Reads the text of one of our answers. Anything unexpected in it makes the whole answer `malformed`. */
type Reader<T> = (text: string) => Outcome<T>;

/** @param what name of the answer in the message: `The listing cannot be read.` */
export function answerReader<T>(schema: { parse: (value: unknown) => T }, what: string): Reader<T> {
  return (text) => {
    try {
      return ok(schema.parse(JSON.parse(text)));
    } catch {
      return failed({ kind: 'malformed', detail: `The ${what} cannot be read.` });
    }
  };
}

function readOrThrow<T>(text: Outcome<string>, read: Reader<T>): T {
  const answer = text.ok ? read(text.value) : text;
  if (!answer.ok) throw new AnswerFailed(answer.failure);
  return answer.value;
}

/** GETs and reads an answer of our own. @throws AnswerFailed */
export async function getAnswer<T>(path: string, read: Reader<T>, signal: AbortSignal): Promise<T> {
  return readOrThrow(await fetchGatewayText(path, signal), read);
}

/** POSTs and reads an answer of our own. @param body sent as JSON @throws AnswerFailed */
export async function postForAnswer<T>(
  path: string,
  read: Reader<T>,
  timeoutMs: number,
  body?: unknown,
): Promise<T> {
  const sent = { body: body === undefined ? '' : JSON.stringify(body), timeoutMs };
  return readOrThrow(await fetchGatewayText(path, new AbortController().signal, sent), read);
}
