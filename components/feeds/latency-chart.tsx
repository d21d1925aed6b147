'use client';
import { Alert, Group, Stack, Table, Text } from '@mantine/core';
import dynamic from 'next/dynamic';
import { useEffect, useState } from 'react';
import { useTimeStyle } from '@/components/ui/time-style';
import { clockText } from '@/lib/core/time-text';
import { joinDrawing, useFeedStore } from '@/lib/feeds/client/hooks';
import type { LatencyPartName } from '@/lib/feeds/client/latency';
import {
  clockSentences,
  LatencyLog,
  type LatencyPicture,
  latencyPartText,
  latencyPartWords,
  latencySummaryText,
  latencyText,
} from '@/lib/feeds/client/latency';
import { loadAgain } from '@/lib/feeds/client/load-again';
import { Swatch } from './chart-legend';

const LatencyBars = dynamic(
  () => loadAgain(() => import('./large-chart').then((module) => module.LatencyBars)),
  { ssr: false, loading: () => <Text h={112}>Loading chart…</Text> },
);

/** How long the last updates of a feed were under way, part by part, with their p50. */
export function LatencyChart({ id, symbol }: { id: string; symbol: string }) {
  const picture = useLatency(id);
  if (picture === undefined) return <Text c="dimmed">Latency follows with the first live update.</Text>;
  return (
    <Stack component="figure" gap="xs" m={0}>
      <div role="img" aria-label={latencySummaryText(symbol, picture)}>
        <LatencyBars picture={picture} colours={COLOURS} />
      </div>
      <LatencyCaption picture={picture} />
      <LatencyTable symbol={symbol} picture={picture} />
    </Stack>
  );
}

/** The picture takes its turn in the page's round of drawings. */
function useLatency(id: string): LatencyPicture | undefined {
  const store = useFeedStore();
  const [picture, setPicture] = useState<LatencyPicture>();
  useEffect(() => {
    const log = new LatencyLog();
    let drawn: unknown;
    const draw = () => {
      const points = store.points(id);
      if (points === drawn) return;
      drawn = points;
      setPicture(log.read(points));
    };
    draw();
    return joinDrawing(draw);
  }, [store, id]);
  return picture;
}

/** Told apart by lightness as well as by hue, in the order in which they stand on one another. */
const COLOURS: Record<LatencyPartName, string> = {
  proof: 'var(--ks-chart-ema)',
  upstream: 'color-mix(in srgb, var(--ks-chart-line) 55%, var(--ks-surface))',
  'to-server': 'color-mix(in srgb, var(--ks-chart-line) 55%, var(--ks-surface))',
  browser: 'var(--ks-text)',
};

function LatencyCaption({ picture: { summary, offsets } }: { picture: LatencyPicture }) {
  return (
    <Stack component="figcaption" gap={4}>
      <Group component="ul" gap="md">
        {summary.medians.map(({ name, ms }) => (
          <li key={name} className="num">
            <Swatch fill={COLOURS[name]} /> {latencyPartWords(name)}{' '}
            <strong>{latencyPartText(name, ms)}</strong>
          </li>
        ))}
        <li className="num">
          Total <strong>{latencyText(summary.medianTotalMs)}</strong> (p50 of {summary.count}; max{' '}
          {latencyText(summary.slowestMs)})
        </li>
      </Group>
      <Text size="xs" c="dimmed">
        Publish and proof times are whole seconds: parts that touch them are exact to ±1 s.
      </Text>
      {clockSentences(offsets).map((sentence) => (
        <Alert key={sentence} color="wait" p="xs">
          {sentence}
        </Alert>
      ))}
    </Stack>
  );
}

/** So many updates are read in a table without getting lost. */
const ROWS = 15;

function LatencyTable({ symbol, picture }: { symbol: string; picture: LatencyPicture }) {
  const [isOpen, setOpen] = useState(false);
  const times = useTimeStyle();
  const names = picture.summary.medians.map(({ name }) => name);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen ? (
        <Table verticalSpacing={2} w="auto" ta="end" className="num">
          <caption className="sr-only">
            Latency of the last updates of <bdi>{symbol}</bdi>, newest first
          </caption>
          <Table.Thead>
            <Table.Tr>
              {['Received', ...names.map(latencyPartWords), 'Total'].map((name) => (
                <Table.Th key={name} scope="col" ta="end">
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {picture.updates
              .slice(-ROWS)
              .reverse()
              .map((update) => (
                <Table.Tr key={update.turn}>
                  <Table.Th scope="row">{clockText(update.atMs, times)}</Table.Th>
                  {names.map((name) => {
                    const part = update.parts.find((one) => one.name === name);
                    return <Table.Td key={name}>{part === undefined ? '—' : latencyText(part.ms)}</Table.Td>;
                  })}
                  <Table.Td>{latencyText(update.totalMs)}</Table.Td>
                </Table.Tr>
              ))}
          </Table.Tbody>
        </Table>
      ) : null}
    </details>
  );
}
