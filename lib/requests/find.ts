import { getAnswer } from '@/lib/core/gateway';
import { readSearchResult, type SearchResult } from './requests-response';

/** URL of the search over all keepers and all time. @param q a canonical hash, address or sequence */
export const findAddress = (q: string) => `/api/view/requests/find?${new URLSearchParams({ q })}`;

/** The key of the only request that an id stands for; undefined where it stands for none, or for several. */
export function onlyMatch({ total, rows: [only] }: SearchResult): string | undefined {
  return total === '1' && only?.kind === 'record' ? only.key : undefined;
}

/** Timeout, since somebody has pressed Enter and waits. */
const TIMEOUT_MS = 4000;

/** Searches an id. @returns the key of its only request; undefined also where the look-up failed or took too long */
export async function findOnly(q: string): Promise<string | undefined> {
  const answer = getAnswer(findAddress(q), readSearchResult, AbortSignal.timeout(TIMEOUT_MS));
  return answer.then(onlyMatch, () => undefined);
}
