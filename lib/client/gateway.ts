import { readProblem } from '@/lib/contract/codec/problem';
import type { Failure, Outcome } from '@/lib/domain/outcome';
import { failed, ok } from '@/lib/domain/outcome';
import type { Problem, ProblemKind } from '@/lib/domain/problem';

/** Our server gives up on a service after 15 s; what takes longer than this is our own server, or the way to it. */
const PATIENCE_MS = 20_000;

/** Refusals at our own door are all one to a page: a question that it should not have asked. */
function failureKind(kind: ProblemKind): Failure['kind'] {
  switch (kind) {
    case 'not-signed-in':
    case 'forbidden':
    case 'no-such-route':
    case 'method':
    case 'misdirected':
      return 'bad-request';
    default:
      return kind;
  }
}

function failureOf(problem: Problem): Failure {
  const { service, detail, retryAfterS } = problem;
  return { kind: failureKind(problem.kind), service, detail, retryAfterS };
}

/**
 * Gets a route of our own as text, so that the caller can parse it without losing a digit. Failures are values: those
 * that our server explains, and the two that it can't (`unreachable`, `timeout`), which then name no service.
 * Rejects only when `signal` is aborted.
 */
export async function fetchGatewayText(path: string, signal: AbortSignal): Promise<Outcome<string>> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  try {
    const response = await fetch(path, { signal: AbortSignal.any([signal, patience]), cache: 'no-store' });
    const text = await response.text();
    return response.ok ? ok(text) : failed(failureOf(readProblem(text, response.status)));
  } catch (error) {
    if (signal.aborted) throw error;
    if (patience.aborted) return failed({ kind: 'timeout', detail: 'No answer within 20 seconds.' });
    return failed({ kind: 'unreachable', detail: 'No connection.' });
  }
}
