'use client';
import { Alert, Group, Stack, Table, Text } from '@mantine/core';
import dynamic from 'next/dynamic';
import { useEffect, useMemo, useState } from 'react';
import type { TimeTick } from '@/components/ui/charts/time-axis';
import type { Lane } from '@/components/ui/charts/time-plots';
import { orNotice } from '@/components/ui/part-not-loaded';
import { Soft } from '@/components/ui/text';
import { useTimeStyle } from '@/components/ui/time-style';
import { clockText } from '@/lib/core/time-text';
import { joinDrawing, usePage } from '@/lib/feeds/client/hooks';
import {
  clockSentences,
  LATENCY_PARTS,
  type LatencyPart,
  latencyOf,
  latencyText,
  percentile,
  SHOWN_UPDATES,
} from '@/lib/feeds/client/latency';
import { Swatch } from './chart-legend';

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
const LANES: Lane[] = [{ kind: 'bars', grow: 1, tickCount: 3, series: PARTS, tickText }];
const NO_TICKS: TimeTick[] = [];
const NO_BAR = { proof: null, upstream: null, browser: null };
/** So many updates are read in a table without getting lost. */
const ROWS = 15;

/** How long the last updates of a feed were under way, part by part. It takes its turn in the page's round of drawings. */
export function LatencyChart({ id, symbol }: { id: string; symbol: string }) {
  const { store } = usePage();
  const times = useTimeStyle();
  const [{ updates, offsets }, setPicture] = useState(() => latencyOf([]));
  useEffect(() => {
    let drawn: unknown;
    return joinDrawing(() => {
      const points = store.points(id);
      if (points !== drawn) setPicture(latencyOf(points));
      drawn = points;
    });
  }, [store, id]);
  // A bar for each update, newest at the right, its parts in the order of the way.
  const data = useMemo(
    () =>
      Array.from({ length: SHOWN_UPDATES }, (_, at) => {
        return { ...(updates[at - SHOWN_UPDATES + updates.length] ?? NO_BAR), fromMs: at };
      }),
    [updates],
  );
  if (updates.length === 0) {
    // As high as the chart with its figures.
    return <Soft mih={{ base: '20rem', sm: '14rem' }}>Waiting for a live update.</Soft>;
  }
  const figures = (part: LatencyPart | 'total') => {
    const values = updates.map((one) => one[part]);
    return `p50 ${latencyText(percentile(values, 0.5))}, p95 ${latencyText(percentile(values, 0.95))}`;
  };
  const total = `${figures('total')} of ${updates.length}`;
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
                ...([...LATENCY_PARTS, 'total'] as const).map((part) => latencyText(one[part])),
              ]),
          }}
        />
      </details>
    </Stack>
  );
}
