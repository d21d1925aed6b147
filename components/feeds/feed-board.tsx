'use client';
import { useCallback, useMemo, useRef } from 'react';
import { Icon } from '@/components/ui/icons';
import warnings from '@/components/ui/warning-list.module.css';
import { useAnnounce } from '@/lib/client/announce';
import { movedBeside } from '@/lib/client/feed-arrangement';
import { type BoardChoice, boardUrl, choiceKey, type FeedChoice } from '@/lib/client/feed-choice';
import { type FeedName, searchFeeds } from '@/lib/client/feed-directory';
import { BOARD_HISTORY } from '@/lib/client/feed-history';
import { FeedStoreProvider, useNewFeedStore } from '@/lib/client/feed-hooks';
import { type FeedSeed, UPDATES_PER_S } from '@/lib/client/feed-watching';
import { setAddress } from '@/lib/client/use-address';
import { FEEDS_PATH, type FeedReference } from '@/lib/contract/codec/feeds-url';
import { AlertMenu } from './alert-menu';
import { AlertPage } from './alert-page';
import { BoardGrid } from './board-grid';
import { BoardMenu } from './board-menu';
import { BoardTools } from './board-tools';
import classes from './feed-board.module.css';
import { FeedChooser } from './feed-chooser';
import { StreamStatus } from './stream-status';
import { type ShowBoard, useBoard } from './use-board';
import type { TileMove } from './use-board-moves';
import { useBoardOrder } from './use-board-order';
import type { FeedTimes } from './use-currency';

/** A screen holds about so many tiles. Of more nobody follows every one, and they share what the browser can do. */
const MANY_TILES = 24;
const UPDATES_PER_S_OF_MANY = 2;

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
  times: FeedTimes;
}) {
  const { choices, look, problems, search, show } = useBoard(names, defaults);
  const feeds = useMemo(
    () => choices.flatMap((choice) => (choice.kind === 'feed' ? [choice.feed] : [])),
    [choices],
  );
  const ids = feeds.map(({ id }) => id);
  const rate = ids.length > MANY_TILES ? UPDATES_PER_S_OF_MANY : UPDATES_PER_S;
  const store = useNewFeedStore(seeds, ids, { keeps: BOARD_HISTORY, rate });
  const grid = useRef<HTMLDivElement>(null);
  const ordered = useBoardOrder(choices, look, { store, grid });
  const shown = useMemo(() => foundIn(ordered, look.find), [ordered, look.find]);
  const move = useMove(ordered, show);
  const remove = useCallback(
    (key: string) =>
      show((now) => ({ ...now, choices: now.choices.filter((one) => choiceKey(one) !== key) }), 'push'),
    [show],
  );
  const add = (chosen: readonly FeedName[]) =>
    show((now) => ({ ...now, choices: [...now.choices, ...freshChoices(chosen, now.choices)] }), 'push');

  return (
    <FeedStoreProvider value={store}>
      <AlertPage floors={times.floors} feeds={feeds}>
        <div className={classes.page}>
          <div className={classes.top}>
            <h1 className={classes.title}>
              Feeds <span className={classes.count}>{choices.length}</span>
            </h1>
            <div className={classes.tools}>
              <BoardMenu address={boardUrl(choices, look)} />
              <AlertMenu />
              <FeedChooser chosenIds={new Set(ids)} onAdd={add} onRemove={(feed) => remove(feed.id)} />
            </div>
          </div>
          {choices.length === 0 ? null : (
            <>
              <BoardTools look={look} count={{ all: choices.length, shown: shown.length }} show={show} />
              <StreamStatus writtenAtMs={times.writtenAtMs} />
            </>
          )}
          <Problems problems={problems} />
          <p id="board-keys" hidden>
            Drag it, or move it with the arrow keys, Home and End.
          </p>
          {choices.length === 0 ? <EmptyBoard /> : null}
          {choices.length > 0 && shown.length === 0 ? <NothingFound show={show} /> : null}
          <BoardGrid
            grid={grid}
            choices={shown}
            look={look}
            times={times}
            search={search}
            onMove={move}
            onRemove={remove}
          />
        </div>
      </AlertPage>
    </FeedStoreProvider>
  );
}

/** What is put elsewhere by hand makes the order on screen the order of the board. */
function useMove(ordered: readonly FeedChoice[], show: ShowBoard): (move: TileMove) => void {
  const announce = useAnnounce();
  return ({ key, target, side }) => {
    const byKey = new Map(ordered.map((choice) => [choiceKey(choice), choice]));
    const keys = movedBeside([...byKey.keys()], key, target, side);
    show(
      ({ look }) => ({
        choices: keys.flatMap((one) => byKey.get(one) ?? []),
        look: { ...look, sort: 'hand' },
      }),
      'push',
    );
    const moved = byKey.get(key);
    const name = moved?.kind === 'feed' ? moved.feed.symbol : key;
    announce(`${name}: place ${keys.indexOf(key) + 1} of ${keys.length}`);
  };
}

function freshChoices(feeds: readonly FeedName[], known: readonly FeedChoice[]): FeedChoice[] {
  const keys = new Set(known.map(choiceKey));
  return feeds.flatMap((feed) => (keys.has(feed.id) ? [] : { kind: 'feed', feed }));
}

/** The choices in which a text is found: as the search for feeds finds them, in the order of the board. */
function foundIn(choices: readonly FeedChoice[], find: string): readonly FeedChoice[] {
  if (find.trim() === '') return choices;
  const names = choices.flatMap((choice) => (choice.kind === 'feed' ? [choice.feed] : []));
  const found = new Set<string>(searchFeeds(names, find).map(({ id }) => id));
  const text = find.trim().toLowerCase();
  return choices.filter((choice) =>
    choice.kind === 'feed' ? found.has(choice.feed.id) : choice.text.toLowerCase().includes(text),
  );
}

function Problems({ problems }: { problems: BoardChoice['problems'] }) {
  return problems.length === 0 ? null : (
    <ul className={warnings.list} aria-label="Not understood in the address">
      {problems.map((problem) => (
        <li key={`${problem.param} ${problem.value}`}>
          <Icon name="alert" size={14} />
          <span>
            <code className="foreign">
              {problem.param}={problem.value.slice(0, 200)}
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
      <p>Add one: search above by symbol, name, asset class or id, for example “BTC”, and press Enter.</p>
      <button type="button" className={classes.defaults} onClick={() => setAddress(FEEDS_PATH, 'push')}>
        Show the default feeds
      </button>
    </div>
  );
}

function NothingFound({ show }: { show: ShowBoard }) {
  return (
    <div className={classes.empty}>
      <h2>No tile matches</h2>
      <button
        type="button"
        className={classes.defaults}
        onClick={() => show((now) => ({ ...now, look: { ...now.look, find: '' } }), 'replace')}
      >
        Show all tiles
      </button>
    </div>
  );
}
