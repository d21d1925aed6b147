'use client';
import { useSteadyWords } from '@/components/ui/time-style';
import { formatSpan } from '@/lib/core/time';
import type { DrawnFeed, PageDrawing } from '@/lib/feeds/client/page-chart';
import { gapCountWords, gapName } from '@/lib/feeds/client/update-rows';
import { countGaps, type GapCounts, type GapKind } from '@/lib/feeds/feed-gaps';
import classes from './page.module.css';

const KINDS: readonly GapKind[] = ['missed', 'silent', 'untold'];
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
    <div className={classes.legend}>
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
      <p className={classes.soft} data-gaps={kinds.join(' ')}>
        {isSeeded && kinds.length === 0 ? null : gapCountWords(counts)}{' '}
        {isSeeded ? seededWords(feed, drawing, words) : null}
      </p>
      {leftOut.length === 0 ? null : (
        <p className={classes.others}>
          Not in the chart: <bdi>{leftOut.join(', ')}</bdi>,{' '}
          {drawing.scale === 'axes'
            ? 'since two axes show the first two feeds.'
            : 'since a price of zero can’t be indexed.'}
        </p>
      )}
      {others.length === 0 ? null : (
        <ul className={classes.others} aria-label="Gaps of the compared feeds">
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
    </div>
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
