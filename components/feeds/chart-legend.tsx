'use client';
import { Group, Text } from '@mantine/core';
import { useSteadyWords } from '@/components/ui/time-style';
import { formatSpan } from '@/lib/core/time';
import type { PageDrawing } from '@/lib/feeds/client/chart';
import { GAP_NAMES, type GapKind, gapCountWords } from '@/lib/feeds/feed-gaps';

/** Strokes and pauses of each line, pixels: colours alone are not told apart by everybody. */
export const SERIES_DASHES = [undefined, '7 3', '2 3', '10 3 2 3'];

/** Kinds of gaps are told apart by their pattern, not by colour alone. */
export const GAP_SHADES: Record<GapKind, { readonly colour: string; readonly lines: string }> = {
  missed: { colour: 'var(--ks-bad)', lines: 'M0 8 L8 0' },
  silent: { colour: 'var(--ks-idle)', lines: 'M4 4 h1' },
  untold: { colour: 'var(--ks-odd)', lines: 'M0 4 h8' },
};

/** How a line or an area of the chart looks, beside its name. */
export function Swatch({
  stroke,
  dash,
  fill = 'none',
}: {
  stroke?: string;
  dash?: string | undefined;
  fill?: string;
}) {
  return (
    <svg aria-hidden="true" width="20" height="10">
      <rect width="20" height="10" fill={fill} />
      <line x2="20" y1="5" y2="5" stroke={stroke} strokeWidth="2" strokeDasharray={dash} />
    </svg>
  );
}

/** An update that is this near to the left edge leaves nothing to say about what is before it. */
const EDGE_MS = 3_000;

/** What the lines and shadings of the chart mean, what is missing in it, counted for each feed, and what of it is backfilled. */
export function ChartLegend({ drawing }: { drawing: PageDrawing }) {
  const words = useSteadyWords();
  const { feeds, fromMs, toMs, seedStepS } = drawing;
  const [first, ...others] = feeds;
  if (first === undefined) return null;
  const kinds = [...new Set(first.gaps.map(({ kind }) => kind))];
  const isSeeded = first.liveFromMs > fromMs + EDGE_MS;
  const seeded = first.liveFromMs >= toMs ? 'This part' : `Before ${words(first.liveFromMs)} the chart`;
  const leftOut = feeds.filter(({ vertices }) => vertices === undefined).map(({ symbol }) => symbol);
  return (
    <Text component="div" size="xs" c="dimmed">
      <Group justify="space-between" gap="xs">
        <Group gap="sm" aria-hidden="true">
          <Swatch stroke="var(--ks-series-0)" /> Price
          <Swatch fill="var(--ks-chart-band)" /> Confidence
          <Swatch stroke="var(--ks-chart-ema)" dash="3 3" /> EMA
          {kinds.map((kind) => (
            <Group key={kind} gap={6}>
              <Swatch fill={`color-mix(in srgb, ${GAP_SHADES[kind].colour} 25%, transparent)`} />
              {GAP_NAMES[kind]}
            </Group>
          ))}
        </Group>
        <p data-gaps={kinds.join(' ')}>
          {isSeeded && kinds.length === 0 ? null : gapCountWords(first.gaps)}{' '}
          {/* Of a seeded part nobody knows more than its samples, and that is said. */}
          {isSeeded ? `${seeded} is backfilled, sampled every ${formatSpan(seedStepS * 1000)}.` : null}
        </p>
      </Group>
      {leftOut.length === 0 ? null : (
        <p>
          Not in the chart: <bdi>{leftOut.join(', ')}</bdi>,{' '}
          {drawing.scale === 'axes'
            ? 'since two axes show the first two feeds.'
            : 'since a price of zero can’t be indexed.'}
        </p>
      )}
      {others.length === 0 ? null : (
        <ul aria-label="Gaps of the compared feeds">
          <li>Shaded: gaps of the first; the other lines are broken at theirs.</li>
          {others.map(({ id, symbol, gaps }) => (
            <li key={id}>
              <bdi>{symbol}</bdi>: {gapCountWords(gaps)}
            </li>
          ))}
        </ul>
      )}
    </Text>
  );
}
