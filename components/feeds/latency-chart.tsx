'use client';
import { Alert, Group, Stack, Table, Text } from '@mantine/core';
import dynamic from 'next/dynamic';
import { useEffect, useMemo, useState } from 'react';
import type { TimeTick } from '@/components/ui/charts/time-axis';
import type { Lane } from '@/components/ui/charts/time-plots';
import { orNotice } from '@/components/ui/part-not-loaded';
import { Soft } from '@/components/ui/text';
import { useTimeStyle } from '@/components/ui/time-style';
import { formatSpan } from '@/lib/core/time';
import { clockText } from '@/lib/core/time-text';
import type { FeedName } from '@/lib/feeds/board-url';
import { joinDrawing, useFeedState, usePage } from '@/lib/feeds/client/hooks';
import {
  clockSentences,
  LATENCY_PARTS,
  type LatencyPart,
  latencyOf,
  latencyText,
  percentile,
  SHOWN_UPDATES,
  type UpdateLatency,
} from '@/lib/feeds/client/latency';
import { GAP_SHADES, Swatch } from './chart-legend';

const Plots = dynamic(
  () => orNotice(import('@/components/ui/charts/time-plots').then((part) => part.TimePlots)),
  {
    ssr: false,
    loading: () => <Text>Loading chart…</Text>,
  },
);

/** Told apart by lightness as well as by hue, in the order in which they stand on one another. */
const PARTS: readonly (Lane['series'][number] & { key: LatencyPart })[] = [
  { key: 'proof', label: 'Published → proof', colour: 'var(--ks-chart-ema)' },
  {
    ...{ key: 'upstream', label: 'Proof → our server' },
    colour: 'color-mix(in srgb, var(--ks-chart-line) 55%, var(--ks-surface))',
  },
  { key: 'browser', label: 'Our server → this browser', colour: 'var(--ks-text)' },
];
const tickText = (ms: number) => (ms === 0 ? '0' : latencyText(ms));
/** Between two updates a pause that is not usual, as a bar of its own from top to bottom. */
const GAP = {
  key: 'gap',
  label: 'Gap',
  colour: `color-mix(in srgb, ${GAP_SHADES.unknown.colour} 25%, transparent)`,
} as const;
const LANES: Lane[] = [{ kind: 'bars', grow: 1, tickCount: 3, series: [...PARTS, GAP], tickText }];
const NO_TICKS: TimeTick[] = [];
const NO_BAR = { proof: null, upstream: null, browser: null, gap: null };
/** So many updates are read in a table without getting lost. */
const ROWS = 15;

/** So many bars, the newest at the right, with a bar for each gap between them. */
function barsOf(updates: readonly UpdateLatency[]) {
  const most = Math.max(1, ...updates.map(({ total }) => total));
  const bars = updates.flatMap(({ gapS, proof, upstream, browser }) => [
    ...(gapS === undefined ? [] : [{ ...NO_BAR, gap: most }]),
    { proof, upstream, browser, gap: null },
  ]);
  const empty = Array.from({ length: SHOWN_UPDATES }, () => NO_BAR);
  return [...empty, ...bars].slice(-SHOWN_UPDATES).map((bar, at) => ({ ...bar, fromMs: at }));
}

/** How long the last updates of a feed were under way, part by part. It takes its turn in the page's round of drawings. */
export function LatencyChart({ feed }: { feed: FeedName }) {
  const { id, symbol } = feed;
  const { state } = useFeedState(feed);
  const { store, floors } = usePage();
  const times = useTimeStyle();
  const [{ updates, offsets }, setPicture] = useState(() => latencyOf([], floors));
  useEffect(() => {
    let drawn: unknown;
    return joinDrawing(() => {
      const points = store.points(id);
      if (points !== drawn) setPicture(latencyOf(points, floors));
      drawn = points;
    });
  }, [store, floors, id]);
  // A bar for each update, newest at the right, its parts in the order of the way.
  const data = useMemo(() => barsOf(updates), [updates]);
  if (updates.length === 0) {
    // As high as the chart with its figures.
    return (
      <Soft mih={{ base: '20rem', sm: '14rem' }}>
        {state === 'closed' ? 'Market closed.' : 'Waiting for a live update.'}
      </Soft>
    );
  }
  const figures = (part: LatencyPart | 'total') => {
    const values = updates.flatMap((one) => one[part] ?? []);
    if (values.length === 0) return 'unknown';
    return `p50 ${latencyText(percentile(values, 0.5))}, p95 ${latencyText(percentile(values, 0.95))}`;
  };
  const total = `${figures('total')} of ${updates.length}`;
  const gaps = updates.flatMap(({ gapS }) => gapS ?? []);
  return (
    <Stack component="figure" gap="xs" m={0}>
      <div role="img" style={{ height: 130 }} aria-label={`Latency of ${symbol}: total ${total}`}>
        <Plots data={data} lanes={LANES} ticks={NO_TICKS} tickWords={String} />
      </div>
      <Group component="ul" gap="md">
        {PARTS.map(({ key, label, colour }) => (
          <li key={key} className="num">
            <Swatch fill={colour} /> {label} <strong>{figures(key)}</strong>
          </li>
        ))}
        <li className="num">
          Total <strong>{total}</strong>
        </li>
        {gaps.length > 0 && (
          <li className="num">
            <Swatch fill={GAP.colour} /> Gaps{' '}
            <strong>
              {gaps.length} ({formatSpan(gaps.reduce((sum, gapS) => sum + gapS, 0) * 1000)})
            </strong>
          </li>
        )}
      </Group>
      <Soft size="xs">Publish and proof times are whole seconds, so their parts are exact to ±1 s.</Soft>
      {clockSentences(offsets).map((sentence) => (
        <Alert key={sentence} color="wait" p="xs">
          {sentence}
        </Alert>
      ))}
      <details>
        <summary>As a table</summary>
        <Table
          verticalSpacing={2}
          w="auto"
          ta="end"
          className="num"
          data={{
            caption: `Latency of the last updates of ${symbol}, newest first`,
            head: ['Received', ...PARTS.map(({ label }) => label), 'Total'],
            body: updates
              .slice(-ROWS)
              .reverse()
              .map((one) => [
                clockText(one.atMs, times),
                ...([...LATENCY_PARTS, 'total'] as const).map((part) => {
                  const ms = one[part];
                  return ms === null ? '—' : latencyText(ms);
                }),
              ]),
          }}
        />
      </details>
    </Stack>
  );
}
