import { failureOfProblem, readProblem } from '@/lib/contract/codec/problem';
import type { Failure, Outcome } from '@/lib/domain/outcome';
import { failed, ok } from '@/lib/domain/outcome';

/** Our server gives up on a service after 15 s; what takes longer than this is our own server, or the way to it. */
const PATIENCE_MS = 20_000;

/** The failure that an answer of a route of ours explains. */
export function failureOfAnswer(text: string, status: number): Failure {
  return failureOfProblem(readProblem(text, status));
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
    return response.ok ? ok(text) : failed(failureOfAnswer(text, response.status));
  } catch (error) {
    if (signal.aborted) throw error;
    if (patience.aborted) return failed({ kind: 'timeout', detail: 'No answer within 20 seconds.' });
    return failed({ kind: 'unreachable', detail: 'No connection.' });
  }
}
