import { getAnswer } from '@/lib/core/gateway';
import { readSearchResult, type SearchResult } from '@/lib/requests/requests-response';

/** Path of a search over all keepers and all time. @param q a canonical hash, address or sequence */
export const findAddress = (q: string) => `/api/view/requests/find?${new URLSearchParams({ q })}`;

/** Undefined unless there is exactly one match. */
export function onlyMatch({ total, rows: [only] }: SearchResult): string | undefined {
  return total === '1' && only?.kind === 'record' ? only.key : undefined;
}

/** Short, because somebody has pressed Enter and is waiting. */
const TIMEOUT_MS = 4000;

/** The key of the only match; undefined also if the search failed or took too long. */
export async function findOnly(q: string): Promise<string | undefined> {
  const answer = getAnswer(findAddress(q), readSearchResult, AbortSignal.timeout(TIMEOUT_MS));
  return answer.then(onlyMatch, () => undefined);
}
