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
  const remove = (key: string) => show(choices.filter((choice) => choiceKey(choice) !== key));
  const add = (feeds: readonly FeedName[]) => show([...choices, ...freshChoices(feeds, ids)]);

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
        {choices.length === 0 ? <EmptyBoard /> : <Cards choices={choices} times={times} onRemove={remove} />}
      </div>
    </FeedStoreProvider>
  );
}

/** The page's own history entry: no round trip to the server, and Back still returns. */
function show(choices: readonly FeedChoice[]): void {
  window.history.pushState(null, '', boardUrl(choices));
}

function freshChoices(feeds: readonly FeedName[], ids: readonly string[]): FeedChoice[] {
  return feeds.flatMap((feed) => (ids.includes(feed.id) ? [] : { kind: 'feed', feed }));
}

function Cards({
  choices,
  times,
  onRemove,
}: {
  choices: readonly FeedChoice[];
  times: CardTimes;
  onRemove: (key: string) => void;
}) {
  return (
    <div className={classes.grid}>
      {choices.map((choice) => {
        const key = choiceKey(choice);
        const remove = () => onRemove(key);
        return choice.kind === 'feed' ? (
          <FeedCard key={key} feed={choice.feed} times={times} onRemove={remove} />
        ) : (
          <UnnamedCard key={key} text={choice.text} onRemove={remove} />
        );
      })}
    </div>
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

function EmptyBoard() {
  return (
    <div className={classes.empty}>
      <h2>No feed is chosen</h2>
      <p>Add one: search above by symbol, name or id, for example “BTC”, and press Enter.</p>
      <button
        type="button"
        className={classes.defaults}
        onClick={() => window.history.pushState(null, '', FEEDS_PATH)}
      >
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
