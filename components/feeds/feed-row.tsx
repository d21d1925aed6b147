'use client';
import { Anchor, Text } from '@mantine/core';
import type { Route } from 'next';
import { memo } from 'react';
import { useNow } from '@/components/ui/clock';
import { Icon } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { distinctName } from '@/lib/core/feed';
import { formatAge, formatSpan } from '@/lib/core/time';
import type { FeedName } from '@/lib/feeds/board-url';
import { exactText } from '@/lib/feeds/client/history';
import { useFeed, useFeedAlerts, useFeedState, useStream } from '@/lib/feeds/client/hooks';
import { confidenceInBps } from '@/lib/feeds/client/update-rows';
import { feedPagePath } from '@/lib/feeds/page-url';
import { AlertButton } from './alerts';
import { GripButton, PairName, RemoveButton } from './feed-frame';
import { FeedSparkline } from './feed-sparkline';
import { DayMove, FEED_STATES, type FeedState, NO_VALUE, ShortNumber, WindowMove } from './figures';
import classes from './list.module.css';

type RowProps = { feed: FeedName; windowMs: number; onRemove: (key: string) => void };

export const FeedRow = memo(function FeedRow({ feed, windowMs, onRemove }: RowProps) {
  const { id, symbol } = feed;
  const { state, opensAtMs } = useFeedState(feed);
  return (
    <section className={classes.row} aria-label={symbol} data-state={state} data-alerts={useFeedAlerts(id)}>
      <GripButton name={symbol} />
      <Text
        component="h2"
        className={classes.name}
        size="md"
        fw={650}
        title={`${symbol}\n${feed.description ?? ''}`}
      >
        {/* Not prefetched, because a board has up to a hundred of these links. */}
        <Anchor component={Link} inherit c="inherit" href={feedPagePath(id) as Route}>
          <PairName name={symbol} />
        </Anchor>
        <span className={classes.description} aria-hidden="true">
          {distinctName(symbol, feed.description ?? '')}
        </span>
      </Text>
      <FeedSparkline feed={feed} windowMs={windowMs} />
      <Figures id={id} windowMs={windowMs} state={state} opensAtMs={opensAtMs} />
      <span className={classes.actions}>
        <AlertButton feed={feed} />
        <RemoveButton name={symbol} onRemove={() => onRemove(id)} />
      </span>
    </section>
  );
});

type FiguresProps = { id: string; windowMs: number; state: FeedState; opensAtMs?: number | undefined };

function Figures({ id, windowMs, state, opensAtMs }: FiguresProps) {
  const { latest } = useFeed(id);
  return (
    <>
      <span className={classes.price}>
        {latest ? <ShortNumber value={latest.price} figure="price" /> : NO_VALUE}
      </span>
      <span className={classes.change}>{latest && <WindowMove latest={latest} windowMs={windowMs} />}</span>
      <span className={classes.day}>{latest && <DayMove latest={latest} />}</span>
      <span className={classes.confidence} data-fact="Confidence">
        {latest && <span title={`±${exactText(latest.conf)}`}>{confidenceInBps(latest)}</span>}
      </span>
      <StateAndAge
        state={state}
        publishedMs={latest?.misdating === undefined ? latest && latest.publishTimeS * 1000 : undefined}
        opensAtMs={opensAtMs}
      />
    </>
  );
}

type AgeProps = {
  state: FeedState;
  publishedMs: number | undefined;
  opensAtMs: number | undefined;
};

/** The state is a word unless the price is current. */
function StateAndAge({ state, publishedMs, opensAtMs }: AgeProps) {
  const nowMs = useNow() - useStream().skewMs;
  const { label, icon, tone } = FEED_STATES[state];
  const age = publishedMs === undefined ? '' : formatAge(nowMs - publishedMs);
  const until = opensAtMs === undefined ? '' : `, opens in ${formatSpan(opensAtMs - nowMs)}`;
  return (
    <span className={classes.age} title={`${label}${until}`}>
      <span style={{ color: `var(--ks-${tone})` }}>
        <Icon name={icon} size={12} />{' '}
        <span className={state === 'fresh' ? 'sr-only' : undefined}>
          {label}
          {until}
        </span>
      </span>{' '}
      {age}
    </span>
  );
}

type UnnamedProps = { text: string; isSearching: boolean; onRemove: (key: string) => void };

/** Row of a text in the URL that is not a known symbol, or not yet. */
export function UnnamedRow({ text, isSearching, onRemove }: UnnamedProps) {
  return (
    <section className={classes.row} aria-label={text} data-state={isSearching ? 'searching' : 'missing'}>
      <GripButton name={text} />
      <Text component="h2" className={classes.name} size="md" fw={650} title={text}>
        <PairName name={text} />
      </Text>
      <span className={classes.missing}>
        {isSearching ? 'Searching for the symbol…' : 'Unknown feed: no feed has this symbol. Use its id.'}
      </span>
      <span className={classes.actions}>
        <RemoveButton name={text} onRemove={() => onRemove(text)} />
      </span>
    </section>
  );
}
