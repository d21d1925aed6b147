import {
  type FeedEntry,
  type FeedId,
  type FeedReference,
  feedReferenceText,
  findFeed,
  parseFeedReference,
} from '@/lib/core/feed';
import { ParamReader } from '@/lib/core/param-reader';
import type { UrlProblem } from '@/lib/core/text';

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

/** What the board shows: its address, and nothing else, says so. `feeds`: in its order, each once; absent: the default ones. */
export type FeedsView = BoardLook & { readonly feeds?: readonly FeedReference[] | undefined };

export const USUAL_LOOK: BoardLook = { sort: 'hand', window: '5m', size: 'm', find: '' };

export const FEEDS_PATH = '/feeds';

/** What one stream carries; beyond that neither screen nor eye would follow. */
export const MOST_BOARD_FEEDS = 100;

const LONGEST_FIND = 100;
export const FEEDS_PARAMS = ['ids', 'sort', 'window', 'size', 'find'];

/** Feeds of a parameter, separated by commas or repeated, each once. */
export function readFeeds(read: ParamReader, param: string): FeedReference[] {
  const feeds = new Map<string, FeedReference>();
  for (const text of read.all(param).flatMap((list) => list.split(','))) {
    const reference = parseFeedReference(text);
    if (reference !== undefined && !feeds.has(keyOf(reference))) feeds.set(keyOf(reference), reference);
    if (reference === undefined && text.trim() !== '')
      read.report(param, text, 'Use a symbol, or an id of 64 hex digits.');
  }
  return [...feeds.values()];
}

/** Reads the query of `/feeds`. What cannot be read is reported, and the usual takes its place. */
export function parseFeedsUrl(params: URLSearchParams): { view: FeedsView; problems: UrlProblem[] } {
  const read = new ParamReader(params, FEEDS_PARAMS);
  const view: FeedsView = {
    feeds: params.has('ids') ? readFeeds(read, 'ids') : undefined,
    sort: read.oneOf('sort', BOARD_SORTS) ?? USUAL_LOOK.sort,
    window: read.oneOf('window', WINDOWS) ?? USUAL_LOOK.window,
    size: read.oneOf('size', BOARD_SIZES) ?? USUAL_LOOK.size,
    find: findText(params.get('find') ?? ''),
  };
  return { view, problems: read.problems };
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

export function formatFeedsUrl({ feeds, ...look }: FeedsView): '/feeds' | `/feeds?${string}` {
  const ids = feeds?.map((feed) => encoded(feedReferenceText(feed))).join(',');
  const changed = (Object.keys(USUAL_LOOK) as (keyof BoardLook)[]).flatMap((name) =>
    look[name] === USUAL_LOOK[name] ? [] : [`${name}=${encoded(look[name])}`],
  );
  const pairs = [...(ids === undefined ? [] : [`ids=${ids}`]), ...changed];
  return pairs.length === 0 ? FEEDS_PATH : `${FEEDS_PATH}?${pairs.join('&')}`;
}

/** A place on the board: a feed, or a text of the URL that names none that we know. `key`: its id, or that text. */
export type FeedChoice = { readonly key: string; readonly feed?: FeedName };

export type BoardChoice = {
  readonly choices: readonly FeedChoice[];
  readonly look: BoardLook;
  readonly problems: readonly UrlProblem[];
};

/** What a reference means: `names` are the feeds that are known; an id that is not among them is a feed all the same. */
export function choiceOf(reference: FeedReference, names: readonly FeedName[]): FeedChoice {
  const text = feedReferenceText(reference);
  const feed =
    findFeed(names as readonly FeedEntry[], text) ??
    (reference.kind === 'id' ? unnamedFeed(reference.id) : undefined);
  return feed === undefined ? { key: text } : { key: feed.id, feed };
}

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
  const { feeds = defaults, ...look } = view;
  const all = new Map(
    feeds.map((reference) => {
      const choice = choiceOf(reference, names);
      return [choice.key, choice];
    }),
  );
  const left = all.size - MOST_BOARD_FEEDS;
  const message = `A board shows at most ${MOST_BOARD_FEEDS} feeds; ${left} more are left out.`;
  const tooMany = left > 0 ? [{ param: 'ids', value: `${all.size} feeds`, message }] : [];
  const choices = [...all.values()].slice(0, MOST_BOARD_FEEDS);
  return { choices, look, problems: [...problems, ...tooMany] };
}

/** The address of a board with these choices; without any it is an empty board, not the default one. */
export function boardUrl(choices: readonly FeedChoice[], look: BoardLook): string {
  const feeds = choices.map(
    ({ key, feed }): FeedReference =>
      feed === undefined ? { kind: 'symbol', symbol: key } : { kind: 'id', id: feed.id },
  );
  return formatFeedsUrl({ ...look, feeds });
}

export function boardOfFeeds(ids: readonly FeedId[]): '/feeds' | `/feeds?${string}` {
  return formatFeedsUrl({ ...USUAL_LOOK, feeds: ids.map((id) => ({ kind: 'id', id })) });
}

/** The address of a board with more feeds at its end. Undefined for the default board, whose address names none. */
export function withFeeds(url: string, more: readonly Pick<FeedName, 'id' | 'symbol'>[]) {
  const { view } = parseFeedsUrl(new URLSearchParams(url.split('?')[1] ?? ''));
  if (view.feeds === undefined) return undefined;
  const known = new Set(view.feeds.map(keyOf));
  const fresh = more.filter(({ id, symbol }) => !known.has(id) && !known.has(symbol.toLowerCase()));
  const added = fresh.map(({ id }): FeedReference => ({ kind: 'id', id }));
  return formatFeedsUrl({ ...view, feeds: [...view.feeds, ...added] });
}
