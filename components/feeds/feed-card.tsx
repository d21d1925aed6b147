'use client';
import { ActionIcon, Anchor, Group, Text } from '@mantine/core';
import type { Route } from 'next';
import { memo, type ReactNode } from 'react';
import { useNow } from '@/components/ui/clock';
import { Icon } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { useMoment, useMomentWords } from '@/components/ui/time-style';
import { formatAge, formatSpan } from '@/lib/core/time';
import type { FeedName } from '@/lib/feeds/board-url';
import { exactPrice, windowStart } from '@/lib/feeds/client/history';
import {
  useCurrency,
  useFeed,
  useFeedAlerts,
  useFeedStatus,
  useFeedStore,
  useStream,
} from '@/lib/feeds/client/hooks';
import type { FeedCurrency } from '@/lib/feeds/feed-cadence';
import { feedPagePath } from '@/lib/feeds/page-url';
import type { CompactFeed } from '@/lib/feeds/stream-events';
import { AlertButton } from './alerts';
import classes from './board.module.css';
import { FeedSparkline } from './feed-sparkline';
import shared from './feeds.module.css';
import { ExactNumber, type FeedState, Figure, Move, NOTHING, Spread, StateBadge } from './figures';

type CardProps = {
  feed: FeedName;
  /** How far back its change and its sparkline look. */
  windowMs: number;
  onRemove: (key: string) => void;
};

/** One feed of the board: exact numbers, their age, and how they moved over the window. */
export const FeedCard = memo(function FeedCard({ feed, windowMs, onRemove }: CardProps) {
  const status = useFeedStatus(feed.id);
  const currency = useCurrency(feed);
  const alerts = useFeedAlerts(feed.id);
  return (
    <CardFrame
      name={feed.symbol}
      detail={feed.description}
      page={feedPagePath(feed.id)}
      state={status === 'known' ? (currency?.word ?? 'waiting') : status}
      alerts={alerts}
      bell={<AlertButton feed={feed} look={alerts} />}
      onRemove={() => onRemove(feed.id)}
    >
      <Price id={feed.id} windowMs={windowMs} />
      {status === 'missing' ? (
        <Notice>Unknown to the price update service. Check the id, or remove the feed.</Notice>
      ) : (
        <FeedSparkline id={feed.id} symbol={feed.symbol} windowMs={windowMs} />
      )}
      <Facts id={feed.id} currency={currency} />
    </CardFrame>
  );
});

/** It stands where the chart would, so nothing else moves. */
function Notice({ children }: { children: ReactNode }) {
  return (
    <Text h="var(--ks-spark)" px="sm" bg="var(--ks-warn-wash)" size="sm" style={{ overflow: 'auto' }}>
      {children}
    </Text>
  );
}

type UnnamedProps = { text: string; isLooking: boolean; onRemove: (key: string) => void };

/** A text in the URL that is no symbol of any feed we know, or not yet. */
export function UnnamedCard({ text, isLooking, onRemove }: UnnamedProps) {
  return (
    <CardFrame name={text} state={isLooking ? 'looking' : 'missing'} onRemove={() => onRemove(text)}>
      <p className={classes.price}>{NOTHING}</p>
      <Notice>
        {isLooking ? 'Searching for the symbol…' : 'No feed has this symbol. Search above, or use its id.'}
      </Notice>
      <Facts id={text} currency={undefined} />
    </CardFrame>
  );
}

type FrameProps = {
  name: string;
  detail?: string | undefined;
  page?: `/feeds/${string}`;
  state: FeedState;
  /** `raised`: the card draws attention to itself. */
  alerts?: 'none' | 'set' | 'raised';
  bell?: ReactNode;
  onRemove: () => void;
  children: ReactNode;
};

/** The frame of a card: a region named by the symbol, its state as a badge, and buttons that move it and take it away. */
function CardFrame({ name, detail, page, state, alerts, bell, onRemove, children }: FrameProps) {
  return (
    <section className={classes.card} aria-label={name} data-state={state} data-alerts={alerts}>
      <Group component="header" gap={4} wrap="nowrap" mih="1.5rem">
        <ActionIcon
          c="var(--ks-text-faint)"
          className={classes.grip}
          data-grip=""
          aria-label={`Arrange ${name}`}
          aria-describedby="board-keys"
          title="Drag, or press an arrow key"
        >
          <Icon name="grip" size={14} />
        </ActionIcon>
        <Text component="h2" flex={1} miw={0} size="lg" fw={650} title={detail ?? name}>
          {page === undefined ? (
            <Name name={name} />
          ) : (
            // A hundred pages are not fetched because somebody might open one.
            <Anchor component={Link} inherit c="inherit" href={page as Route}>
              <Name name={name} />
            </Anchor>
          )}
        </Text>
        <StateBadge state={state} />
        {bell}
        <ActionIcon
          c="var(--ks-text-faint)"
          data-removes=""
          aria-label={`Remove ${name}`}
          title="Remove from the board"
          onClick={(event) => {
            focusNeighbour(event.currentTarget);
            onRemove();
          }}
        >
          <Icon name="close" size={13} />
        </ActionIcon>
      </Group>
      {children}
    </section>
  );
}

/** `Crypto.BTC/USD`: the class is fainter and gives way first, since one looks for the pair. */
function Name({ name }: { name: string }) {
  const dot = name.indexOf('.') + 1;
  return (
    <bdi className={classes.name}>
      {dot === 0 ? null : <span className={classes.group}>{name.slice(0, dot)}</span>}
      <span>{name.slice(dot)}</span>
    </bdi>
  );
}

/** The focus would be lost with the button: it goes to the same button of the next card, or of the one before. */
function focusNeighbour(button: HTMLElement): void {
  const card = button.closest('[data-tile]');
  const neighbour = card?.nextElementSibling ?? card?.previousElementSibling;
  neighbour?.querySelector<HTMLElement>('button[data-removes]')?.focus({ preventScroll: true });
}

function Price({ id, windowMs }: { id: string; windowMs: number }) {
  const { latest } = useFeed(id);
  // The same line without a price, so that nothing moves when it comes.
  if (latest === undefined) return <p className={classes.price}>{NOTHING}</p>;
  return (
    <p className={classes.price}>
      <span className="sr-only">Price </span>
      <ExactNumber value={exactPrice(latest)} figure="price" />
      <WindowMove latest={latest} windowMs={windowMs} />
    </p>
  );
}

function WindowMove({ latest, windowMs }: { latest: CompactFeed; windowMs: number }) {
  const store = useFeedStore();
  const fromMs = useNow() - store.stream().skewMs - windowMs;
  const words = useMomentWords();
  const start = windowStart(store.points(latest.id), fromMs);
  if (start === undefined) return null;
  // A window that nobody has watched from its beginning is a shorter one.
  const isShorter = start.atMs > fromMs + windowMs / 10;
  const title = isShorter
    ? `Since ${words(start.atMs)}, the first known price`
    : `Over ${formatSpan(windowMs)}`;
  return <Move from={start.update} to={latest} className={classes.move ?? ''} title={title} />;
}

function Facts({ id, currency }: { id: string; currency: FeedCurrency | undefined }) {
  const { latest } = useFeed(id);
  return (
    <dl className={`${shared.rows} ${classes.facts}`}>
      <Spread latest={latest} />
      <Figure name="Age">
        {latest === undefined ? (
          NOTHING
        ) : (
          <Age publishedMs={latest.t * 1000} opensAtMs={currency?.opensAtMs} />
        )}
      </Figure>
    </dl>
  );
}

function Age({ publishedMs, opensAtMs }: { publishedMs: number; opensAtMs: number | undefined }) {
  const nowMs = useNow() - useStream().skewMs;
  const { title, iso } = useMoment(publishedMs);
  return (
    <>
      <time className={classes.age} dateTime={iso} title={`Published\n${title}`}>
        {formatAge(nowMs - publishedMs)}
      </time>
      {opensAtMs === undefined ? null : ` opens in ${formatSpan(Math.max(0, opensAtMs - nowMs))}`}
    </>
  );
}
