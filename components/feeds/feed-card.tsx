'use client';
import { Anchor, Group, Text } from '@mantine/core';
import type { Route } from 'next';
import { memo, type ReactNode } from 'react';
import { useNow } from '@/components/ui/clock';
import { Link } from '@/components/ui/link';
import { useMoment } from '@/components/ui/time-style';
import { distinctName } from '@/lib/core/feed';
import { formatAge, formatSpan } from '@/lib/core/time';
import type { FeedName } from '@/lib/feeds/board-url';
import {
  type AlertPhaseOfFeed,
  useFeed,
  useFeedAlerts,
  useFeedState,
  useStream,
} from '@/lib/feeds/client/hooks';
import { feedPagePath } from '@/lib/feeds/page-url';
import { AlertButton } from './alerts';
import classes from './board.module.css';
import { GripButton, PairName, RemoveButton } from './feed-frame';
import { FeedSparkline } from './feed-sparkline';
import {
  FeedFigure,
  type FeedState,
  FeedStateBadge,
  Misdated,
  NO_VALUE,
  ShortNumber,
  Spread,
  WindowMove,
} from './figures';

type CardProps = {
  feed: FeedName;
  windowMs: number;
  onRemove: (key: string) => void;
};

export const FeedCard = memo(function FeedCard({ feed, windowMs, onRemove }: CardProps) {
  const { state, opensAtMs } = useFeedState(feed);
  const { id } = feed;
  return (
    <CardFrame
      feed={feed}
      name={feed.symbol}
      state={state}
      alerts={useFeedAlerts(id)}
      onRemove={() => onRemove(id)}
    >
      <Price id={id} windowMs={windowMs} opensAtMs={opensAtMs} />
      {state === 'missing' ? (
        <>
          <Notice>Unknown to the price update service. Check the id, or remove the feed.</Notice>
          <NoFacts />
        </>
      ) : (
        <FeedSparkline feed={feed} windowMs={windowMs} facts={<Facts id={id} />} />
      )}
    </CardFrame>
  );
});

/** A notice that takes the place of the chart, so that nothing else moves. */
function Notice({ children }: { children: ReactNode }) {
  return (
    <Text h="var(--ks-spark)" px="sm" bg="var(--ks-warn-wash)" size="sm" style={{ overflow: 'auto' }}>
      {children}
    </Text>
  );
}

type UnnamedProps = { text: string; isSearching: boolean; onRemove: (key: string) => void };

/** Card of a text in the URL that is not a known symbol, or not yet. */
export function UnnamedCard({ text, isSearching, onRemove }: UnnamedProps) {
  return (
    <CardFrame name={text} state={isSearching ? 'searching' : 'missing'} onRemove={() => onRemove(text)}>
      <Price id={text} windowMs={0} />
      <Notice>
        {isSearching ? 'Searching for the symbol…' : 'No feed has this symbol. Search above, or use its id.'}
      </Notice>
      <NoFacts />
    </CardFrame>
  );
}

type FrameProps = {
  /** Absent if no feed has the name. */
  feed?: FeedName;
  name: string;
  state: FeedState;
  alerts?: AlertPhaseOfFeed;
  onRemove: () => void;
  children: ReactNode;
};

function CardFrame({ feed, name, state, alerts, onRemove, children }: FrameProps) {
  return (
    <section className={classes.card} aria-label={name} data-state={state} data-alerts={alerts}>
      <Group component="header" gap={4} wrap="nowrap" mih="1.5rem">
        <Text component="h2" miw={0} size="lg" fw={650} title={feed?.description ?? name}>
          {feed === undefined ? (
            <PairName name={name} />
          ) : (
            // Not prefetched, because a board has up to a hundred of these links.
            <Anchor component={Link} inherit c="inherit" href={feedPagePath(feed.id) as Route}>
              <PairName name={name} />
            </Anchor>
          )}
        </Text>
        {state === 'fresh' ? <span className="sr-only">Current</span> : <FeedStateBadge state={state} />}
        <span className={classes.description} aria-hidden="true">
          {feed && distinctName(feed.symbol, feed.description ?? '')}
        </span>
        <GripButton name={name} />
        {feed && <AlertButton feed={feed} />}
        <RemoveButton name={name} onRemove={onRemove} />
      </Group>
      {children}
    </section>
  );
}

type PriceProps = { id: string; windowMs: number; opensAtMs?: number | undefined };

function Price({ id, windowMs, opensAtMs }: PriceProps) {
  const { latest } = useFeed(id);
  // Full height before the first price, so that nothing moves when it comes.
  if (latest === undefined) return <p className={classes.price}>{NO_VALUE}</p>;
  return (
    <p className={classes.price}>
      <span className="sr-only">Price </span>
      <ShortNumber value={latest.price} figure="price" />
      {opensAtMs === undefined ? (
        <WindowMove latest={latest} windowMs={windowMs} hasMore />
      ) : (
        <Opening atMs={opensAtMs} />
      )}
    </p>
  );
}

function Opening({ atMs }: { atMs: number }) {
  const nowMs = useNow() - useStream().skewMs;
  const { title, iso } = useMoment(atMs);
  return (
    <time className={classes.opening} dateTime={iso} title={title}>
      opens in {formatSpan(atMs - nowMs)}
    </time>
  );
}

function Facts({ id }: { id: string }) {
  const { latest, misdated } = useFeed(id);
  const isDated = latest?.misdating === undefined;
  return (
    <>
      <Spread latest={latest} />
      <FeedFigure name="Age">
        {latest && isDated && <Age publishedMs={latest.publishTimeS * 1000} />}
      </FeedFigure>
      <Misdated misdated={misdated} />
    </>
  );
}

/** Placeholder as high as the figures of other cards. */
function NoFacts() {
  return (
    <dl className={classes.facts}>
      {['High', 'Low', 'Confidence', 'EMA', 'Age'].map((name) => (
        <FeedFigure key={name} name={name}>
          {NO_VALUE}
        </FeedFigure>
      ))}
    </dl>
  );
}

function Age({ publishedMs }: { publishedMs: number }) {
  const nowMs = useNow() - useStream().skewMs;
  const { title, iso } = useMoment(publishedMs);
  return (
    <time className={classes.age} dateTime={iso} title={`Published\n${title}`}>
      {formatAge(nowMs - publishedMs)}
    </time>
  );
}
