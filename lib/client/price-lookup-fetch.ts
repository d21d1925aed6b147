import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import { failureOfAnswer } from './gateway';
import type { LookupRequest } from './price-lookup';

/** Our server lets a call wait 10 s for its budget and 15 s for its service; what takes longer is our own fault. */
const PATIENCE_MS = 30_000;

/**
 * Makes a call of our gateway and gives the service's own text. Failures are values, as in `fetchGatewayText`. Rejects only
 * when `signal` is aborted.
 */
export async function fetchLookup(request: LookupRequest, signal: AbortSignal): Promise<Outcome<string>> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const address = request.method === 'GET' ? `${request.path}?${request.query}` : request.path;
  try {
    const response = await fetch(address, {
      method: request.method,
      cache: 'no-store',
      signal: AbortSignal.any([signal, patience]),
      ...(request.method === 'POST'
        ? { body: request.body, headers: { 'content-type': 'application/json' } }
        : {}),
    });
    const text = await response.text();
    return response.ok ? ok(text) : failed(failureOfAnswer(text, response.status));
  } catch (error) {
    if (signal.aborted) throw error;
    if (patience.aborted) return failed({ kind: 'timeout', detail: 'No answer within 30 seconds.' });
    return failed({ kind: 'unreachable', detail: 'No connection.' });
  }
}
