import { type Failure, failed, type Outcome, ok } from './outcome';
import { failureOfProblem, readProblem } from './problem';
import { retryAfterSeconds } from './retry-after';

/** The server gives up on a service after 15 s, so a longer wait means a slow server or a slow way to it. */
const TIMEOUT_MS = 20_000;

/** @param headers a proxy in front of us may send `Retry-After` without a problem body */
export function failureOfAnswer(text: string, status: number, headers?: Headers): Failure {
  const failure = failureOfProblem(readProblem(text, status));
  const retryHeaders = { retryAfter: headers?.get('retry-after'), date: headers?.get('date') };
  const named = failure.retryAfterS ?? (headers && retryAfterSeconds(status, retryHeaders, Date.now()));
  return named === undefined ? failure : { ...failure, retryAfterS: named };
}

/** When our server received the answer of a service, unix ms. This computer's clock may be wrong. */
export const RECEIVED_HEADER = 'x-received-ms';

type FetchOptions = {
  /** JSON; turns the call into a POST. */
  body?: string | undefined;
  timeoutMs?: number;
};

/** `receivedMs` is by our server's clock; without an answer of it, by this computer's. */
export type ReceivedText = { readonly text: Outcome<string>; readonly receivedMs: number };

/**
 * Fetches one of our routes as text, with every digit. Our server explains failures, except `unreachable` and `timeout`.
 * @throws only if aborted
 */
export const fetchGatewayText = async (path: string, signal: AbortSignal, options: FetchOptions = {}) =>
  (await fetchReceivedText(path, signal, options)).text;

/** Else like `fetchGatewayText`. */
export async function fetchReceivedText(
  path: string,
  signal: AbortSignal,
  { body, timeoutMs = TIMEOUT_MS }: FetchOptions,
): Promise<ReceivedText> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const post = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
  try {
    const response = await fetch(path, {
      ...(body === undefined ? {} : post),
      signal: AbortSignal.any([signal, timeout]),
      cache: 'no-store',
    });
    const { ok: isOk, status, headers } = response;
    const text = await response.text();
    return {
      text: isOk ? ok(text) : failed(failureOfAnswer(text, status, headers)),
      receivedMs: Number(headers.get(RECEIVED_HEADER)) || Date.now(),
    };
  } catch (error) {
    if (signal.aborted) throw error;
    const failure: Failure = timeout.aborted
      ? { kind: 'timeout', detail: `No answer within ${timeoutMs / 1000} seconds.` }
      : { kind: 'unreachable', detail: 'No connection.' };
    return { text: failed(failure), receivedMs: Date.now() };
  }
}

/** React-query reports only thrown failures. */
export class AnswerFailed extends Error {
  /** Time of the next automatic retry, unix ms; undefined if none is scheduled. */
  retryAtMs?: number;

  constructor(readonly failure: Failure) {
    super(failure.detail);
  }
}

/** Interval of react-query: `ms`, or longer if the last answer requested a longer wait. */
export const pollEvery =
  (ms: number) =>
  ({ state: { error } }: { state: { error: Error | null } }): number => {
    const waitS = error instanceof AnswerFailed ? (error.failure.retryAfterS ?? 0) : 0;
    return Math.max(ms, waitS * 1000);
  };

/** Anything unexpected makes the whole answer `malformed`. */
type Reader<T> = (text: string) => Outcome<T>;

/** @param what subject of the message: `The listing cannot be read.` */
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

/** @throws AnswerFailed */
export async function getAnswer<T>(path: string, read: Reader<T>, signal: AbortSignal): Promise<T> {
  return readOrThrow(await fetchGatewayText(path, signal), read);
}

/** @param body sent as JSON @throws AnswerFailed */
export async function postForAnswer<T>(
  path: string,
  read: Reader<T>,
  timeoutMs: number,
  body?: unknown,
): Promise<T> {
  const sent = { body: body === undefined ? '' : JSON.stringify(body), timeoutMs };
  return readOrThrow(await fetchGatewayText(path, new AbortController().signal, sent), read);
}
