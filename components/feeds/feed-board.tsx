'use client';
import { Button, Group, Stack, TextInput, Title } from '@mantine/core';
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react';
import { announce } from '@/components/ui/announce';
import { Icon } from '@/components/ui/icons';
import { Choice, Segments } from '@/components/ui/inputs';
import { LiveControls } from '@/components/ui/live-controls';
import { Dim, Soft } from '@/components/ui/text';
import { UrlProblems } from '@/components/ui/url-problems';
import { knownParams, QueryProvider } from '@/components/ui/use-query-text';
import type { FeedReference } from '@/lib/core/feed';
import {
  BOARD_WINDOWS,
  type BoardLook,
  type BoardSize,
  type BoardSort,
  type BoardWindow,
  boardUrl,
  FEEDS_PARAMS,
  FEEDS_PATH,
  type FeedChoice,
  type FeedName,
  findText,
} from '@/lib/feeds/board-url';
import { type TileMove, withMove } from '@/lib/feeds/client/board-order';
import { searchFeeds } from '@/lib/feeds/client/directory';
import { TILE_POINTS } from '@/lib/feeds/client/history';
import { FeedPageProvider, useFeedPage, usePast } from '@/lib/feeds/client/hooks';
import { UPDATES_PER_S } from '@/lib/feeds/client/store';
import type { CadenceFloors } from '@/lib/feeds/feed-cadence';
import type { CompactFeed } from '@/lib/feeds/stream-events';
import { AlertMenu } from './alerts';
import classes from './board.module.css';
import { BoardMenu } from './board-menu';
import { FeedCard, UnnamedCard } from './feed-card';
import { FeedChooser } from './feed-chooser';
import { BOARD_MOMENTS } from './feed-sparkline';
import shared from './feeds.module.css';
import { StreamStatus } from './stream-status';
import { type ShowBoard, useBoard, useBoardMoves, useBoardOrder } from './use-board';

/** A screen holds about so many tiles. Of more nobody follows every one, and they share what the browser can do. */
const MANY_TILES = 24;
const UPDATES_PER_S_OF_MANY = 2;
/** What our server remembers comes thinned out to so many updates for a tile: they fill its pixels. */
const FILL_POINTS = 200;

type BoardProps = {
  /** The feeds of the board when the URL names none. */
  defaults: readonly FeedReference[];
  /** Names of feeds as far as the server knew them when it wrote the page. */
  names: readonly FeedName[];
  updates: readonly CompactFeed[];
  floors: CadenceFloors;
};

/** The board: its feeds are what the URL names, so a link shows the same and Back goes back. */
export function FeedBoard(props: BoardProps) {
  return (
    <QueryProvider canonical={(params) => knownParams(params, FEEDS_PARAMS)}>
      <Board {...props} />
    </QueryProvider>
  );
}

function Board({ defaults, names, updates, floors }: BoardProps) {
  const { choices, look, problems, isLooking, show } = useBoard(names, defaults);
  const feeds = useMemo(() => choices.flatMap(({ feed }) => feed ?? []), [choices]);
  const ids = feeds.map(({ id }) => id);
  const perS = ids.length > MANY_TILES ? UPDATES_PER_S_OF_MANY : UPDATES_PER_S;
  const page = useFeedPage(updates, feeds, { floors, mostPoints: TILE_POINTS, perS });
  const windowMs = BOARD_WINDOWS[look.window];
  // One question for all tiles, however few of them are on screen.
  usePast(page.store, { ids, spanMs: windowMs, moments: BOARD_MOMENTS, points: FILL_POINTS });
  const grid = useRef<HTMLDivElement>(null);
  const ordered = useBoardOrder(choices, look, page.store, grid);
  const shown = useMemo(() => foundIn(ordered, look.find), [ordered, look.find]);
  const { drag, handlers } = useBoardMoves(
    grid,
    shown.map(({ key }) => key),
    useMove(ordered, show),
  );
  const remove = useCallback(
    (key: string) =>
      show((now) => ({ ...now, choices: now.choices.filter((one) => one.key !== key) }), 'push'),
    [show],
  );
  const add = (chosen: readonly FeedName[]) =>
    show((now) => {
      const fresh = chosen.filter(({ id }) => !now.choices.some(({ key }) => key === id));
      return { ...now, choices: [...now.choices, ...fresh.map((feed) => ({ key: feed.id, feed }))] };
    }, 'push');

  return (
    <FeedPageProvider value={page}>
      <div className={`page ${shared.page}`}>
        <Group justify="space-between" gap="xs">
          <Title order={1}>
            Feeds{' '}
            <Dim size="lg" className="num">
              {choices.length}
            </Dim>
          </Title>
          <Group gap="xs" flex="1 1 24rem" justify="flex-end">
            <FeedChooser chosenIds={new Set(ids)} onAdd={add} onRemove={(feed) => remove(feed.id)} />
            <BoardMenu address={boardUrl(choices, look)} />
            <AlertMenu />
          </Group>
        </Group>
        {choices.length === 0 ? null : (
          <>
            <BoardTools look={look} count={`${shown.length} of ${choices.length}`} show={show} />
            <StreamStatus />
          </>
        )}
        <UrlProblems problems={problems} />
        <p id="board-keys" hidden>
          Drag it, or move it with the arrow keys, Home and End.
        </p>
        {choices.length === 0 ? (
          <Empty title="No feeds">
            <p>Search above by symbol, name, asset class or id, for example “BTC”, and press Enter.</p>
            <Button onClick={() => window.history.pushState(null, '', FEEDS_PATH)}>Show default feeds</Button>
          </Empty>
        ) : shown.length === 0 ? (
          <Empty title="No results">
            <Button onClick={() => show((now) => ({ ...now, look: { ...now.look, find: '' } }), 'replace')}>
              Clear filter
            </Button>
          </Empty>
        ) : null}
        <div ref={grid} className={classes.grid} data-size={look.size} {...handlers}>
          {shown.map(({ key, feed }) => (
            <div
              key={key}
              className={classes.tile}
              data-tile={key}
              data-drag={drag?.key === key ? 'taken' : undefined}
              data-drop={drag?.move?.target === key ? drag.move.side : undefined}
            >
              {feed === undefined ? (
                <UnnamedCard text={key} isLooking={isLooking} onRemove={remove} />
              ) : (
                <FeedCard feed={feed} windowMs={windowMs} onRemove={remove} />
              )}
            </div>
          ))}
        </div>
      </div>
    </FeedPageProvider>
  );
}

function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack align="start" maw="34rem" mx="auto" my="10vh">
      <Title order={2}>{title}</Title>
      {children}
    </Stack>
  );
}

/** What is put elsewhere by hand makes the order on screen the order of the board. */
function useMove(ordered: readonly FeedChoice[], show: ShowBoard): (move: TileMove) => void {
  return (move) => {
    const byKey = new Map(ordered.map((choice) => [choice.key, choice]));
    const keys = withMove([...byKey.keys()], move);
    const choices = keys.flatMap((one) => byKey.get(one) ?? []);
    show(({ look }) => ({ choices, look: { ...look, sort: 'hand' } }), 'push');
    const name = byKey.get(move.key)?.feed?.symbol ?? move.key;
    announce(`${name}: place ${keys.indexOf(move.key) + 1} of ${keys.length}`);
  };
}

/** The choices in which a text is found: as the search for feeds finds them, in the order of the board. */
function foundIn(choices: readonly FeedChoice[], find: string): readonly FeedChoice[] {
  const text = find.trim().toLowerCase();
  if (text === '') return choices;
  const names = choices.flatMap(({ feed }) => feed ?? []);
  const found = new Set(searchFeeds(names, find));
  return choices.filter(({ key, feed }) => (feed ? found.has(feed) : key.toLowerCase().includes(text)));
}

const SORTS: Record<BoardSort, string> = {
  hand: 'As arranged',
  symbol: 'Symbol, A to Z',
  change: 'Change, greatest rise first',
  confidence: 'Confidence, widest first',
  age: 'Age, oldest first',
};
const WINDOWS: Record<BoardWindow, string> = {
  '1m': '1 min',
  '5m': '5 min',
  '15m': '15 min',
  '30m': '30 min',
};
const SIZES: Record<BoardSize, string> = { s: 'Small', m: 'Medium', l: 'Large' };

type ToolsProps = { look: BoardLook; count: string; show: ShowBoard };

/** Which tiles are shown, in which order and size, and how far back they look. @param count how many of them are shown */
function BoardTools({ look, count, show }: ToolsProps) {
  const change = (part: Partial<BoardLook>, how: 'push' | 'replace' = 'push') =>
    show((now) => ({ ...now, look: { ...now.look, ...part } }), how);
  // What is typed stands here at once; the address follows.
  const [typed, setTyped] = useState({ from: look.find, text: look.find });
  const isTyping = typed.from === look.find || typed.text === look.find;
  return (
    <LiveControls>
      <Group gap="xs">
        <TextInput
          type="search"
          aria-label="Filter tiles"
          placeholder="Filter tiles"
          flex="1 1 8rem"
          maw="20rem"
          leftSection={<Icon name="filter" size={14} />}
          rightSection={
            <Soft role="status" size="xs" className="num" truncate>
              {look.find === '' ? undefined : count}
            </Soft>
          }
          rightSectionWidth={look.find === '' ? 0 : '5rem'}
          spellCheck={false}
          value={isTyping ? typed.text : look.find}
          onChange={({ currentTarget: { value } }) => {
            const text = findText(value);
            setTyped({ from: look.find, text });
            change({ find: text }, 'replace');
          }}
        />
        <Choice aria-label="Sort" names={SORTS} value={look.sort} onChoose={(sort) => change({ sort })} />
        <Segments
          aria-label="Window"
          names={WINDOWS}
          value={look.window}
          onChoose={(window) => change({ window })}
        />
        <Segments
          aria-label="Tile size"
          names={SIZES}
          value={look.size}
          onChoose={(size) => change({ size })}
        />
      </Group>
    </LiveControls>
  );
}
