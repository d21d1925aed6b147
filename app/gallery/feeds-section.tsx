'use client';
import { useState } from 'react';
import { FeedCard } from '@/components/feeds/feed-card';
import { StreamStatus } from '@/components/feeds/stream-status';
import { FeedStoreProvider } from '@/lib/client/feed-hooks';
import type { FeedConnection, FeedConnectionState } from '@/lib/contract/codec/feed-stream';
import { FEED_CASES, toldStore } from './feed-fixtures';
import classes from './gallery.module.css';
import { GallerySection, Specimen } from './specimen';

const nothing = () => {};
/** What a card’s chart reaches back. */
const WINDOW_MS = 300_000;
const STATES: readonly FeedConnectionState[] = ['connecting', 'live', 'quiet', 'reconnecting', 'failed'];

function connectionOf(state: FeedConnectionState, nowMs: number): FeedConnection {
  const failure =
    state === 'reconnecting' || state === 'failed'
      ? { kind: 'unreachable', detail: 'No connection.', retryAfterS: 20 }
      : undefined;
  return { state, sinceMs: nowMs - 60_000, failure };
}

function Status({ state, nowMs }: { state: FeedConnectionState; nowMs: number }) {
  const [store] = useState(() => toldStore(nowMs, connectionOf(state, nowMs)));
  return (
    <FeedStoreProvider value={store}>
      <StreamStatus writtenAtMs={nowMs} />
    </FeedStoreProvider>
  );
}

function Cards({ nowMs }: { nowMs: number }) {
  const [store] = useState(() => toldStore(nowMs, connectionOf('live', nowMs)));
  const times = { writtenAtMs: nowMs, floors: { lateS: 60, staleS: 600 } };
  return (
    <FeedStoreProvider value={store}>
      <div className={classes.cards}>
        {FEED_CASES.map(({ id, symbol, schedule }) => (
          <FeedCard
            key={id}
            feed={{ id, symbol, assetType: 'Crypto', description: 'A feed of the gallery', schedule }}
            times={times}
            windowMs={WINDOW_MS}
            onRemove={nothing}
          />
        ))}
      </div>
    </FeedStoreProvider>
  );
}

/** The live board: its connection and its cards. */
export function FeedsSection({ nowMs }: { nowMs: number }) {
  return (
    <GallerySection name="feeds">
      {STATES.map((state) => (
        <Specimen key={state} name={`Connection: ${state}`} height="6rem">
          <Status state={state} nowMs={nowMs} />
        </Specimen>
      ))}
      <Specimen name="Cards: current, late, stale, closed, long numbers, waiting, unknown">
        <Cards nowMs={nowMs} />
      </Specimen>
    </GallerySection>
  );
}
