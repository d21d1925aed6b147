import { type FeedId, parseFeedId } from '@/lib/domain/feed';
import type { UrlProblem } from '@/lib/domain/url-problem';

/** A feed as the URL names it: by id, or by a symbol that the feed directory has to resolve. */
export type FeedReference = { kind: 'id'; id: FeedId } | { kind: 'symbol'; symbol: string };

/** What the tiles are sorted by. `hand`: in the order of the address, as somebody arranged them. */
export const BOARD_SORTS = ['hand', 'symbol', 'change', 'confidence', 'age'] as const;
export type BoardSort = (typeof BOARD_SORTS)[number];

/** How large a tile is: `s` for many, `l` for few. */
export const BOARD_SIZES = ['s', 'm', 'l'] as const;
export type BoardSize = (typeof BOARD_SIZES)[number];

/** The windows that a tile looks back over, by how the address writes them: as far back as prices are kept. */
export const BOARD_WINDOWS = { '1m': 60_000, '5m': 300_000, '15m': 900_000, '30m': 1_800_000 } as const;
export type BoardWindow = keyof typeof BOARD_WINDOWS;

/** What the board shows: its address, and nothing else, says so. */
export type FeedsView = {
  /** In the order of the address, each once; empty means the default board. */
  readonly feeds: readonly FeedReference[];
  readonly sort: BoardSort;
  readonly window: BoardWindow;
  readonly size: BoardSize;
  /** Only the feeds in which this text is found; empty: all. */
  readonly find: string;
};

export const USUAL_FEEDS: FeedsView = { feeds: [], sort: 'hand', window: '5m', size: 'm', find: '' };

export const FEEDS_PATH = '/feeds';

/** No symbol and no name is longer. */
export const LONGEST_FIND = 100;

/** The reference for one id or symbol as a person writes it; undefined for blanks and for hex of a wrong length. */
export function parseFeedReference(text: string): FeedReference | undefined {
  const trimmed = text.trim();
  const id = parseFeedId(trimmed);
  if (id !== undefined) return { kind: 'id', id };
  // A long run of hex, or one with 0x, was meant as an id; symbols are short words with a slash or a dot.
  const brokenId = /^0x/i.test(trimmed) || /^[0-9a-f]{32,}$/i.test(trimmed);
  return trimmed === '' || brokenId ? undefined : { kind: 'symbol', symbol: trimmed };
}

/** The text of a reference in a URL: the id, or the symbol as it was written. */
export function feedReferenceText(reference: FeedReference): string {
  return reference.kind === 'id' ? reference.id : reference.symbol;
}

type Report = (param: string, value: string, message: string) => void;

/**
 * Reads the query of `/feeds`: `ids` (ids or symbols, separated by commas or repeated), `sort`, `window`, `size` and
 * `find`. What cannot be read is reported, and the usual takes its place.
 */
export function parseFeedsUrl(params: URLSearchParams): { view: FeedsView; problems: UrlProblem[] } {
  const problems: UrlProblem[] = [];
  const report: Report = (param, value, message) => problems.push({ param, value, message });
  const oneOf = <T extends string>(param: string, choices: readonly T[], usual: T): T => {
    const text = params.get(param);
    const choice = choices.find((one) => one === text);
    if (text !== null && choice === undefined) report(param, text, `It is one of ${choices.join(', ')}.`);
    return choice ?? usual;
  };
  const feeds = readFeedIds(params, report);
  const windows = Object.keys(BOARD_WINDOWS) as BoardWindow[];
  const view: FeedsView = {
    feeds,
    sort: oneOf('sort', BOARD_SORTS, USUAL_FEEDS.sort),
    window: oneOf('window', windows, USUAL_FEEDS.window),
    size: oneOf('size', BOARD_SIZES, USUAL_FEEDS.size),
    find: findText(params.get('find') ?? ''),
  };
  for (const name of new Set(params.keys())) {
    if (!PARAMS.includes(name)) report(name, params.get(name) ?? '', 'This page has no such parameter.');
  }
  return { view, problems };
}

/** The text to find as it is kept: cut between characters, never within one, which no address could hold. */
export function findText(text: string): string {
  return [...text].slice(0, LONGEST_FIND).join('');
}

const PARAMS = ['ids', 'sort', 'window', 'size', 'find'];

function readFeedIds(params: URLSearchParams, report: Report): FeedReference[] {
  const feeds = new Map<string, FeedReference>();
  const texts = params.getAll('ids').flatMap((value) => value.split(','));
  for (const text of texts.filter((part) => part.trim() !== '')) {
    const reference = parseFeedReference(text);
    if (reference === undefined) {
      report('ids', text, 'A feed is given by its symbol, or by an id of 64 hex digits.');
    } else {
      const key = feedReferenceText(reference).toLowerCase();
      if (!feeds.has(key)) feeds.set(key, reference);
    }
  }
  return [...feeds.values()];
}

/**
 * The address of a board: `/feeds`, or `/feeds?ids=…` with commas between the feeds.
 * @param feeds `empty`: a board without feeds, which is not the default one
 */
export function formatFeedsUrl(view: FeedsView, feeds?: 'empty'): '/feeds' | `/feeds?${string}` {
  // Slashes and commas may stand in a query as they are, and a person can read them.
  const ids = view.feeds.map((feed) => encodeURIComponent(feedReferenceText(feed)).replaceAll('%2F', '/'));
  const pairs = [
    ...(ids.length > 0 || feeds === 'empty' ? [`ids=${ids.join(',')}`] : []),
    ...(view.sort === USUAL_FEEDS.sort ? [] : [`sort=${view.sort}`]),
    ...(view.window === USUAL_FEEDS.window ? [] : [`window=${view.window}`]),
    ...(view.size === USUAL_FEEDS.size ? [] : [`size=${view.size}`]),
    ...(view.find === '' ? [] : [`find=${encodeURIComponent(view.find).replaceAll('%2F', '/')}`]),
  ];
  return pairs.length === 0 ? FEEDS_PATH : `${FEEDS_PATH}?${pairs.join('&')}`;
}
