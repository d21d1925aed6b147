'use client';
import type { FeedStreamOptions } from '@/lib/contract/codec/feed-history';
import type { FeedPageView } from '@/lib/contract/codec/feed-page-url';
import classes from './stream-options.module.css';
import type { ShowFeedView } from './use-feed-page-view';

type Choice = {
  readonly name: string;
  readonly meaning: string;
  readonly isOn: (options: FeedStreamOptions) => boolean;
  readonly set: (options: FeedStreamOptions, on: boolean) => FeedStreamOptions;
};

const CHOICES: readonly Choice[] = [
  {
    name: 'allow_unordered',
    meaning: 'Take updates whose publish time is older than one that came before.',
    isOn: ({ unordered }) => unordered === 'allowed',
    set: (options, on) => ({ ...options, unordered: on ? 'allowed' : undefined }),
  },
  {
    name: 'benchmarks_only',
    meaning: 'Only the first update of each second.',
    isOn: ({ benchmarks }) => benchmarks === 'only',
    set: (options, on) => ({ ...options, benchmarks: on ? 'only' : undefined }),
  },
  {
    name: 'ignore_invalid_price_ids',
    meaning: 'An id that the service does not know is left out. Without it, such an id fails the stream.',
    isOn: ({ invalidIds }) => invalidIds !== 'refused',
    set: (options, on) => ({ ...options, invalidIds: on ? undefined : 'refused' }),
  },
];

/** The options of the price update service's stream. Another choice is a stream of its own, and the chart begins anew. */
export function StreamOptions({ view, show }: { view: FeedPageView; show: ShowFeedView }) {
  const choose = ({ set }: Choice, on: boolean) =>
    show((now) => ({ ...now, options: set(now.options, on) }), 'push');
  return (
    <details className={classes.options}>
      <summary>Advanced: options of the stream</summary>
      <div className={classes.choices}>
        {CHOICES.map((choice) => (
          <label key={choice.name}>
            <input
              type="checkbox"
              checked={choice.isOn(view.options)}
              onChange={(event) => choose(choice, event.currentTarget.checked)}
            />
            <span>
              <code>{choice.name}</code>
              <span className={classes.meaning}>{choice.meaning}</span>
            </span>
          </label>
        ))}
      </div>
    </details>
  );
}
