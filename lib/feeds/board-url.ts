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
import type { CadenceFloors } from './feed-cadence';
import type { CompactFeed } from './price-update';

export type FeedName = Pick<
  FeedEntry,
  'id' | 'symbol' | 'assetType' | 'description' | 'schedule' | 'areHoursPending' | 'state'
>;

/** Answer of `/api/view/feeds`, sorted by symbol. */
export type FeedDirectoryAnswer = {
  readonly feeds: readonly FeedName[];
  readonly source: 'services' | 'built-in';
  /** Every configured list has answered since the start. Until then market hours may be missing. */
  readonly isWhole: boolean;
};

export type FeedsInitialData = {
  /** Feeds of the board if the URL names none (setting `FEEDS`). */
  readonly defaults: readonly FeedReference[];
  /** Names of the page's feeds, as far as known. `updates` is empty if the service took too long. */
  readonly names: readonly FeedName[];
  /** Whether the directory is complete; false if it took too long. */
  readonly isWhole: boolean;
  readonly updates: readonly CompactFeed[];
  readonly floors: CadenceFloors;
};

/** `hand`: the order of the address, as the user arranged it. */
const BOARD_SORTS = ['hand', 'symbol', 'change', 'confidence', 'age'] as const;
export type BoardSort = (typeof BOARD_SORTS)[number];

/** A row of a list, or a medium or large tile. */
const BOARD_SIZES = ['list', 'm', 'l'] as const;
export type BoardSize = (typeof BOARD_SIZES)[number];

/** Windows in ms, by their spelling in the address. The longest is the time for which prices are kept. */
export const BOARD_WINDOWS = { '1m': 60_000, '5m': 300_000, '15m': 900_000, '30m': 1_800_000 } as const;
export type BoardWindow = keyof typeof BOARD_WINDOWS;
const WINDOWS = Object.keys(BOARD_WINDOWS) as BoardWindow[];

/** Looks of a board. Only feeds that contain `find` are shown. */
export type BoardStyle = {
  readonly sort: BoardSort;
  readonly window: BoardWindow;
  /** If undefined, the number of feeds decides. */
  readonly size: BoardSize | undefined;
  readonly find: string;
};

/** `feeds` is without repetition; if absent, the default feeds are shown. */
export type FeedsView = BoardStyle & { readonly feeds?: readonly FeedReference[] | undefined };

const DEFAULT_STYLE: BoardStyle = { sort: 'hand', window: '5m', size: undefined, find: '' };

export const FEEDS_PATH = '/feeds';

/** Nobody could follow more tiles. */
const MAX_BOARD_FEEDS = 100;

const MAX_FIND = 100;
export const FEEDS_PARAMS = ['ids', 'sort', 'window', 'size', 'find'];

/** Feeds of a repeated or comma-separated parameter, without repetition. */
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

/** An unreadable value is reported and replaced by its default. */
export function parseFeedsUrl(params: URLSearchParams): { view: FeedsView; problems: UrlProblem[] } {
  const read = new ParamReader(params, FEEDS_PARAMS);
  const view: FeedsView = {
    feeds: params.has('ids') ? readFeeds(read, 'ids') : undefined,
    sort: read.oneOf('sort', BOARD_SORTS) ?? DEFAULT_STYLE.sort,
    window: read.oneOf('window', WINDOWS) ?? DEFAULT_STYLE.window,
    // Old links name small tiles, which the list has replaced.
    size: params.get('size') === 's' ? 'list' : read.oneOf('size', BOARD_SIZES),
    find: findText(params.get('find') ?? ''),
  };
  return { view, problems: read.problems };
}

function keyOf(reference: FeedReference): string {
  return feedReferenceText(reference).toLowerCase();
}

/** Cuts between characters, because half a character could not be put into an address. */
export function findText(text: string): string {
  return [...text].slice(0, MAX_FIND).join('');
}

/** Escapes a text for an address, but leaves slashes, commas and colons readable. */
export function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/%(2F|2C|3A)/g, decodeURIComponent);
}

/** Undefined parameters are left out. */
export function pathWithQuery<Path extends string>(path: Path, query: Record<string, string | undefined>) {
  const pairs = Object.entries(query).flatMap(([name, text = null]) =>
    text === null ? [] : `${name}=${encoded(text)}`,
  );
  return pairs.length === 0 ? path : (`${path}?${pairs.join('&')}` as const);
}

export const listText = (feeds: readonly FeedReference[]) => feeds.map(feedReferenceText).join(',');

const changedOf = (style: BoardStyle): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(style).filter(([name, text]) => text !== DEFAULT_STYLE[name as keyof BoardStyle]),
  );

export function formatFeedsUrl({ feeds, ...style }: FeedsView) {
  return pathWithQuery(FEEDS_PATH, { ids: feeds && listText(feeds), ...changedOf(style) });
}

/** `key` is the id of the feed, or an unknown name from the URL. */
export type FeedChoice = { readonly key: string; readonly feed?: FeedName };

export type BoardChoice = {
  readonly choices: readonly FeedChoice[];
  readonly style: BoardStyle;
  readonly problems: readonly UrlProblem[];
};

/**
 * Choices without repetition. An id counts as a feed even if `names` does not contain it.
 * @param isWhole whether `names` come from a complete directory
 */
export function boardChoices(
  references: readonly FeedReference[],
  names: readonly FeedName[],
  isWhole: boolean,
): readonly FeedChoice[] {
  const choices = references.map((reference): FeedChoice => {
    const text = feedReferenceText(reference);
    const unnamed = reference.kind === 'id' ? unnamedFeed(reference.id, isWhole) : undefined;
    const feed = findFeed(names, text) ?? unnamed;
    return feed === undefined ? { key: text } : { key: feed.id, feed };
  });
  return [...new Map(choices.map((choice) => [choice.key, choice])).values()];
}

/** A feed that no list names, or not yet. */
export function unnamedFeed(id: FeedId, isWhole: boolean): FeedName {
  return { id, symbol: id, assetType: '', ...(isWhole ? {} : { areHoursPending: true }) };
}

/** The chosen board of a URL: the default one if `ids` is absent, an empty one if it is empty. */
export function boardChoiceOf(
  params: URLSearchParams,
  { names, isWhole, defaults }: Pick<FeedsInitialData, 'names' | 'isWhole' | 'defaults'>,
): BoardChoice {
  const { view, problems } = parseFeedsUrl(params);
  const { feeds = defaults, ...style } = view;
  const all = boardChoices(feeds, names, isWhole);
  const left = all.length - MAX_BOARD_FEEDS;
  const message = `A board shows at most ${MAX_BOARD_FEEDS} feeds; ${left} more are left out.`;
  if (left > 0) problems.push({ param: 'ids', value: `${all.length} feeds`, message });
  return { choices: all.slice(0, MAX_BOARD_FEEDS), style, problems };
}

/** An empty list gives an empty board, not the default one. */
export function boardUrl(choices: readonly FeedChoice[], style: BoardStyle): string {
  return pathWithQuery(FEEDS_PATH, { ids: choices.map(({ key }) => key).join(','), ...changedOf(style) });
}

export function boardOfFeeds(ids: readonly FeedId[]) {
  return pathWithQuery(FEEDS_PATH, { ids: ids.join(',') });
}

/** Adds feeds at the end. Undefined for the default board, whose address lists none. */
export function withFeeds(url: string, more: readonly Pick<FeedName, 'id' | 'symbol'>[]) {
  const { view } = parseFeedsUrl(new URLSearchParams(url.split('?')[1] ?? ''));
  if (view.feeds === undefined) return undefined;
  const keys = new Set(view.feeds.map(keyOf));
  const fresh = more.filter(({ id, symbol }) => !keys.has(id) && !keys.has(symbol.toLowerCase()));
  const added = fresh.map(({ id }): FeedReference => ({ kind: 'id', id }));
  return formatFeedsUrl({ ...view, feeds: [...view.feeds, ...added] });
}
