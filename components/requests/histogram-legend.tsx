import type { ShownHistogram } from '@/lib/client/histogram';
import { groupDigits } from '@/lib/client/human-number';
import type { BucketCounts, HistogramState } from '@/lib/contract/codec/histogram';
import classes from './histogram.module.css';
import { histogramLabel } from './histogram-words';

/** What fills the bars of a state: a pattern of its own, so that colour is not all that tells them apart. */
export function fillOf(state: HistogramState, id: string): string {
  return state === 'completed' ? 'currentColor' : `url(#${id}-${state})`;
}

const STROKES: Record<Exclude<HistogramState, 'completed'>, string> = {
  'callback-failed': 'M-1 1l2 -2M0 6l6 -6M5 7l2 -2',
  failed: 'M0 0l6 6M0 6l6 -6',
  pending: 'M0 1.5h6M0 4.5h6',
  unknown: 'M1.5 0v6M4.5 0v6',
};

const PATTERNED = Object.keys(STROKES) as Exclude<HistogramState, 'completed'>[];

/** The patterns, once per page of an id; they take the colour of the state that they are made for. */
export function HistogramPatterns({ id }: { id: string }) {
  return (
    <defs>
      {PATTERNED.map((state) => (
        <pattern
          key={state}
          id={`${id}-${state}`}
          width="6"
          height="6"
          patternUnits="userSpaceOnUse"
          className={classes.tone}
          data-tone={state}
        >
          <rect width="6" height="6" fill="currentColor" className={classes.wash} />
          <path d={STROKES[state]} stroke="currentColor" strokeWidth="1.5" />
        </pattern>
      ))}
    </defs>
  );
}

/** Counts by state, in the order of the bars from the bottom up; only states that the whole histogram has. */
export function HistogramLegend({
  counts,
  of,
  states,
  id,
}: {
  counts: BucketCounts;
  of: ShownHistogram['of'];
  states: readonly HistogramState[];
  id: string;
}) {
  return (
    <ul className={classes.legend} data-of={of}>
      {states.map((state) => (
        <li key={state} className={classes.key}>
          <svg aria-hidden="true" width="10" height="10" className={classes.tone} data-tone={state}>
            <rect width="10" height="10" rx="1.5" fill={fillOf(state, id)} />
          </svg>
          {histogramLabel(state)} <span className="num">{groupDigits(String(counts[state]))}</span>
        </li>
      ))}
    </ul>
  );
}
