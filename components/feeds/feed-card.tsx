'use client';
import { memo } from 'react';
import { useNow } from '@/lib/client/clock';
import { windowStart } from '@/lib/client/feed-arrangement';
import type { FeedName } from '@/lib/client/feed-directory';
import { useFeed, useFeedStanding, useFeedStore, useStream } from '@/lib/client/feed-hooks';
import { formatAge, formatSpan } from '@/lib/client/human-time';
import { useMoment, useMomentWords } from '@/lib/client/time-style';
import { feedPagePath } from '@/lib/contract/codec/feed-page-url';
import type { CompactFeed } from '@/lib/contract/codec/feed-stream';
import { AlertButton } from './alert-button';
import { CardFact, CardFrame, CardNotice, type CardState, NoFacts, NoPrice } from './card-frame';
import { ExactNumber } from './exact-number';
import classes from './feed-card.module.css';
import { FeedSparkline } from './feed-sparkline';
import { confidenceInBps, feedNumbersOf, moveText } from './feed-words';
import { type CurrencyNow, type FeedTimes, useCurrency } from './use-currency';
import { useFeedAlerts } from './use-feed-alerts';

/** One feed of the board: exact numbers, their age, and how they moved over the window. */
export const FeedCard = memo(function FeedCard({
  feed,
  times,
  windowMs,
  arrange,
  onRemove,
}: {
  feed: FeedName;
  times: FeedTimes;
  /** How far back its change and its sparkline look. */
  windowMs: number;
  /** `possible`: it stands in a board where it can be moved. */
  arrange?: 'possible';
  onRemove: (key: string) => void;
}) {
  const standing = useFeedStanding(feed.id);
  const currency = useCurrency(feed, times);
  const alerts = useFeedAlerts(feed.id);
  const state: CardState = standing === 'known' ? (currency?.word ?? 'waiting') : standing;
  return (
    <CardFrame
      name={feed.symbol}
      detail={feed.description}
      page={feedPagePath(feed.id)}
      state={state}
      alerts={alerts}
      actions={<AlertButton feed={feed} look={alerts} />}
      arrange={arrange}
      onRemove={() => onRemove(feed.id)}
    >
      <Price id={feed.id} windowMs={windowMs} writtenAtMs={times.writtenAtMs} />
      {standing === 'missing' ? (
        <CardNotice>
          The price update service does not know this feed. Check the id, or remove the feed; the others go
          on.
        </CardNotice>
      ) : (
        <FeedSparkline id={feed.id} symbol={feed.symbol} windowMs={windowMs} />
      )}
      <Facts id={feed.id} currency={currency} writtenAtMs={times.writtenAtMs} />
    </CardFrame>
  );
});

type PartProps = { id: string; writtenAtMs: number };

function Price({ id, windowMs, writtenAtMs }: PartProps & { windowMs: number }) {
  const { latest } = useFeed(id);
  return latest === undefined ? (
    <NoPrice />
  ) : (
    <p className={classes.price}>
      <span className="sr-only">Price </span>
      <ExactNumber value={feedNumbersOf(latest).price} figure="price" />
      <Move latest={latest} windowMs={windowMs} writtenAtMs={writtenAtMs} />
    </p>
  );
}

/** How far the price moved over the window. */
function Move({
  latest,
  windowMs,
  writtenAtMs,
}: {
  latest: CompactFeed;
  windowMs: number;
  writtenAtMs: number;
}) {
  const store = useFeedStore();
  const fromMs = useNow(writtenAtMs) - store.stream().skewMs - windowMs;
  const words = useMomentWords();
  const start = windowStart(store.history(latest.id).points(), fromMs);
  if (start === undefined) return null;
  const from = { mantissa: BigInt(start.exact.p), expo: start.exact.e };
  const move = moveText(from, feedNumbersOf(latest).price);
  if (move === undefined) return null;
  // A window that nobody has watched from its beginning is a shorter one.
  const since =
    start.atMs > fromMs + 1000 ? `Since ${words(start.atMs)}, the first price known here` : undefined;
  return (
    <span
      className={classes.move}
      data-direction={move.direction}
      title={since ?? `Over the last ${formatSpan(windowMs)}`}
    >
      {move.text}
    </span>
  );
}

function Facts({ id, currency, writtenAtMs }: PartProps & { currency: CurrencyNow | undefined }) {
  const { latest } = useFeed(id);
  if (latest === undefined) return <NoFacts />;
  const numbers = feedNumbersOf(latest);
  const relative = confidenceInBps(numbers);
  return (
    <dl className={classes.facts}>
      <CardFact label="Confidence">
        ±<ExactNumber value={numbers.conf} figure="confidence" />
        {relative === undefined ? null : <span className={classes.aside}>{relative}</span>}
      </CardFact>
      <CardFact label="EMA">
        {numbers.ema === undefined ? 'not sent' : <ExactNumber value={numbers.ema.price} figure="ema" />}
      </CardFact>
      <CardFact label="Age">
        <Age publishedMs={latest.t * 1000} currency={currency} writtenAtMs={writtenAtMs} />
      </CardFact>
    </dl>
  );
}

function Age({
  publishedMs,
  currency,
  writtenAtMs,
}: {
  publishedMs: number;
  currency: CurrencyNow | undefined;
  writtenAtMs: number;
}) {
  const nowMs = useNow(writtenAtMs) - useStream().skewMs;
  const { title, iso } = useMoment(publishedMs);
  const opensInMs = currency?.opensAtMs === undefined ? undefined : currency.opensAtMs - nowMs;
  return (
    <>
      <time className={classes.age} dateTime={iso} title={`Published\n${title}`}>
        {formatAge(nowMs - publishedMs)}
      </time>
      {opensInMs === undefined ? null : (
        <span className={classes.aside}>opens in {formatSpan(Math.max(0, opensInMs))}</span>
      )}
    </>
  );
}
