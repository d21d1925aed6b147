'use client';
import type { QueryObserverResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Failure, Outcome } from '@/lib/core/outcome';
import { type ReceivedNews, useRevision } from '@/lib/requests/use-revision';

/** What is known, and beside it, when the last attempt failed, why: two questions, two members. */
export type Looked<T> = {
  answer: T | undefined;
  trouble: { failure: Failure; attempts: number } | undefined;
};

/** After an answer that came, or did not: what was known stays. */
export function lookedAfter<T>(outcome: Outcome<T>, before: Looked<T> | undefined): Looked<T> {
  if (outcome.ok) return { answer: outcome.value, trouble: undefined };
  const attempts = (before?.trouble?.attempts ?? 0) + 1;
  return { answer: before?.answer, trouble: { failure: outcome.failure, attempts } };
}

/** An answer about how things stand, from one revision of the index. */
type OfRevision = { revision: number };

/** Ages and counts by age change without a new revision. */
const OLDEST_MS = 10_000;

/** Whether the index has moved on since an answer came. `settled`: there is nothing more to come. */
export function isBehind(
  answer: OfRevision | 'settled' | undefined,
  receivedAtMs: number,
  news: Pick<ReceivedNews, 'revision' | 'receivedAtMs'> | undefined,
): boolean {
  if (news === undefined || answer === 'settled') return false;
  return news.revision !== answer?.revision || news.receivedAtMs - receivedAtMs >= OLDEST_MS;
}

/**
 * Asks again as the index moves on: by the news of its revisions, so only while the page can be seen.
 * @param leastMs at the earliest so long after the last answer
 */
export function useAskedAgain(
  answer: OfRevision | 'settled' | undefined,
  { dataUpdatedAt, refetch }: Pick<QueryObserverResult, 'dataUpdatedAt' | 'refetch'>,
  leastMs: number,
): void {
  const news = useRevision();
  const behind = isBehind(answer, dataUpdatedAt, news);
  useEffect(() => {
    if (!behind) return;
    const waitMs = Math.max(0, dataUpdatedAt + leastMs - Date.now());
    const timer = setTimeout(() => void refetch(), waitMs);
    return () => clearTimeout(timer);
  }, [behind, dataUpdatedAt, refetch, leastMs]);
}
