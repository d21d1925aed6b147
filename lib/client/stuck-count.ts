'use client';
import { useQuery } from '@tanstack/react-query';
import type { Outcome } from '@/lib/domain/outcome';
import { fetchGatewayText } from './gateway';

/**
 * What the navigation says of stuck requests. It stands on every page, so it reads two members of the answer and not the
 * whole of it: everything that reads incidents stays out of the pages that show none.
 */
export type StuckCount =
  | { kind: 'stuck'; stuck: number; whole: 'yes' | 'no' }
  /** `unasked`: no request log service is configured, so there is nothing to be known. */
  | { kind: 'nothing-stuck' | 'not-known' | 'looking' | 'unasked' };

/** Query key under which the page of pending requests puts what it has just learnt. */
export const STUCK_COUNT = ['stuck-count'];

/** Nobody looks at the navigation every second. */
const USUAL_MS = 30_000;
const LOOKING_MS = 3000;

const NOT_KNOWN: StuckCount = { kind: 'not-known' };
const LOOKING: StuckCount = { kind: 'looking' };

type Answer = {
  state?: unknown;
  standing?: { kind?: unknown };
  counts?: { stuck?: unknown; missing?: unknown; unreadable?: unknown };
};

/** Reads the answer about all pending requests, or an object with the same members; anything else is `not-known`. */
export function stuckCountOf({ state, standing, counts }: Answer): StuckCount {
  const stuck = counts?.stuck;
  if (standing?.kind === 'stuck' && typeof stuck === 'number') {
    const isWhole = state === 'complete' && counts?.missing === 0 && counts.unreadable === 0;
    return { kind: 'stuck', stuck, whole: isWhole ? 'yes' : 'no' };
  }
  if (state === 'gathering') return LOOKING;
  return standing?.kind === 'nothing-stuck' ? { kind: 'nothing-stuck' } : NOT_KNOWN;
}

/** Reads what our route said, or why it said nothing. */
export function readStuckCount(answer: Outcome<string>): StuckCount {
  if (!answer.ok) return answer.failure.kind === 'unconfigured' ? { kind: 'unasked' } : NOT_KNOWN;
  try {
    const value: unknown = JSON.parse(answer.value);
    return typeof value === 'object' && value !== null ? stuckCountOf(value) : NOT_KNOWN;
  } catch {
    return NOT_KNOWN;
  }
}

/** Asked for every half minute, and soon again while the server is looking. */
export function useStuckCount(): StuckCount {
  const { data } = useQuery({
    queryKey: STUCK_COUNT,
    queryFn: async ({ signal }) => readStuckCount(await fetchGatewayText('/api/view/pending?most=0', signal)),
    staleTime: 5000,
    refetchInterval: ({ state }) => (state.data?.kind === 'looking' ? LOOKING_MS : USUAL_MS),
  });
  return data ?? LOOKING;
}
