import {
  type FeedEntry,
  type FeedId,
  type FeedReference,
  feedReferenceText,
  findFeed,
  parseFeedReference,
} from '@/lib/core/feed';
import type { UrlProblem } from '@/lib/core/text';

/** What is shown and searched of a feed, and what is known of its market. */
export type FeedName = Pick<FeedEntry, 'id' | 'symbol' | 'assetType' | 'description' | 'schedule' | 'state'>;

/** What the tiles are sorted by. `hand`: in the order of the address, as somebody arranged them. */
export const BOARD_SORTS = ['hand', 'symbol', 'change', 'confidence', 'age'] as const;
export type BoardSort = (typeof BOARD_SORTS)[number];

/** How large a tile is: `s` for many, `l` for few. */
export const BOARD_SIZES = ['s', 'm', 'l'] as const;
export type BoardSize = (typeof BOARD_SIZES)[number];

/** The windows that a tile looks back over, by how the address writes them: as far back as prices are kept. */
export const BOARD_WINDOWS = { '1m': 60_000, '5m': 300_000, '15m': 900_000, '30m': 1_800_000 } as const;
export type BoardWindow = keyof typeof BOARD_WINDOWS;
const WINDOWS = Object.keys(BOARD_WINDOWS) as BoardWindow[];

/** How the feeds of a board are shown. `find`: only those in which this text is found; empty: all. */
export type BoardLook = {
  readonly sort: BoardSort;
  readonly window: BoardWindow;
  readonly size: BoardSize;
  readonly find: string;
};

/** What the board shows: its address, and nothing else, says so. `feeds`: in its order, each once. */
export type FeedsView = BoardLook & { readonly feeds: readonly FeedReference[] };

export const USUAL_FEEDS: FeedsView = { feeds: [], sort: 'hand', window: '5m', size: 'm', find: '' };

export const FEEDS_PATH = '/feeds';

/** What one stream carries; beyond that neither screen nor eye would follow. */
export const MOST_BOARD_FEEDS = 100;

/** No symbol and no name is longer. */
const LONGEST_FIND = 100;
export const FEEDS_PARAMS = ['ids', 'sort', 'window', 'size', 'find'];

/**
 * Reads the query of `/feeds`: `ids` (ids or symbols, separated by commas or repeated), `sort`, `window`, `size` and
 * `find`. What cannot be read is reported, and the usual takes its place.
 */
export function parseFeedsUrl(params: URLSearchParams): { view: FeedsView; problems: UrlProblem[] } {
  const problems: UrlProblem[] = [];
  const report = (param: string, value: string, message: string) => problems.push({ param, value, message });
  const oneOf = <T extends string>(param: string, choices: readonly T[], usual: T): T => {
    const text = params.get(param);
    const choice = choices.find((one) => one === text);
    if (text !== null && choice === undefined) report(param, text, `It is one of ${choices.join(', ')}.`);
    return choice ?? usual;
  };
  const feeds = new Map<string, FeedReference>();
  for (const text of listOf(params, 'ids')) {
    const reference = parseFeedReference(text);
    if (reference === undefined) report('ids', text, NO_FEED);
    else if (!feeds.has(keyOf(reference))) feeds.set(keyOf(reference), reference);
  }
  const view: FeedsView = {
    feeds: [...feeds.values()],
    sort: oneOf('sort', BOARD_SORTS, USUAL_FEEDS.sort),
    window: oneOf('window', WINDOWS, USUAL_FEEDS.window),
    size: oneOf('size', BOARD_SIZES, USUAL_FEEDS.size),
    find: findText(params.get('find') ?? ''),
  };
  for (const name of new Set(params.keys())) {
    if (!FEEDS_PARAMS.includes(name))
      report(name, params.get(name) ?? '', 'This page has no such parameter.');
  }
  return { view, problems };
}

export const NO_FEED = 'A feed is given by its symbol, or by an id of 64 hex digits.';

/** The parts of a parameter, separated by commas or repeated, without the empty ones. */
export function listOf(params: URLSearchParams, name: string): string[] {
  return params
    .getAll(name)
    .flatMap((text) => text.split(','))
    .filter((text) => text.trim() !== '');
}

function keyOf(reference: FeedReference): string {
  return feedReferenceText(reference).toLowerCase();
}

/** The text to find as it is kept: cut between characters, never within one, which no address could hold. */
export function findText(text: string): string {
  return [...text].slice(0, LONGEST_FIND).join('');
}

/** Slashes and commas may stand in a query as they are, and a person can read them. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll('%2F', '/');
}

/**
 * The address of a board: `/feeds`, or `/feeds?ids=…` with commas between the feeds.
 * @param feeds `empty`: a board without feeds, which is not the default one
 */
export function formatFeedsUrl(view: FeedsView, feeds?: 'empty'): '/feeds' | `/feeds?${string}` {
  const ids = view.feeds.map((feed) => encoded(feedReferenceText(feed)));
  const look = (['sort', 'window', 'size', 'find'] as const).flatMap((name) =>
    view[name] === USUAL_FEEDS[name] ? [] : [`${name}=${encoded(view[name])}`],
  );
  const pairs = [...(ids.length > 0 || feeds === 'empty' ? [`ids=${ids.join(',')}`] : []), ...look];
  return pairs.length === 0 ? FEEDS_PATH : `${FEEDS_PATH}?${pairs.join('&')}`;
}

/** A place on the board: a feed, or a text of the URL that names none that we know. */
export type FeedChoice =
  | { readonly kind: 'feed'; readonly feed: FeedName }
  | { readonly kind: 'unnamed'; readonly text: string };

export type BoardChoice = {
  readonly choices: readonly FeedChoice[];
  readonly look: BoardLook;
  /** What of the URL could not be read. */
  readonly problems: readonly UrlProblem[];
};

/** Text that stands for the choice in the URL, and for its card on the page. */
export function choiceKey(choice: FeedChoice): string {
  return choice.kind === 'feed' ? choice.feed.id : choice.text;
}

/** What a reference means: `names` are the feeds that are known; an id that is not among them is a feed all the same. */
export function choiceOf(reference: FeedReference, names: readonly FeedName[]): FeedChoice {
  const text = feedReferenceText(reference);
  const feed = findFeed(names as readonly FeedEntry[], text);
  if (feed !== undefined) return { kind: 'feed', feed };
  return reference.kind === 'id'
    ? { kind: 'feed', feed: unnamedFeed(reference.id) }
    : { kind: 'unnamed', text };
}

/** A feed of which only the id is known. */
export function unnamedFeed(id: FeedId): FeedName {
  return { id, symbol: id, assetType: '' };
}

/** The board of a URL, each feed once. Without `ids` it is the default board; with `ids` that hold nothing it is empty. */
export function boardChoiceOf(
  params: URLSearchParams,
  names: readonly FeedName[],
  defaults: readonly FeedReference[],
): BoardChoice {
  const { view, problems } = parseFeedsUrl(params);
  const choices = new Map<string, FeedChoice>();
  for (const reference of params.has('ids') ? view.feeds : defaults) {
    const choice = choiceOf(reference, names);
    choices.set(choiceKey(choice), choice);
  }
  const { feeds: _feeds, ...look } = view;
  const left = choices.size - MOST_BOARD_FEEDS;
  const message = `A board shows at most ${MOST_BOARD_FEEDS} feeds; ${left} more are left out.`;
  const tooMany = left > 0 ? [{ param: 'ids', value: `${choices.size} feeds`, message }] : [];
  return {
    choices: [...choices.values()].slice(0, MOST_BOARD_FEEDS),
    look,
    problems: [...problems, ...tooMany],
  };
}

/** The address of a board with these choices; without any it is an empty board, not the default one. */
export function boardUrl(choices: readonly FeedChoice[], look: BoardLook): string {
  const feeds = choices.map(
    (choice): FeedReference =>
      choice.kind === 'feed' ? { kind: 'id', id: choice.feed.id } : { kind: 'symbol', symbol: choice.text },
  );
  return formatFeedsUrl({ ...look, feeds }, 'empty');
}

/** The address of a board of these feeds. */
export function boardOfFeeds(ids: readonly FeedId[]): '/feeds' | `/feeds?${string}` {
  return formatFeedsUrl({ ...USUAL_FEEDS, feeds: ids.map((id) => ({ kind: 'id', id })) });
}

/**
 * The address of a board (`/feeds?ids=…`) with more feeds at its end; the same where it has them all. Undefined for the default
 * board, whose feeds its address does not name.
 */
export function withFeeds(url: string, feeds: readonly Pick<FeedName, 'id' | 'symbol'>[]) {
  const params = new URLSearchParams(url.split('?')[1] ?? '');
  if (!params.has('ids')) return undefined;
  const { view } = parseFeedsUrl(params);
  const known = new Set(view.feeds.map(keyOf));
  const fresh = feeds.filter(({ id, symbol }) => !known.has(id) && !known.has(symbol.toLowerCase()));
  const added = fresh.map(({ id }): FeedReference => ({ kind: 'id', id }));
  return formatFeedsUrl({ ...view, feeds: [...view.feeds, ...added] });
}
