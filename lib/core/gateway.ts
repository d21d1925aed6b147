import { type Failure, failed, type Outcome, ok } from './outcome';
import { failureOfProblem, readProblem } from './problem';
import { retryAfterSeconds } from './retry-after';

/** Our server gives up on a service after 15 s; what takes longer than this is our own server, or the way to it. */
const TIMEOUT_MS = 20_000;

/** @param headers of the answer: a proxy in front of us may name a wait there alone */
export function failureOfAnswer(text: string, status: number, headers?: Headers): Failure {
  const failure = failureOfProblem(readProblem(text, status));
  const asked = { retryAfter: headers?.get('retry-after'), date: headers?.get('date') };
  const named = failure.retryAfterS ?? (headers && retryAfterSeconds(status, asked, Date.now()));
  return named === undefined ? failure : { ...failure, retryAfterS: named };
}

/**
 * A route of our own as text, with every digit. Failures are values: those that our server explains, and the two that it
 * can't (`unreachable`, `timeout`), without a service. Rejects only when aborted. @param body JSON, which makes it a POST
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

/** Why there is no answer, for react-query, which tells of failures by what is thrown. */
export class AnswerFailed extends Error {
  /** When it is asked for again by itself, unix ms, while that is waited for. */
  retryAtMs?: number;

  constructor(readonly failure: Failure) {
    super(failure.detail);
  }
}

/** A poll of react-query every so many ms, but never before the end of a wait that the last answer named. */
export const pollEvery =
  (ms: number) =>
  ({ state: { error } }: { state: { error: Error | null } }): number => {
    const waitS = error instanceof AnswerFailed ? (error.failure.retryAfterS ?? 0) : 0;
    return Math.max(ms, waitS * 1000);
  };

/** Reads the text of an answer of ours, whole or not at all: it fails with `malformed`. */
type Reader<T> = (text: string) => Outcome<T>;

/** @param what the answer is called: `The listing cannot be read.` */
export function answerReader<T>(schema: { parse: (value: unknown) => T }, what: string): Reader<T> {
  return (text) => {
    try {
      return ok(schema.parse(JSON.parse(text)));
    } catch {
      return failed({ kind: 'malformed', detail: `The ${what} cannot be read.` });
    }
  };
}

function answerOf<T>(text: Outcome<string>, read: Reader<T>): T {
  const answer = text.ok ? read(text.value) : text;
  if (!answer.ok) throw new AnswerFailed(answer.failure);
  return answer.value;
}

/** The answer of a route of our own. @throws AnswerFailed */
export async function getAnswer<T>(path: string, read: Reader<T>, signal: AbortSignal): Promise<T> {
  return answerOf(await fetchGatewayText(path, signal), read);
}

/** The same after a POST, waited for so long. @param body sent as JSON @throws AnswerFailed */
export async function postForAnswer<T>(
  path: string,
  read: Reader<T>,
  timeoutMs: number,
  body?: unknown,
): Promise<T> {
  const sent = { body: body === undefined ? '' : JSON.stringify(body), timeoutMs };
  return answerOf(await fetchGatewayText(path, new AbortController().signal, sent), read);
}
