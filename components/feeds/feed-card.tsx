'use client';
import { Icon } from '@/components/ui/icons';
import { useNow } from '@/lib/client/clock';
import type { FeedName } from '@/lib/client/feed-directory';
import { type Freshness, type FreshnessFloors, freshnessOf } from '@/lib/client/feed-freshness';
import { useFeed, useFeedStore, useStream } from '@/lib/client/feed-hooks';
import { formatAge, formatMoment } from '@/lib/client/human-time';
import type { CompactFeed } from '@/lib/contract/codec/feed-stream';
import { CardFact, CardFrame, CardNotice, NoNumbers } from './card-frame';
import { ExactNumber } from './exact-number';
import classes from './feed-card.module.css';
import { FeedFigure } from './feed-figure';
import { confidenceInBps, feedNumbersOf, freshnessWord, moveText } from './feed-words';

export type CardTimes = {
  /** The moment at which the server wrote the page, unix milliseconds. */
  readonly writtenAtMs: number;
  readonly floors: FreshnessFloors;
};

/** One feed of the board: exact numbers, their age, and how they moved. */
export function FeedCard({
  feed,
  times,
  onRemove,
}: {
  feed: FeedName;
  times: CardTimes;
  onRemove: () => void;
}) {
  const view = useFeed(feed.id);
  const freshness = useFreshness(view.latest, view.rhythmMs, times);
  const state = view.standing === 'known' ? (freshness?.word ?? 'waiting') : view.standing;
  return (
    <CardFrame
      name={feed.symbol}
      detail={feed.description}
      state={state}
      badge={<Badge state={state} freshness={freshness} />}
      onRemove={onRemove}
    >
      <Numbers id={feed.id} latest={view.latest} freshness={freshness} times={times} />
      {view.standing === 'missing' ? (
        <CardNotice>
          The price update service does not know this feed. Check the id, or remove the feed; the others go
          on.
        </CardNotice>
      ) : (
        <FeedFigure id={feed.id} symbol={feed.symbol} />
      )}
    </CardFrame>
  );
}

function useFreshness(
  latest: CompactFeed | undefined,
  rhythmMs: number | undefined,
  { writtenAtMs, floors }: CardTimes,
): Freshness | undefined {
  const nowMs = useNow(writtenAtMs);
  const { skewMs } = useStream();
  return latest === undefined
    ? undefined
    : freshnessOf({ publishTimeS: latest.t, rhythmMs, skewMs, nowMs, floors });
}

type CardState = Freshness['word'] | 'waiting' | 'missing';

function Badge({ state, freshness }: { state: CardState; freshness: Freshness | undefined }) {
  if (state === 'missing') {
    return (
      <>
        <Icon name="question" size={12} /> Unknown feed
      </>
    );
  }
  if (state === 'waiting' || freshness === undefined) {
    return (
      <>
        <Icon name="dotted" size={12} /> Waiting
      </>
    );
  }
  const icon = freshness.word === 'fresh' ? 'check' : freshness.word === 'late' ? 'clock' : 'alert';
  return (
    <>
      <Icon name={icon} size={12} /> {freshnessWord(freshness)}
    </>
  );
}

function Numbers({
  id,
  latest,
  freshness,
  times,
}: {
  id: string;
  latest: CompactFeed | undefined;
  freshness: Freshness | undefined;
  times: CardTimes;
}) {
  const nowMs = useNow(times.writtenAtMs);
  if (latest === undefined || freshness === undefined) {
    return <NoNumbers />;
  }
  const numbers = feedNumbersOf(latest);
  const relative = confidenceInBps(numbers);
  return (
    <>
      <p className={classes.price}>
        <span className="sr-only">Price </span>
        <ExactNumber value={numbers.price} figure="price" />
        <Move id={id} latest={latest} />
      </p>
      <dl className={classes.facts}>
        <CardFact label="Confidence">
          ±<ExactNumber value={numbers.conf} figure="confidence" />
          {relative === undefined ? null : <span className={classes.aside}>{relative}</span>}
        </CardFact>
        <CardFact label="EMA">
          {numbers.ema === undefined ? 'not sent' : <ExactNumber value={numbers.ema.price} figure="ema" />}
        </CardFact>
        <CardFact label="Published">{formatMoment(latest.t * 1000, nowMs)}</CardFact>
        <CardFact label="Age">
          <span className={classes.age}>{formatAge(freshness.ageMs)}</span>
        </CardFact>
      </dl>
    </>
  );
}

/** How far the price moved since the chart begins. */
function Move({ id, latest }: { id: string; latest: CompactFeed }) {
  const store = useFeedStore();
  const first = store.history(id).points()[0];
  const move =
    first === undefined
      ? undefined
      : moveText({ mantissa: BigInt(first.exact.p), expo: first.exact.e }, feedNumbersOf(latest).price);
  return move === undefined ? null : (
    <span className={classes.move} data-direction={move.direction} title="Since the beginning of the chart">
      {move.text}
    </span>
  );
}
