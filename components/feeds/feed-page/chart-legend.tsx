'use client';
import { gapCountWords, gapName } from '@/lib/client/feed-rows';
import { formatSpan } from '@/lib/client/human-time';
import { useSteadyWords } from '@/lib/client/time-style';
import { countGaps, type GapCounts, type GapKind } from '@/lib/domain/feed-gaps';
import classes from './chart-legend.module.css';
import type { PageDrawing } from './page-drawing';

const KINDS: readonly GapKind[] = ['missed', 'silent', 'untold'];

/** What the lines and shadings of the chart mean, and what is missing in it, counted for each feed. */
export function ChartLegend({ drawing }: { drawing: PageDrawing }) {
  const { frame, gaps } = drawing;
  const window = { fromS: frame.fromMs / 1000, untilS: frame.toMs / 1000 };
  const [counts = countGaps([], window), ...others] = gaps.map((one) => countGaps(one, window));
  const words = useSteadyWords();
  const isSampled = isSampledPart(drawing, 0);
  const kinds = kindsOf(counts);
  return (
    <div className={classes.legend}>
      {gaps.length < 2 ? <Key kinds={kinds} /> : null}
      <p className={classes.gaps} data-gaps={kinds.join(' ')}>
        {isSampled && kinds.length === 0 ? null : gapCountWords(counts)}{' '}
        {isSampled ? sampledWords(drawing, words) : null}
      </p>
      {frame.leftOut.length === 0 ? null : <LeftOut drawing={drawing} />}
      {others.length === 0 ? null : <OthersGaps drawing={drawing} counts={others} />}
    </div>
  );
}

function kindsOf(counts: GapCounts): readonly GapKind[] {
  return KINDS.filter((kind) => counts[kind].gaps > 0);
}

function Key({ kinds }: { kinds: readonly GapKind[] }) {
  return (
    <ul className={classes.lines} aria-hidden="true">
      <li data-line="price">Price</li>
      <li data-line="band">Confidence</li>
      <li data-line="ema">EMA</li>
      {kinds.map((kind) => (
        <li key={kind} data-line="gap" data-kind={kind}>
          {gapName(kind)}
        </li>
      ))}
    </ul>
  );
}

/** Shadings of four feeds over each other could not be told apart, so those of the others are counted. */
function OthersGaps({ drawing, counts }: { drawing: PageDrawing; counts: readonly GapCounts[] }) {
  const [main, ...names] = drawing.names;
  return (
    <ul className={classes.others} aria-label="Gaps of the compared feeds">
      <li>
        What is shaded are the gaps of <bdi>{main}</bdi>. The lines of the others are broken at theirs:
      </li>
      {counts.map((one, at) => (
        <li key={names[at]} data-gaps={kindsOf(one).join(' ')}>
          <bdi>{names[at]}</bdi>: {otherWords(one, isSampledPart(drawing, at + 1))}
        </li>
      ))}
    </ul>
  );
}

function LeftOut({ drawing: { frame } }: { drawing: PageDrawing }) {
  const why =
    frame.scale === 'axes'
      ? 'there are two axes, for the first two feeds'
      : 'a price of zero where the index begins can’t be 100';
  return (
    <p className={classes.others}>
      Not shown in the chart: <bdi>{frame.leftOut.join(', ')}</bdi>, since {why}.
    </p>
  );
}

function otherWords(counts: GapCounts, isSampled: boolean): string {
  if (kindsOf(counts).length > 0) return gapCountWords(counts);
  return isSampled ? 'no gap that its history tells.' : 'no gap.';
}

function isSampledPart({ liveFromMs, frame }: PageDrawing, at: number): boolean {
  return (liveFromMs[at] ?? frame.toMs) > frame.fromMs + EDGE_MS;
}

/** An update that is this near to the left edge leaves nothing to say about what is before it. */
const EDGE_MS = 3_000;

/** Of a sampled part nobody knows more than its samples, and that is said. */
function sampledWords(
  { liveFromMs: [liveFromMs], frame, sampledStepS }: PageDrawing,
  words: (ms: number) => string,
): string {
  const part =
    liveFromMs === undefined || liveFromMs >= frame.toMs
      ? 'This part'
      : `The part before ${words(liveFromMs)}`;
  const step = formatSpan(sampledStepS * 1000);
  return `${part} is history, one update for each ${step}: only silence of the feed can be told there.`;
}
