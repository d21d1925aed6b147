'use client';
import type { Route } from 'next';
import Link from 'next/link';
import { memo, type ReactNode } from 'react';
import { useNow } from '@/components/ui/clock';
import { Icon, type IconName } from '@/components/ui/icons';
import { useMoment, useMomentWords } from '@/components/ui/time-style';
import { formatAge, formatSpan } from '@/lib/core/time';
import type { FeedName } from '@/lib/feeds/board-url';
import { windowStart } from '@/lib/feeds/client/board-order';
import { exactConf, exactEma, exactPrice } from '@/lib/feeds/client/history';
import {
  type CurrencyNow,
  type FeedTimes,
  useCurrency,
  useFeed,
  useFeedAlerts,
  useFeedStanding,
  useFeedStore,
  useStream,
} from '@/lib/feeds/client/hooks';
import { feedPagePath } from '@/lib/feeds/page-url';
import type { CompactFeed } from '@/lib/feeds/stream-events';
import { AlertButton } from './alerts';
import { ExactNumber } from './exact-number';
import { FeedSparkline } from './feed-sparkline';
import { confidenceInBps, FEED_STATES, type FeedState, moveText } from './feed-words';
import classes from './feeds.module.css';

/** One feed of the board: exact numbers, their age, and how they moved over the window. */
export const FeedCard = memo(function FeedCard({
  feed,
  times,
  windowMs,
  onRemove,
}: {
  feed: FeedName;
  times: FeedTimes;
  /** How far back its change and its sparkline look. */
  windowMs: number;
  onRemove: (key: string) => void;
}) {
  const standing = useFeedStanding(feed.id);
  const currency = useCurrency(feed, times);
  const alerts = useFeedAlerts(feed.id);
  return (
    <CardFrame
      name={feed.symbol}
      detail={feed.description}
      page={feedPagePath(feed.id)}
      state={standing === 'known' ? (currency?.word ?? 'waiting') : standing}
      alerts={alerts}
      bell={<AlertButton feed={feed} look={alerts} />}
      onRemove={() => onRemove(feed.id)}
    >
      <Price id={feed.id} windowMs={windowMs} writtenAtMs={times.writtenAtMs} />
      {standing === 'missing' ? (
        <p className={classes.notice}>
          Unknown to the price update service. Check the id, or remove the feed; the others go on.
        </p>
      ) : (
        <FeedSparkline id={feed.id} symbol={feed.symbol} windowMs={windowMs} />
      )}
      <Facts id={feed.id} currency={currency} writtenAtMs={times.writtenAtMs} />
    </CardFrame>
  );
});

/** A text in the URL that is no symbol of any feed we know, or not yet. */
export function UnnamedCard({
  text,
  isLooking,
  onRemove,
}: {
  text: string;
  isLooking: boolean;
  onRemove: () => void;
}) {
  return (
    <CardFrame name={text} state={isLooking ? 'looking' : 'missing'} onRemove={onRemove}>
      <p className={classes.price}>{NOTHING}</p>
      <p className={classes.notice}>
        {isLooking
          ? 'Looking up the symbol…'
          : 'No feed has this symbol. Search for it above, give its id, or remove it; the others go on.'}
      </p>
      <Facts id={text} currency={undefined} writtenAtMs={0} />
    </CardFrame>
  );
}

const ICONS: Record<FeedState, IconName> = {
  fresh: 'check',
  late: 'clock',
  stale: 'alert',
  closed: 'moon',
  inactive: 'dash',
  waiting: 'dotted',
  looking: 'search',
  missing: 'question',
};

/** The frame of a card: a region named by the symbol, its state as a badge, and buttons that move it and take it away. */
function CardFrame({
  name,
  detail,
  page,
  state,
  alerts,
  bell,
  onRemove,
  children,
}: {
  name: string;
  detail?: string | undefined;
  page?: `/feeds/${string}`;
  state: FeedState;
  /** `raised`: the card draws attention to itself. */
  alerts?: 'none' | 'set' | 'raised';
  bell?: ReactNode;
  onRemove: () => void;
  children: ReactNode;
}) {
  return (
    <section className={classes.card} aria-label={name} data-state={state} data-alerts={alerts}>
      <header className={classes.head}>
        <button
          type="button"
          className={`icon-button ${classes.grip}`}
          data-grip=""
          aria-label={`Arrange ${name}`}
          aria-describedby="board-keys"
          title="Drag, or press an arrow key"
        >
          <svg aria-hidden="true" width="10" height="14" viewBox="0 0 10 14" fill="currentColor">
            {[2, 7, 12].flatMap((y) =>
              [2, 8].map((x) => <circle key={`${x} ${y}`} cx={x} cy={y} r="1.25" />),
            )}
          </svg>
        </button>
        <h2 className={classes.symbol} title={detail ?? name}>
          {page === undefined ? (
            <Name name={name} />
          ) : (
            // A hundred pages are not fetched because somebody might open one.
            <Link href={page as Route} prefetch={false} className={classes.link}>
              <Name name={name} />
            </Link>
          )}
        </h2>
        <span className={classes.badge}>
          <Icon name={ICONS[state]} size={12} /> <span className={classes.state}>{FEED_STATES[state]}</span>
        </span>
        {bell}
        <button
          type="button"
          className="icon-button"
          data-removes=""
          aria-label={`Remove ${name}`}
          title="Remove from the board"
          onClick={(event) => {
            focusNeighbour(event.currentTarget);
            onRemove();
          }}
        >
          <Icon name="close" size={13} />
        </button>
      </header>
      {children}
    </section>
  );
}

/** `Crypto.BTC/USD`: the class is fainter, since one looks for the pair. */
function Name({ name }: { name: string }) {
  const dot = name.indexOf('.') + 1;
  return (
    <bdi>
      {dot === 0 ? null : <span className={classes.group}>{name.slice(0, dot)}</span>}
      <span className={classes.pair}>{name.slice(dot)}</span>
    </bdi>
  );
}

/** The focus would be lost with the button: it goes to the same button of the next card, or of the one before. */
function focusNeighbour(button: HTMLElement): void {
  const card = button.closest('[data-tile]');
  const neighbour = card?.nextElementSibling ?? card?.previousElementSibling;
  neighbour?.querySelector<HTMLElement>('button[data-removes]')?.focus({ preventScroll: true });
}

const NOTHING = <span className={classes.none}>—</span>;

function Price({ id, windowMs, writtenAtMs }: { id: string; windowMs: number; writtenAtMs: number }) {
  const { latest } = useFeed(id);
  // The same line without a price, so that nothing moves when it comes.
  if (latest === undefined) return <p className={classes.price}>{NOTHING}</p>;
  return (
    <p className={classes.price}>
      <span className="sr-only">Price </span>
      <ExactNumber value={exactPrice(latest)} figure="price" />
      <Move latest={latest} windowMs={windowMs} writtenAtMs={writtenAtMs} />
    </p>
  );
}

type MoveProps = { latest: CompactFeed; windowMs: number; writtenAtMs: number };

/** How far the price moved over the window. */
function Move({ latest, windowMs, writtenAtMs }: MoveProps) {
  const store = useFeedStore();
  const fromMs = useNow(writtenAtMs) - store.stream().skewMs - windowMs;
  const words = useMomentWords();
  const start = windowStart(store.points(latest.id), fromMs);
  const move = start && moveText(exactPrice(start.update), exactPrice(latest));
  if (move === undefined) return null;
  // A window that nobody has watched from its beginning is a shorter one.
  const isShorter = start !== undefined && start.atMs > fromMs + windowMs / 10;
  return (
    <span
      className={classes.move}
      data-direction={move.direction}
      title={
        isShorter ? `Since ${words(start.atMs)}, the first price known here` : `Over ${formatSpan(windowMs)}`
      }
    >
      {move.text}
    </span>
  );
}

function Facts({
  id,
  currency,
  writtenAtMs,
}: {
  id: string;
  currency: CurrencyNow | undefined;
  writtenAtMs: number;
}) {
  const { latest } = useFeed(id);
  const ema = latest && exactEma(latest);
  return (
    <dl className={classes.facts}>
      <Fact label="Confidence">
        {latest === undefined ? (
          NOTHING
        ) : (
          <>
            ±<ExactNumber value={exactConf(latest)} figure="confidence" />
            <span className={classes.aside}>{confidenceInBps(latest)}</span>
          </>
        )}
      </Fact>
      <Fact label="EMA">
        {latest === undefined ? (
          NOTHING
        ) : ema === undefined ? (
          'not sent'
        ) : (
          <ExactNumber value={ema} figure="ema" />
        )}
      </Fact>
      <Fact label="Age">
        {latest === undefined ? (
          NOTHING
        ) : (
          <Age publishedMs={latest.t * 1000} currency={currency} writtenAtMs={writtenAtMs} />
        )}
      </Fact>
    </dl>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.fact} data-fact={label}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

type AgeProps = { publishedMs: number; currency: CurrencyNow | undefined; writtenAtMs: number };

function Age({ publishedMs, currency, writtenAtMs }: AgeProps) {
  const nowMs = useNow(writtenAtMs) - useStream().skewMs;
  const { title, iso } = useMoment(publishedMs);
  const opensAtMs = currency?.opensAtMs;
  return (
    <>
      <time className={classes.age} dateTime={iso} title={`Published\n${title}`}>
        {formatAge(nowMs - publishedMs)}
      </time>
      {opensAtMs === undefined ? null : (
        <span className={classes.aside}>opens in {formatSpan(Math.max(0, opensAtMs - nowMs))}</span>
      )}
    </>
  );
}
