'use client';
import { useEffect, useState } from 'react';
import { useAnnounce } from '@/lib/client/announce';
import { type Following, follow, type Mark, NOTHING_FOLLOWED } from '@/lib/client/following';
import { countOf } from '@/lib/client/human-number';
import type { LoadedRequests } from '@/lib/client/requests';

/** The rows to show of all that came, what changed with them, and what waits while somebody reads (`held`). */
export function useFollowed(latest: LoadedRequests | undefined, hold: 'held' | 'free'): Following {
  const [before, setBefore] = useState(NOTHING_FOLLOWED);
  const now = follow(before, latest, hold);
  if (now !== before) setBefore(now);
  const announce = useAnnounce();
  const words = now.skippedAtMs === undefined ? marksWords(now.marks) : SKIPPED;
  useEffect(() => {
    if (words !== undefined) announce(words);
  }, [announce, words]);
  return now;
}

const SKIPPED = 'More requests came than fit on the page: some were not shown';

function marksWords(marks: ReadonlyMap<string, Mark>): string | undefined {
  if (marks.size === 0) return undefined;
  const added = [...marks.values()].filter((mark) => mark === 'new').length;
  return `${countOf(String(added), 'new request', 'new requests')}, ${marks.size - added} changed`;
}
