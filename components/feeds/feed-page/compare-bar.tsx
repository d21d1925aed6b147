'use client';
import { FeedChooser } from '@/components/feeds/feed-chooser';
import { RemoveMark } from '@/components/feeds/remove-mark';
import type { FeedName } from '@/lib/client/feed-directory';
import { type FeedPageView, MOST_CHARTED_FEEDS } from '@/lib/contract/codec/feed-page-url';
import classes from './compare-bar.module.css';
import { withFeeds, withoutFeed } from './compared-feeds';
import type { ShowFeedView } from './use-feed-page-view';

/** The feeds of the chart with their colours, how they share it, and a field to add one. */
export function CompareBar({
  feeds,
  leftOut,
  view,
  show,
}: {
  /** The feed of the page first. */
  feeds: readonly FeedName[];
  /** Names of those that the chart can't show this way. */
  leftOut: readonly string[];
  view: FeedPageView;
  show: ShowFeedView;
}) {
  const add = (chosen: readonly FeedName[]) =>
    show((now) => ({ ...now, compared: withFeeds(now.compared, feeds, chosen) }), 'push');
  const remove = (feed: FeedName) =>
    show((now) => ({ ...now, compared: withoutFeed(now.compared, feed) }), 'push');
  return (
    <div className={classes.bar}>
      {feeds.length < MOST_CHARTED_FEEDS ? (
        <FeedChooser
          chosenIds={new Set(feeds.map(({ id }) => id))}
          onAdd={add}
          onRemove={(feed) => (feed.id === feeds[0]?.id ? undefined : remove(feed))}
        />
      ) : null}
      {feeds.length < 2 ? null : (
        <>
          <ul className={classes.legend} aria-label="Feeds in the chart">
            {feeds.map((feed, tone) => (
              <li
                key={feed.id}
                className={classes.item}
                data-tone={tone}
                data-left-out={leftOut.includes(feed.symbol) ? 'yes' : undefined}
                title={leftOut.includes(feed.symbol) ? leftOutWords(view.mode) : undefined}
              >
                <span className={classes.swatch} aria-hidden="true" />
                <bdi>{feed.symbol}</bdi>
                {leftOut.includes(feed.symbol) ? (
                  <span className="sr-only">, {leftOutWords(view.mode)}</span>
                ) : null}
                {tone === 0 ? null : (
                  <button
                    type="button"
                    className="icon-button"
                    aria-label={`Remove ${feed.symbol}`}
                    onClick={() => remove(feed)}
                  >
                    <RemoveMark />
                  </button>
                )}
              </li>
            ))}
          </ul>
          <ModeChoice view={view} show={show} />
        </>
      )}
    </div>
  );
}

/**
 * The name is struck through, which takes no room: it is known only when the chart is drawn, and nothing may move then.
 * Under the chart it is said in words.
 */
function leftOutWords(mode: FeedPageView['mode']): string {
  return mode === 'axes'
    ? 'not shown: there are two axes, and both are taken'
    : 'not shown: its price is zero where the index begins';
}

const MODES = [
  { mode: 'indexed', text: 'Indexed to 100' },
  { mode: 'axes', text: 'Two axes' },
] as const;

function ModeChoice({ view, show }: { view: FeedPageView; show: ShowFeedView }) {
  return (
    <fieldset className={classes.modes}>
      <legend className="sr-only">How the feeds share the chart</legend>
      {MODES.map(({ mode, text }) => (
        <label key={mode}>
          <input
            type="radio"
            name="mode"
            checked={view.mode === mode}
            onChange={() => show((now) => ({ ...now, mode }), 'push')}
          />{' '}
          {text}
        </label>
      ))}
    </fieldset>
  );
}
