'use client';
import { Group, Text } from '@mantine/core';
import { useSteadyWords } from '@/components/ui/time-style';
import { formatSpan } from '@/lib/core/time';
import type { DrawnFeed, PageDrawing } from '@/lib/feeds/client/page-chart';
import { gapCountWords, gapName } from '@/lib/feeds/client/update-rows';
import { countGaps, type GapCounts, type GapKind } from '@/lib/feeds/feed-gaps';

/** Strokes and pauses of each line, pixels: colours alone are not told apart by everybody. */
export const SERIES_DASHES = [undefined, '7 3', '2 3', '10 3 2 3'];

/** Kinds of gaps are told apart by their pattern, not by colour alone. */
export const GAP_SHADES: Record<GapKind, { readonly colour: string; readonly lines: string }> = {
  missed: { colour: 'var(--ks-bad)', lines: 'M0 8 L8 0' },
  silent: { colour: 'var(--ks-idle)', lines: 'M4 4 h1' },
  untold: { colour: 'var(--ks-odd)', lines: 'M0 4 h8' },
};
const KINDS = Object.keys(GAP_SHADES) as GapKind[];

/** How a line or an area of the chart looks, beside its name. */
export function Swatch({
  stroke,
  dash,
  fill,
}: {
  stroke?: string;
  dash?: string | undefined;
  fill?: string;
}) {
  return (
    <svg aria-hidden="true" width="20" height="10">
      {fill === undefined ? null : <rect width="20" height="10" fill={fill} />}
      <line x2="20" y1="5" y2="5" stroke={stroke} strokeWidth="2" strokeDasharray={dash} />
    </svg>
  );
}

/** An update that is this near to the left edge leaves nothing to say about what is before it. */
const EDGE_MS = 3_000;

/** What the lines and shadings of the chart mean, what is missing in it, counted for each feed, and what of it is backfilled. */
export function ChartLegend({ drawing }: { drawing: PageDrawing }) {
  const words = useSteadyWords();
  const window = { fromS: drawing.fromMs / 1000, untilS: drawing.toMs / 1000 };
  const [first, ...others] = drawing.feeds.map((feed) => ({ feed, counts: countGaps(feed.gaps, window) }));
  if (first === undefined) return null;
  const { feed, counts } = first;
  const kinds = kindsOf(counts);
  const isSeeded = feed.liveFromMs > drawing.fromMs + EDGE_MS;
  const leftOut = drawing.feeds.filter(({ vertices }) => vertices === undefined).map(({ symbol }) => symbol);
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
              {gapName(kind)}
            </Group>
          ))}
        </Group>
        <p data-gaps={kinds.join(' ')}>
          {isSeeded && kinds.length === 0 ? null : gapCountWords(counts)}{' '}
          {isSeeded ? seededWords(feed, drawing, words) : null}
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
          <li>
            Shaded: gaps of <bdi>{feed.symbol}</bdi>. The lines of the others are broken at theirs:
          </li>
          {others.map((one) => (
            <li key={one.feed.id} data-gaps={kindsOf(one.counts).join(' ')}>
              <bdi>{one.feed.symbol}</bdi>: {gapCountWords(one.counts)}
            </li>
          ))}
        </ul>
      )}
    </Text>
  );
}

function kindsOf(counts: GapCounts): readonly GapKind[] {
  return KINDS.filter((kind) => counts[kind].gaps > 0);
}

/** Of a seeded part nobody knows more than its samples, and that is said. */
function seededWords({ liveFromMs }: DrawnFeed, drawing: PageDrawing, words: (ms: number) => string): string {
  const part = liveFromMs >= drawing.toMs ? 'This part' : `Before ${words(liveFromMs)} the chart`;
  return `${part} is backfilled, sampled every ${formatSpan(drawing.seedStepS * 1000)}.`;
}
