'use client';
import { Button, Group, Stack, TextInput, Title } from '@mantine/core';
import type { Route } from 'next';
import { useCallback, useMemo, useRef, useState } from 'react';
import { announce } from '@/components/ui/announce';
import { Icon } from '@/components/ui/icons';
import { Choice, Segments } from '@/components/ui/inputs';
import { Link } from '@/components/ui/link';
import { LiveControls } from '@/components/ui/live-controls';
import { Muted, MutedInline } from '@/components/ui/text';
import { UrlProblems } from '@/components/ui/url-problems';
import { pickParams, QueryProvider } from '@/components/ui/use-query-text';
import { formatSpan } from '@/lib/core/time';
import {
  BOARD_WINDOWS,
  type BoardSize,
  type BoardSort,
  type BoardStyle,
  type BoardWindow,
  boardUrl,
  FEEDS_PARAMS,
  FEEDS_PATH,
  type FeedChoice,
  type FeedName,
  type FeedsInitialData,
  findText,
  pathWithQuery,
} from '@/lib/feeds/board-url';
import { withMove } from '@/lib/feeds/client/board-order';
import { useDayAgo } from '@/lib/feeds/client/day-ago';
import { searchFeeds } from '@/lib/feeds/client/directory';
import { TILE_POINTS } from '@/lib/feeds/client/history';
import { FeedPageProvider, useFeedPage, useStateCounts } from '@/lib/feeds/client/hooks';
import { usePast } from '@/lib/feeds/client/use-past';
import { AlertMenu } from './alerts';
import classes from './board.module.css';
import { BoardMenu } from './board-menu';
import { FeedCard, UnnamedCard } from './feed-card';
import { FeedChooser } from './feed-chooser';
import { FeedRow, UnnamedRow } from './feed-row';
import { BOARD_MOMENTS } from './feed-sparkline';
import shared from './feeds.module.css';
import { copyExact, FEED_STATES, type FeedState } from './figures';
import list from './list.module.css';
import { StreamStatus } from './stream-status';
import { type ShowBoard, useBoard, useBoardMoves, useBoardOrder } from './use-board';

/** Rate requested for each feed; faster changes can't be read. The server sends the latest update of each interval. */
const UPDATES_PER_S = 5;
/** Boards with more feeds (a screen of tiles) request `UPDATES_PER_S_OF_MANY`. */
const MANY_FEEDS = 24;
const UPDATES_PER_S_OF_MANY = 1;

/** Past points requested for a tile: about one for each pixel of its chart. */
const FILL_POINTS = 200;

/** The URL has the feeds, so a link shows the same ones and Back undoes a change. */
export function FeedBoard(props: FeedsInitialData) {
  return (
    <QueryProvider canonical={(params) => pickParams(params, FEEDS_PARAMS)}>
      <Board {...props} />
    </QueryProvider>
  );
}

function Board(initial: FeedsInitialData) {
  const { choices, style, problems, isResolving, show } = useBoard(initial);
  const feeds = useMemo(() => choices.flatMap(({ feed }) => feed ?? []), [choices]);
  const ids = feeds.map(({ id }) => id);
  const perS = ids.length > MANY_FEEDS ? UPDATES_PER_S_OF_MANY : UPDATES_PER_S;
  const page = useFeedPage(initial, feeds, TILE_POINTS, perS);
  const windowMs = BOARD_WINDOWS[style.window];
  // One request for all tiles, including those off screen.
  const past = usePast(page.store, { ids, spanMs: windowMs, moments: BOARD_MOMENTS, points: FILL_POINTS });
  const isFilled = past.kind === 'complete';
  const dayAgo = useDayAgo(page.store, ids, isFilled);
  const filled = useMemo(() => ({ ...page, isFilled, dayAgo }), [page, isFilled, dayAgo]);
  const grid = useRef<HTMLDivElement>(null);
  const ordered = useBoardOrder(choices, style, page.store, grid);
  const shown = useMemo(() => matchingChoices(ordered, style.find), [ordered, style.find]);
  const size = style.size ?? sizeFor(choices.length);
  const isList = size === 'list';
  const [Named, Unnamed] = isList ? [FeedRow, UnnamedRow] : [FeedCard, UnnamedCard];
  const keys = shown.map(({ key }) => key);
  const { drag, handlers } = useBoardMoves(grid, keys, (move) => {
    const moved = withMove(ordered, move);
    // The order on screen becomes the order of the board.
    show(({ style }) => ({ choices: moved, style: { ...style, sort: 'hand' } }), 'push');
    const index = moved.findIndex(({ key }) => key === move.key);
    announce(`${moved[index]?.feed?.symbol ?? move.key}: place ${index + 1} of ${moved.length}`);
  });
  const { add, remove } = useBoardEdits(show);
  return (
    <FeedPageProvider value={filled}>
      <div className={`page ${shared.page}`}>
        <BoardHead
          choices={choices}
          feeds={feeds}
          address={boardUrl(choices, style)}
          onAdd={add}
          onRemove={remove}
        />
        {choices.length > 0 && (
          <BoardTools
            style={style}
            size={size}
            feedCount={choices.length}
            shownCount={shown.length}
            show={show}
          />
        )}
        <UrlProblems problems={problems} />
        <p id="board-keys" hidden>
          Drag it, or move it with the arrow keys, Home and End.
        </p>
        {shown.length === 0 && <NothingShown isEmpty={choices.length === 0} show={show} />}
        {isList && shown.length > 0 && <ListHeads window={WINDOWS[style.window]} />}
        <div
          ref={grid}
          className={isList ? list.list : classes.grid}
          style={isList ? undefined : style.size === undefined ? fillingTiles(choices.length) : TILES[size]}
          // Five tiles fill the screen in rows of two and three.
          data-first={style.size === undefined && shown.length === 5 ? '2' : undefined}
          onCopy={copyExact}
          {...handlers}
        >
          {shown.map(({ key, feed }) => (
            <div
              key={key}
              className={classes.tile}
              data-tile={key}
              data-drag={drag?.key === key ? 'taken' : undefined}
              data-drop={drag?.move?.target === key ? drag.move.side : undefined}
            >
              {feed === undefined ? (
                <Unnamed text={key} isSearching={isResolving} onRemove={remove} />
              ) : (
                <Named feed={feed} windowMs={windowMs} onRemove={remove} />
              )}
            </div>
          ))}
        </div>
      </div>
    </FeedPageProvider>
  );
}

/** Stable functions, so that no tile renders again. */
function useBoardEdits(show: ShowBoard) {
  const remove = useCallback(
    (key: string) =>
      show((now) => ({ ...now, choices: now.choices.filter((choice) => choice.key !== key) }), 'push'),
    [show],
  );
  const add = useCallback(
    (chosen: readonly FeedName[]) =>
      show((now) => {
        const fresh = chosen.filter(({ id }) => !now.choices.some(({ key }) => key === id));
        return { ...now, choices: [...now.choices, ...fresh.map((feed) => ({ key: feed.id, feed }))] };
      }, 'push'),
    [show],
  );
  return { add, remove };
}

type HeadProps = {
  choices: readonly FeedChoice[];
  feeds: readonly FeedName[];
  address: string;
  onAdd: (chosen: readonly FeedName[]) => void;
  onRemove: (key: string) => void;
};

function BoardHead({ choices, feeds, address, onAdd, onRemove }: HeadProps) {
  const ids = feeds.map(({ id }) => id);
  return (
    <Group gap="xs">
      <Title order={1}>
        Feeds{' '}
        <MutedInline size="lg" className="num">
          {choices.length}
        </MutedInline>
      </Title>
      {choices.length > 0 && <BoardStatus feeds={feeds} />}
      <Group gap="xs" className={classes.actions}>
        <FeedChooser chosenIds={new Set(ids)} onAdd={onAdd} onRemove={({ id }) => onRemove(id)} />
        {ids.length > 0 && (
          <Button component={Link} href={pathWithQuery('/prices', { ids: ids.join(',') }) as Route}>
            Compare hosts
          </Button>
        )}
        <BoardMenu address={address} />
        <AlertMenu />
      </Group>
    </Group>
  );
}

/** `isEmpty`: the board has no feeds; otherwise none matches its filter. */
function NothingShown({ isEmpty, show }: { isEmpty: boolean; show: ShowBoard }) {
  return (
    <Stack align="start" maw="34rem" mx="auto" my="10vh">
      <Title order={2}>{isEmpty ? 'No feeds' : 'No results'}</Title>
      {isEmpty ? (
        <>
          <p>Search above by symbol, name, asset class or id, for example “BTC”, and press Enter.</p>
          <Button onClick={() => window.history.pushState(null, '', FEEDS_PATH)}>Show default feeds</Button>
        </>
      ) : (
        <Button onClick={() => show((now) => ({ ...now, style: { ...now.style, find: '' } }), 'replace')}>
          Clear filter
        </Button>
      )}
    </Stack>
  );
}

function BoardStatus({ feeds }: { feeds: readonly FeedName[] }) {
  const counts = useStateCounts(feeds);
  const hasAny = (...states: FeedState[]) => counts.some(([state]) => states.includes(state));
  const isSingle = counts.length === 1;
  const texts = counts.flatMap(([state, count]) =>
    isSingle && state === 'fresh'
      ? []
      : `${isSingle ? 'all' : count} ${FEED_STATES[state].label.toLowerCase()}`,
  );
  return (
    <StreamStatus isLate={hasAny('late', 'stale') && !hasAny('fresh')}>
      <p className="num">{texts.join(' · ')}</p>
    </StreamStatus>
  );
}

const headsOf = (window: string) => [
  '',
  'Feed',
  '',
  'Price',
  `Change, ${window}`,
  '24 h',
  'Confidence',
  'Age',
  '',
];
const MAX_COLUMNS = 6;

/** Decorative: for assistive technology, each row has labels of its own. */
function ListHeads({ window }: { window: string }) {
  return (
    <div className={list.heads} aria-hidden="true">
      {Array.from({ length: MAX_COLUMNS }, (_, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
        <span key={column} className={list.line}>
          {headsOf(window).map((head, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never reorders
            <span key={at} data-figure={at > 2 || undefined}>
              {head}
            </span>
          ))}
        </span>
      ))}
    </div>
  );
}

function matchingChoices(choices: readonly FeedChoice[], find: string): readonly FeedChoice[] {
  const text = find.trim().toLowerCase();
  if (text === '') return choices;
  const names = choices.flatMap(({ feed }) => feed ?? []);
  const matches = new Set(searchFeeds(names, find));
  return choices.filter(({ key, feed }) => (feed ? matches.has(feed) : key.toLowerCase().includes(text)));
}

const SORTS: Record<BoardSort, string> = {
  hand: 'As arranged',
  symbol: 'Symbol, A to Z',
  change: 'Change, greatest rise first',
  confidence: 'Confidence, widest first',
  age: 'Age, oldest first',
};
const WINDOWS = Object.fromEntries(
  Object.entries(BOARD_WINDOWS).map(([name, ms]) => [name, formatSpan(ms)]),
) as Record<BoardWindow, string>;
const SIZES: Record<BoardSize, string> = { list: 'List', m: 'Tiles', l: 'Large' };
/** Minimum width of a tile, and height of its chart. */
const TILES: Record<Exclude<BoardSize, 'list'>, object> = {
  m: { '--tile': '19rem', '--chart': '4.75rem' },
  l: { '--tile': '27rem', '--chart': '10rem' },
};

const MAX_TILES = 12;
const MAX_LARGE_TILES = 6;

const sizeFor = (count: number): BoardSize =>
  count > MAX_TILES ? 'list' : count > MAX_LARGE_TILES ? 'm' : 'l';

/** The number of columns and the height of the charts fill the screen. */
function fillingTiles(count: number): object {
  const columns = count > MAX_LARGE_TILES ? 4 : count === 4 ? 2 : Math.min(count, 3);
  const rows = Math.ceil(count / columns);
  // Narrow tiles have a line more.
  const textHeight = count > MAX_LARGE_TILES ? '12.5rem' : '9.9rem';
  return {
    '--tile': count > MAX_LARGE_TILES ? '19rem' : '22rem',
    '--columns': columns,
    // The screen without header, tools and the text of a tile.
    '--chart': `clamp(4.75rem, calc((100dvh - 9.5rem) / ${rows} - ${textHeight}), 40rem)`,
  };
}

type ToolsProps = {
  style: BoardStyle;
  size: BoardSize;
  feedCount: number;
  shownCount: number;
  show: ShowBoard;
};

function BoardTools({ style, size, feedCount, shownCount, show }: ToolsProps) {
  const change = (part: Partial<BoardStyle>, how: 'push' | 'replace' = 'push') =>
    show((now) => ({ ...now, style: { ...now.style, ...part } }), how);
  // Typed text is shown at once and written to the address later.
  const [typed, setTyped] = useState({ from: style.find, text: style.find });
  const isPlain = feedCount <= MAX_LARGE_TILES && style.find === '' && style.sort === 'hand';
  const isTyping = typed.from === style.find || typed.text === style.find;
  return (
    <LiveControls>
      <Group gap="xs" className={classes.tools} data-few={isPlain ? '' : undefined}>
        <Segments
          aria-label="Window"
          names={WINDOWS}
          value={style.window}
          onChoose={(window) => change({ window })}
        />
        <TextInput
          type="search"
          aria-label="Filter feeds"
          placeholder="Filter feeds"
          className={classes.forMany}
          flex="1 1 8rem"
          maw="20rem"
          leftSection={<Icon name="filter" size={14} />}
          rightSection={
            <Muted role="status" size="xs" className="num" truncate>
              {style.find === '' ? undefined : `${shownCount} of ${feedCount}`}
            </Muted>
          }
          rightSectionWidth={style.find === '' ? 0 : '5rem'}
          spellCheck={false}
          value={isTyping ? typed.text : style.find}
          onChange={({ currentTarget: { value } }) => {
            const text = findText(value);
            setTyped({ from: style.find, text });
            change({ find: text }, 'replace');
          }}
        />
        <Choice
          aria-label="Sort"
          className={classes.forMany}
          names={SORTS}
          value={style.sort}
          onChoose={(sort) => change({ sort })}
        />
        <Segments
          ml="auto"
          aria-label="Shown as"
          names={SIZES}
          value={size}
          onChoose={(chosen) => change({ size: chosen })}
        />
      </Group>
    </LiveControls>
  );
}
