'use client';
import type { FeedName } from '@/lib/client/feed-directory';
import type { FeedPoint } from '@/lib/client/feed-history';
import { clockWords, shownMoment } from '@/lib/client/moment-text';
import { useTimeStyle } from '@/lib/client/time-style';
import { formatScaled } from '@/lib/domain/scaled-number';
import classes from './chart-stage.module.css';
import type { PageDrawing } from './page-drawing';
import { exactConf, exactPrice, indexBases, indexOf } from './page-frame';
import { nearestPoint } from './pointed';

/** Exact values and times of the updates nearest to a moment. */
export function ChartReadout({
  drawing,
  feeds,
  atMs,
}: {
  drawing: PageDrawing;
  feeds: readonly FeedName[];
  atMs: number;
}) {
  const { frame, seen } = drawing;
  const bases = frame.scale === 'indexed' ? indexBases(seen) : [];
  return feeds.map((feed, tone) => {
    // What has no line has nothing to point at, and the others need the room.
    if (frame.leftOut.includes(feed.symbol)) return null;
    const point = nearestPoint(seen[tone] ?? [], atMs, frame);
    const base = bases[tone];
    return (
      <dl key={feed.id} className={classes.values}>
        {feeds.length > 1 ? (
          <div className={classes.series} data-tone={tone}>
            <dt>{feed.symbol}</dt>
          </div>
        ) : null}
        {point === undefined ? (
          <div>
            <dt>No update near here</dt>
          </div>
        ) : (
          <PointValues point={point} base={base} />
        )}
      </dl>
    );
  });
}

function PointValues({ point, base }: { point: FeedPoint; base: FeedPoint | undefined }) {
  const style = useTimeStyle();
  const { update } = point;
  const ema =
    update?.ep === undefined ? undefined : { mantissa: BigInt(update.ep), expo: update.ee ?? update.e };
  const index = base === undefined ? undefined : indexOf(point.price, base.price);
  const publishedMs = update === undefined ? point.atMs : update.t * 1000;
  return (
    <>
      <Value name="Published">
        {shownMoment(
          publishedMs,
          { ...style, zone: style.zone === 'local' ? 'local' : 'utc' },
          publishedMs,
        ).slice(5, 10)}{' '}
        {clockWords(publishedMs, style)}
      </Value>
      <Value name="Price">{formatScaled(exactPrice(point))}</Value>
      {index === undefined ? null : <Value name="Index">{index.toFixed(4)}</Value>}
      {update === undefined ? null : <Value name="Confidence">±{formatScaled(exactConf(point))}</Value>}
      {ema === undefined || base !== undefined ? null : <Value name="EMA">{formatScaled(ema)}</Value>}
      {update?.f === 1 ? <Value name="Source">asked for by its time</Value> : null}
    </>
  );
}

function Value({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
