'use client';
import { Text } from '@mantine/core';
import { memo } from 'react';
import { type Column, DataTable } from '@/components/ui/data-table';
import { percentile } from '@/lib/core/percentile';
import { formatLatency, formatSpan } from '@/lib/core/time';
import { type FeedPoint, windowExtremes, windowStart } from '@/lib/feeds/client/history';
import { ageAtServerMs, latencySamples } from '@/lib/feeds/client/latency';
import {
  type DrawnFeed,
  gapNames,
  gapTotals,
  namesSamples,
  type PageDrawing,
} from '@/lib/feeds/client/page-drawing';
import { updateCount } from '@/lib/feeds/client/thinning';
import { confidenceInBps } from '@/lib/feeds/client/update-rows';
import { type GapKind, gapCounts } from '@/lib/feeds/feed-cadence';
import { LATENCY_NOTE, SERIES_COLOURS, Swatch } from './chart-legend';
import { FeedFigure, LOADED_PART, Move, NO_VALUE, SAMPLED, ShortNumber } from './figures';
import classes from './page.module.css';

type FeedFigures = Pick<DrawnFeed, 'id' | 'symbol' | 'feedIndex'> & ReturnType<typeof figuresOf>;

function figuresOf({ seen, gaps, latencies, isSampled, isPartial }: DrawnFeed, fromMs: number) {
  const inside = seen.filter(({ atMs }) => atMs >= fromMs);
  const samples = latencySamples(inside.flatMap(({ update }) => latencies.get(update) ?? []));
  return {
    first: windowStart(seen, fromMs),
    last: inside.at(-1),
    extremes: windowExtremes(seen, fromMs),
    updates: updateCount(inside),
    server: samples.map(ageAtServerMs).sort((a, b) => a - b),
    browser: samples.flatMap(({ browser }) => browser ?? []).sort((a, b) => a - b),
    gaps,
    isSampled,
    isPartial,
  };
}

type Reservation = Pick<DrawnFeed, 'isSampled' | 'isPartial'>;

const short = ({ update }: FeedPoint, reservation?: Reservation) => (
  <>
    <ShortNumber value={update.price} figure="extreme" />
    {reservation && (reservation.isPartial || reservation.isSampled) && (
      <Text component="small" display="block" inherit size="xs" c="dimmed">
        <Reserved {...reservation} />
      </Text>
    )}
  </>
);

/** The extreme may be wrong: part of the window is not loaded, or is sampled. */
function Reserved({ isSampled, isPartial }: Reservation) {
  if (isPartial) return <span title={LOADED_PART}>loaded part</span>;
  if (!isSampled) return null;
  return <span title={SAMPLED}>sampled</span>;
}

type WindowProps = Pick<PageDrawing, 'fromMs' | 'sampledEveryS'> & {
  drawn: DrawnFeed | undefined;
  /** `5 min` */
  window: string;
};

export function WindowFigures({ drawn, fromMs, sampledEveryS, window }: WindowProps) {
  const figures = drawn && figuresOf(drawn, fromMs);
  const { extremes, server = [], updates = 0 } = figures ?? {};
  // The number of updates already tells that a part is sampled.
  const reserved = figures && <Reserved isSampled={false} isPartial={figures.isPartial} />;
  return (
    <>
      <FeedFigure name="High" hint={window} more={reserved}>
        {extremes && short(extremes.highest)}
      </FeedFigure>
      <FeedFigure name="Low" hint={window} more={reserved}>
        {extremes && short(extremes.lowest)}
      </FeedFigure>
      <FeedFigure
        name="Latency"
        more={
          server.length > 0 && (
            <span title={`95th percentile, to our server. ${LATENCY_NOTE}`}>
              p95 {formatLatency(percentile(server, 95) ?? 0)}
            </span>
          )
        }
      >
        {server.length === 0 ? undefined : (
          <span title={`Median, to our server. ${LATENCY_NOTE}`}>
            p50 {formatLatency(percentile(server, 50) ?? 0)}
          </span>
        )}
      </FeedFigure>
      <FeedFigure
        name="Updates"
        more={
          figures &&
          (namesSamples(figures) ? (
            <span title={SAMPLED}>{formatSpan(sampledEveryS * 1000)} samples</span>
          ) : (
            <span title={gapCounts(figures.gaps)}>{gapNames(figures)}</span>
          ))
        }
      >
        {figures && updates}
      </FeedFigure>
    </>
  );
}

const NO_FAULTS: ReadonlySet<GapKind> = new Set(['closed', 'unjudged']);

const percentiles = (values: readonly number[]) =>
  [50, 95].map((percent) => `p${percent} ${formatLatency(percentile(values, percent) ?? 0)}`);

const COLUMNS: readonly Column<FeedFigures>[] = [
  {
    name: 'Feed',
    kind: 'head',
    cell: ({ symbol, feedIndex }) => (
      <>
        <Swatch stroke={SERIES_COLOURS[feedIndex]} /> <bdi>{symbol}</bdi>
      </>
    ),
  },
  { name: 'Last', kind: 'figure', cell: ({ last }) => (last ? short(last) : NO_VALUE) },
  {
    name: 'Change',
    kind: 'figure',
    cell: ({ first, last }) => (first && last ? <Move from={first.update} to={last.update} /> : NO_VALUE),
  },
  {
    name: 'Low',
    kind: 'figure',
    isWide: true,
    cell: ({ extremes, ...feed }) => (extremes ? short(extremes.lowest, feed) : NO_VALUE),
  },
  {
    name: 'High',
    kind: 'figure',
    isWide: true,
    cell: ({ extremes, ...feed }) => (extremes ? short(extremes.highest, feed) : NO_VALUE),
  },
  {
    name: 'Confidence',
    kind: 'figure',
    isWide: 'md',
    cell: ({ last }) => (last ? confidenceInBps(last.update) : NO_VALUE),
  },
  {
    name: 'Latency',
    hint: 'to our server',
    kind: 'figure',
    isWide: true,
    cell: ({ server, browser }) =>
      server.length === 0 ? (
        NO_VALUE
      ) : (
        <span
          title={
            browser.length === 0
              ? undefined
              : `From our server to this browser ${percentiles(browser).join(' · ')}`
          }
        >
          {/* No break within a percentile. */}
          {percentiles(server)
            .map((text) => text.replaceAll(' ', '\u00a0'))
            .join(' · ')}
        </span>
      ),
  },
  { name: 'Updates', kind: 'figure', isWide: 'md', cell: ({ updates }) => updates },
  {
    name: 'Gaps',
    cell: (feed) => (
      <Text
        component="span"
        inherit
        c={feed.gaps.some(({ kind }) => !NO_FAULTS.has(kind)) ? 'var(--ks-warn)' : undefined}
      >
        {feed.updates === 0 && feed.gaps.length === 0 && !feed.isPartial ? NO_VALUE : gapTotals(feed)}
      </Text>
    ),
  },
];

export const FigureTable = memo(function FigureTable({ drawing }: { drawing: PageDrawing }) {
  const rows = drawing.feeds.map((feed): FeedFigures => {
    const { id, symbol, feedIndex } = feed;
    return { id, symbol, feedIndex, ...figuresOf(feed, drawing.fromMs) };
  });
  return (
    <DataTable
      label="Figures of the chart"
      variant="plain"
      layout="fixed"
      miw="34rem"
      className={classes.windowFigures}
      columns={COLUMNS}
      rows={rows}
      rowProps={({ id }) => ({ key: id })}
    />
  );
});
