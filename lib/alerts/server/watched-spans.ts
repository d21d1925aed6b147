import 'server-only';
import { readSpans, type Span } from '@/lib/alerts/watched';
import { IndexNotWritableError } from '@/lib/store/engine';
import { readFact, writeFact } from '@/lib/store/queries/sync';
import type { IndexStore } from '@/lib/store/store';

/** Names of the stored facts about a keeper that hold the times. */
const FACTS = { stuck: 'watched', degraded: 'watched-degraded' } as const;
type Examined = keyof typeof FACTS;

/** The stored spans, or none. */
export async function storedSpans(index: IndexStore, keeper: string, examined: Examined): Promise<Span[]> {
  const [keeperId] = index.keeperIds([keeper]);
  return keeperId === undefined ? [] : readSpans(await readFact(index.engine, keeperId, FACTS[examined]));
}

/** Does nothing while the index is not writable, which it reports itself. */
export async function storeSpans(
  index: IndexStore,
  spans: ReadonlyMap<string, readonly Span[]>,
  examined: Examined,
): Promise<void> {
  const storing = index.write(async (session) => {
    for (const [keeper, ofKeeper] of spans) {
      const [keeperId] = index.keeperIds([keeper]);
      if (keeperId !== undefined)
        await writeFact(session, keeperId, FACTS[examined], JSON.stringify(ofKeeper));
    }
    return { result: undefined, isChange: false };
  });
  await storing.catch((error: unknown) => {
    if (!(error instanceof IndexNotWritableError)) throw error;
  });
}
