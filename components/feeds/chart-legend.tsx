'use client';
import { Group } from '@mantine/core';
import { Soft } from '@/components/ui/text';
import { useSteadyWords } from '@/components/ui/time-style';
import { formatSpan } from '@/lib/core/time';
import type { PageDrawing } from '@/lib/feeds/client/chart';
import { GAPS, type GapKind, gapCounts } from '@/lib/feeds/feed-cadence';

/** Strokes and pauses of each line, pixels: colours alone are not told apart by everybody. */
export const SERIES_DASHES = [undefined, '7 3', '2 3', '10 3 2 3'];
export const SERIES_COLOURS = ['var(--ks-chart-line)', 'var(--ks-warn)', 'var(--ks-good)', 'var(--ks-odd)'];

/** Kinds of gaps are told apart by their pattern, not by colour alone. A closed market, where all is well, is plain. */
export const GAP_SHADES: Record<GapKind, { readonly colour: string; readonly lines: string }> = {
  missed: { colour: 'var(--ks-bad)', lines: 'M0 8 L8 0' },
  silent: { colour: 'var(--ks-idle)', lines: 'M4 4 h1' },
  unknown: { colour: 'var(--ks-odd)', lines: 'M0 4 h8' },
  closed: { colour: 'var(--ks-idle)', lines: 'M0 0' },
  inactive: { colour: 'var(--ks-idle)', lines: 'M0 0 L8 8' },
};

type SwatchProps = { stroke?: string; dash?: string | undefined; fill?: string };

export function Swatch({ stroke, dash, fill = 'none' }: SwatchProps) {
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
  const { feeds, fromMs, toMs, sampledEveryS, scale } = drawing;
  const [first, ...others] = feeds;
  if (first === undefined) return null;
  const kinds = [...new Set(feeds.flatMap(({ gaps }) => gaps.map(({ kind }) => kind)))];
  const isSampled = first.liveFromMs > fromMs + EDGE_MS;
  const until = first.liveFromMs >= toMs ? '' : ` before ${words(first.liveFromMs)}`;
  const leftOut = feeds.filter(({ vertices }) => vertices === undefined).map(({ symbol }) => symbol);
  const gapsOfOthers = others.map(({ symbol, gaps }) => `${symbol}: ${gapCounts(gaps) || 'none'}`);
  return (
    <Soft component="div" size="xs">
      <Group justify="space-between" gap="xs">
        <Group gap="sm" aria-hidden="true">
          <Swatch stroke="var(--ks-chart-line)" /> Price
          <Swatch fill="var(--ks-chart-band)" /> Confidence
          <Swatch stroke="var(--ks-chart-ema)" dash="3 3" /> EMA
          {kinds.map((kind) => (
            <Group key={kind} gap={6} title={GAPS[kind].meaning}>
              <Swatch fill={`color-mix(in srgb, ${GAP_SHADES[kind].colour} 25%, transparent)`} />
              {GAPS[kind].label}
            </Group>
          ))}
        </Group>
        <p data-gaps={kinds.join(' ')} style={{ minHeight: '1.45em' }}>
          {gapCounts(first.gaps)}{' '}
          {/* Of a sampled part nobody knows more than its samples, and that is said. */}
          {isSampled ? `Backfilled${until}: sampled every ${formatSpan(sampledEveryS * 1000)}.` : null}
        </p>
      </Group>
      {leftOut.length === 0 ? null : (
        <p>
          Not in the chart: <bdi>{leftOut.join(', ')}</bdi> (
          {scale === 'axes' ? 'two axes show two feeds' : 'a price of zero has no index'})
        </p>
      )}
      {others.length === 0 ? null : (
        <p>
          Gaps of compared feeds: <bdi>{gapsOfOthers.join('; ')}</bdi>
        </p>
      )}
    </Soft>
  );
}
