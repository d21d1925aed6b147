'use client';
import Link from 'next/link';
import { AlertButton } from '@/components/feeds/alert-button';
import { ExactNumber } from '@/components/feeds/exact-number';
import { confidenceInBps, currencyWord, feedNumbersOf, moveText } from '@/components/feeds/feed-words';
import { type FeedTimes, useCurrency } from '@/components/feeds/use-currency';
import { useFeedAlerts } from '@/components/feeds/use-feed-alerts';
import { useNow } from '@/lib/client/clock';
import type { FeedName } from '@/lib/client/feed-directory';
import { useFeed, useStream } from '@/lib/client/feed-hooks';
import { formatAge } from '@/lib/client/human-time';
import { useMomentWords } from '@/lib/client/time-style';
import type { CompactFeed } from '@/lib/contract/codec/feed-stream';
import type { PageDrawing } from './page-drawing';
import { exactPrice } from './page-frame';
import classes from './page-head.module.css';

/** Which feed it is, and its latest numbers with every digit. */
export function PageHead({
  feed,
  times,
  drawing,
}: {
  feed: FeedName;
  times: FeedTimes;
  drawing: PageDrawing | undefined;
}) {
  const { latest, standing } = useFeed(feed.id);
  const nowMs = useNow(times.writtenAtMs);
  const { skewMs } = useStream();
  const alerts = useFeedAlerts(feed.id);
  const currency = useCurrency(feed, times);
  const ageMs = latest === undefined ? undefined : Math.max(0, nowMs - skewMs - latest.t * 1000);
  const state = standing === 'known' ? (currency?.word ?? 'waiting') : standing;
  return (
    <header className={classes.head} data-state={state}>
      <div className={classes.name}>
        <Link href="/feeds" className={classes.back}>
          Feeds
        </Link>
        <h1 className={classes.symbol}>
          <bdi>{feed.symbol}</bdi>
        </h1>
        <span className={classes.badge}>
          {standing === 'missing'
            ? 'Unknown feed'
            : currency === undefined
              ? 'Waiting'
              : currencyWord(currency.word)}
        </span>
        <AlertButton feed={feed} look={alerts} />
        {feed.description === undefined ? null : (
          <bdi className={classes.description}>{feed.description}</bdi>
        )}
      </div>
      {standing === 'missing' ? (
        <p className={classes.missing}>
          The price update service does not know this feed. Check the id in the address:{' '}
          <code className={classes.id}>{feed.id}</code>
        </p>
      ) : null}
      <Figures latest={latest} ageMs={ageMs} drawing={drawing} />
    </header>
  );
}

const NOTHING = <span className={classes.none}>—</span>;

function Figures({
  latest,
  ageMs,
  drawing,
}: {
  latest: CompactFeed | undefined;
  ageMs: number | undefined;
  drawing: PageDrawing | undefined;
}) {
  const words = useMomentWords();
  const numbers = latest === undefined ? undefined : feedNumbersOf(latest);
  const bps = numbers === undefined ? undefined : confidenceInBps(numbers);
  return (
    <dl className={classes.figures}>
      <div className={classes.price}>
        <dt>Price</dt>
        <dd>{numbers === undefined ? NOTHING : <ExactNumber value={numbers.price} figure="price" />}</dd>
      </div>
      <Figure name="Confidence">
        {numbers === undefined ? (
          NOTHING
        ) : (
          <>
            ±<ExactNumber value={numbers.conf} figure="confidence" />{' '}
            <span className={classes.aside}>{bps}</span>
          </>
        )}
      </Figure>
      <Figure name="EMA">
        {numbers?.ema === undefined ? NOTHING : <ExactNumber value={numbers.ema.price} figure="ema" />}
      </Figure>
      <Figure name="In the window">
        <Move drawing={drawing} />
      </Figure>
      <Figure name="Published">{latest === undefined ? NOTHING : words(latest.t * 1000)}</Figure>
      <Figure name="Age">{ageMs === undefined ? NOTHING : formatAge(ageMs)}</Figure>
    </dl>
  );
}

function Figure({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** From the first to the last price that the chart shows. */
function Move({ drawing }: { drawing: PageDrawing | undefined }) {
  const seen = drawing?.seen[0] ?? [];
  const [first, last] = [seen[0], seen.at(-1)];
  const move =
    first === undefined || last === undefined ? undefined : moveText(exactPrice(first), exactPrice(last));
  return move === undefined ? NOTHING : <span data-direction={move.direction}>{move.text}</span>;
}
