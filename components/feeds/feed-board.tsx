'use client';
import { useSearchParams } from 'next/navigation';
import { Icon } from '@/components/ui/icons';
import {
  type BoardChoice,
  boardChoiceOf,
  boardUrl,
  choiceKey,
  type FeedChoice,
} from '@/lib/client/feed-choice';
import type { FeedName } from '@/lib/client/feed-directory';
import { FeedStoreProvider, useNewFeedStore } from '@/lib/client/feed-hooks';
import type { FeedSeed } from '@/lib/client/feed-store';
import { FEEDS_PATH, type FeedReference } from '@/lib/contract/codec/feeds-url';
import { CardFrame, CardNotice, NoNumbers } from './card-frame';
import classes from './feed-board.module.css';
import { type CardTimes, FeedCard } from './feed-card';
import { FeedChooser } from './feed-chooser';
import { StreamStatus } from './stream-status';
import { useFeedDirectory } from './use-feed-chooser';

/** The board: its feeds are what the URL names, so a link shows the same and Back goes back. */
export function FeedBoard({
  defaults,
  names,
  seeds,
  times,
}: {
  /** The feeds of the board when the URL names none. */
  defaults: readonly FeedReference[];
  /** Names of feeds as far as the server knew them when it wrote the page. */
  names: readonly FeedName[];
  seeds: readonly FeedSeed[];
  times: CardTimes;
}) {
  const { choices, problems } = useBoardChoice(names, defaults);
  const ids = choices.flatMap((choice) => (choice.kind === 'feed' ? [choice.feed.id] : []));
  const store = useNewFeedStore(seeds, ids);

  // The page's own history entry: no round trip to the server, and Back still returns.
  const go = (next: readonly FeedChoice[]) => window.history.pushState(null, '', boardUrl(next));
  const remove = (key: string) => go(choices.filter((choice) => choiceKey(choice) !== key));
  const add = (feeds: readonly FeedName[]) => {
    const fresh = feeds.filter((feed) => !ids.includes(feed.id));
    go([...choices, ...fresh.map((feed): FeedChoice => ({ kind: 'feed', feed }))]);
  };

  return (
    <FeedStoreProvider value={store}>
      <div className={classes.page}>
        <div className={classes.top}>
          <h1 className={classes.title}>
            Feeds <span className={classes.count}>{choices.length}</span>
          </h1>
          <FeedChooser chosenIds={new Set(ids)} onAdd={add} onRemove={(feed) => remove(feed.id)} />
        </div>
        {choices.length === 0 ? null : <StreamStatus writtenAtMs={times.writtenAtMs} />}
        <Problems problems={problems} />
        {choices.length === 0 ? (
          <EmptyBoard onDefaults={() => window.history.pushState(null, '', FEEDS_PATH)} />
        ) : null}
        <div className={classes.grid}>
          {choices.map((choice) =>
            choice.kind === 'feed' ? (
              <FeedCard
                key={choice.feed.id}
                feed={choice.feed}
                times={times}
                onRemove={() => remove(choice.feed.id)}
              />
            ) : (
              <UnnamedCard key={choice.text} text={choice.text} onRemove={() => remove(choice.text)} />
            ),
          )}
        </div>
      </div>
    </FeedStoreProvider>
  );
}

/** The choice of the URL. The directory is asked for when a name of the URL is none that the server knew. */
function useBoardChoice(names: readonly FeedName[], defaults: readonly FeedReference[]): BoardChoice {
  const params = new URLSearchParams(useSearchParams() ?? undefined);
  const choice = boardChoiceOf(params, names, defaults);
  const unresolved = choice.choices.some((one) => one.kind === 'unnamed' || one.feed.symbol === one.feed.id);
  const directory = useFeedDirectory(unresolved ? 'wanted' : 'not yet');
  const listed = directory.data?.feeds;
  return listed === undefined ? choice : boardChoiceOf(params, [...names, ...listed], defaults);
}

function Problems({ problems }: { problems: BoardChoice['problems'] }) {
  return problems.length === 0 ? null : (
    <ul className={classes.problems} aria-label="Not understood in the address">
      {problems.map((problem) => (
        <li key={`${problem.param} ${problem.value}`}>
          <Icon name="alert" size={14} />
          <span>
            <code className="foreign">
              {problem.param}={problem.value}
            </code>{' '}
            {problem.message}
          </span>
        </li>
      ))}
    </ul>
  );
}

function EmptyBoard({ onDefaults }: { onDefaults: () => void }) {
  return (
    <div className={classes.empty}>
      <h2>No feed is chosen</h2>
      <p>
        Search above by symbol, name or id, for example “BTC”, and press Enter to put a feed on the board.
      </p>
      <button type="button" className={classes.defaults} onClick={onDefaults}>
        Show the default feeds
      </button>
    </div>
  );
}

/** A text in the URL that is no symbol of any feed we know. */
function UnnamedCard({ text, onRemove }: { text: string; onRemove: () => void }) {
  return (
    <CardFrame
      name={text}
      detail={undefined}
      state="missing"
      badge={
        <>
          <Icon name="question" size={12} /> Unknown feed
        </>
      }
      onRemove={onRemove}
    >
      <NoNumbers />
      <CardNotice>
        No feed has this symbol. Search for it above, give its id instead, or remove it; the others go on.
      </CardNotice>
    </CardFrame>
  );
}
