'use client';
import { useQuery } from '@tanstack/react-query';
import type { Failure } from '@/lib/core/outcome';
import type { RequestState } from '@/lib/core/request-record';
import { followedQuery, useFollowed } from '@/lib/requests/client/use-followed';
import { locatorOfKey, type RequestLocator, requestApiPath } from '@/lib/requests/request-address';
import { type ListedRow, type RequestAnswer, readRequestAnswer } from '@/lib/requests/requests-response';

/** Only the related requests of a finished request still change. */
const FINISHED_MS = 15_000;
const OPEN_MS = 500;

const isOpen = ({ kind }: RequestState) => kind === 'pending' || kind === 'unknown';

/** Refetched when the index changes. `first` is the server's answer. */
export function useRequest(locator: RequestLocator | undefined, first?: RequestAnswer) {
  const query = useQuery({
    ...followedQuery(locator === undefined ? '' : requestApiPath(locator), readRequestAnswer),
    enabled: locator !== undefined,
    ...(first === undefined ? {} : { initialData: first, initialDataUpdatedAt: first.atMs }),
    staleTime: 5_000,
  });
  const rows = query.data?.rows ?? [];
  const isSettled = rows.length > 0 && !rows.some(({ state }) => isOpen(state));
  const { answer, trouble } = useFollowed(query, { minMs: isSettled ? FINISHED_MS : OPEN_MS });
  return { answer, failure: trouble };
}

const NOT_FOUND: Failure = { kind: 'missing', service: 'logs', detail: 'No such request in the log.' };

/** The open row, from the loaded `rows` or else from the index; undefined while loading. */
export function useOpenRow(
  key: string | undefined,
  rows: readonly ListedRow[],
): { row?: ListedRow | undefined; failure?: Failure | undefined } {
  const loaded = rows.find((row) => row.key === key);
  const locator = key === undefined || loaded !== undefined ? undefined : locatorOfKey(key);
  const { answer, failure } = useRequest(locator);
  const row = loaded ?? answer?.rows.find((candidate) => candidate.key === key);
  if (row !== undefined || failure !== undefined) return { row, failure };
  return locator === undefined || answer !== undefined ? { failure: NOT_FOUND } : {};
}
