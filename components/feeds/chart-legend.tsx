'use client';
import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { Muted } from '@/components/ui/text';
import { useSteadyWords } from '@/components/ui/time-style';
import { formatSpan } from '@/lib/core/time';
import { LATENCY_PARTS, type LatencyPart } from '@/lib/feeds/client/latency';
import { namesSamples, type PageDrawing } from '@/lib/feeds/client/page-drawing';
import { GAPS, type GapKind, gapCounts } from '@/lib/feeds/feed-cadence';

/** The colours differ in lightness and hue. */
export const SERIES_COLOURS = [1, 2, 3, 4].map((place) => `var(--ks-series-${place})`);

export const emaColour = (feedIndex: number) =>
  `color-mix(in srgb, ${SERIES_COLOURS[feedIndex] ?? 'var(--ks-text-faint)'} 55%, var(--ks-surface))`;

/** Greys of the latency bars, from the bottom of the stack to the top. */
export const LATENCY_COLOURS: Record<LatencyPart, string> = {
  proof: 'color-mix(in srgb, var(--ks-idle) 16%, var(--ks-surface))',
  upstream: 'color-mix(in srgb, var(--ks-idle) 30%, var(--ks-surface))',
  browser: 'color-mix(in srgb, var(--ks-idle) 60%, var(--ks-surface))',
};
const LATENCY_LABELS: Record<LatencyPart, string> = {
  proof: 'to proof',
  upstream: 'to our server',
  browser: 'to this browser',
};

/** Each kind has its own hatching, because colour alone is not enough. What is not a fault has none. */
export const GAP_SHADES: Record<GapKind, { readonly colour: string; readonly lines: string }> = {
  missed: { colour: 'var(--ks-bad)', lines: 'M0 8 L8 0' },
  silent: { colour: 'var(--ks-idle)', lines: 'M4 4 h1' },
  unknown: { colour: 'var(--ks-odd)', lines: 'M0 4 h8' },
  unjudged: { colour: 'var(--ks-idle)', lines: 'M0 0' },
  closed: { colour: 'var(--ks-idle)', lines: 'M0 0' },
  inactive: { colour: 'var(--ks-idle)', lines: 'M0 0 L8 8' },
};

export const LATENCY_NOTE =
  'Of the first update of each published second. Publish and proof times are whole seconds, so it may be up to 1 s less.';

type SwatchProps = { stroke?: string | undefined; dash?: string; fill?: string };

export function Swatch({ stroke, dash, fill = 'none' }: SwatchProps) {
  return (
    <svg aria-hidden="true" width="20" height="10">
      <rect width="20" height="10" fill={fill} />
      <line x2="20" y1="5" y2="5" stroke={stroke} strokeWidth="2" strokeDasharray={dash} />
    </svg>
  );
}

type KeyProps = { swatch: ReactNode; title?: string; children: ReactNode };

const Key = ({ swatch, title, children }: KeyProps) => (
  <Group gap={6} wrap="nowrap" title={title}>
    {swatch}
    {children}
  </Group>
);

export function ChartLegend({ drawing, children }: { drawing: PageDrawing; children: ReactNode }) {
  const words = useSteadyWords();
  const { feeds, toMs, sampledEveryS, scale } = drawing;
  const [first] = feeds;
  if (first === undefined) return null;
  const kinds = [...new Set(feeds.flatMap(({ gaps }) => gaps.map(({ kind }) => kind)))];
  const until = first.liveFromMs >= toMs ? '' : ` before ${words(first.liveFromMs)}`;
  const leftOut = feeds.filter(({ vertices }) => vertices === undefined).map(({ symbol }) => symbol);
  return (
    <Muted component="div" size="xs">
      <Group gap="0 var(--ks-gap-lg)" aria-hidden="true">
        <Key swatch={<Swatch stroke={SERIES_COLOURS[0]} />}>Price</Key>
        {drawing.hasBand && <Key swatch={<Swatch fill="var(--ks-chart-band)" />}>Confidence</Key>}
        <Key swatch={<Swatch stroke={emaColour(0)} dash="4 3" />}>EMA</Key>
        {drawing.latencyPx > 0 && (
          <Group gap="0 8px" title={LATENCY_NOTE}>
            Latency:
            {LATENCY_PARTS.map((part) => (
              <Key key={part} swatch={<Swatch fill={LATENCY_COLOURS[part]} />}>
                {LATENCY_LABELS[part]}
              </Key>
            ))}
          </Group>
        )}
        {kinds.map((kind) => (
          <Key
            key={kind}
            title={GAPS[kind].meaning}
            swatch={<Swatch fill={`color-mix(in srgb, ${GAP_SHADES[kind].colour} 25%, transparent)`} />}
          >
            {GAPS[kind].label}
          </Key>
        ))}
      </Group>
      <Group justify="space-between" gap="0 var(--ks-gap-lg)">
        <p data-gaps={kinds.join(' ')} style={{ minHeight: '1.45em' }}>
          {first.gaps.length === 0 ? '' : `${gapCounts(first.gaps)}. `}
          {/* Samples don't show the updates between them, so the legend names the sampled part. */}
          {first.isSampled
            ? `Backfilled${until}${feeds.length === 1 && namesSamples(first) ? '' : `: sampled every ${formatSpan(sampledEveryS * 1000)}`}.`
            : null}
        </p>
        {children}
      </Group>
      {leftOut.length === 0 ? null : (
        <p>
          Not in the chart: <bdi>{leftOut.join(', ')}</bdi> (
          {scale === 'axes' ? 'two axes show two feeds' : 'a price of zero has no index'})
        </p>
      )}
    </Muted>
  );
}
