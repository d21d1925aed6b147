import {
  type FeedReference,
  type FeedsView,
  feedReferenceText,
  formatFeedsUrl,
  parseFeedsUrl,
} from '@/lib/contract/codec/feeds-url';
import { type FeedEntry, type FeedId, findFeed } from '@/lib/domain/feed';
import type { UrlProblem } from '@/lib/domain/url-problem';
import type { FeedName } from './feed-directory';

/** A place on the board: a feed, or a text of the URL that names none that we know. */
export type FeedChoice =
  | { readonly kind: 'feed'; readonly feed: FeedName }
  | { readonly kind: 'unnamed'; readonly text: string };

/** How the feeds of a board are shown. */
export type BoardLook = Omit<FeedsView, 'feeds'>;

export type BoardChoice = {
  readonly choices: readonly FeedChoice[];
  /** How they are shown. */
  readonly look: BoardLook;
  /** What of the URL could not be read. */
  readonly problems: readonly UrlProblem[];
};

/** What one stream carries; beyond that neither screen nor eye would follow. */
const MOST_FEEDS = 100;

/** Text that stands for the choice in the URL, and for its card on the page. */
export function choiceKey(choice: FeedChoice): string {
  return choice.kind === 'feed' ? choice.feed.id : choice.text;
}

/** The name of a feed: what `names` says, else the id itself. */
export function feedNameOf(id: FeedId, names: readonly FeedName[]): FeedName {
  return names.find((name) => name.id === id) ?? { id, symbol: id, assetType: '' };
}

/**
 * The board of a URL, each feed once. Without `ids` it is the default board; with `ids` that hold nothing it is empty.
 * `names` are the feeds whose symbols are known so far.
 */
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
  const all = [...choices.values()];
  const { feeds: _feeds, ...look } = view;
  return { choices: all.slice(0, MOST_FEEDS), look, problems: [...problems, ...tooManyProblem(all.length)] };
}

function tooManyProblem(count: number): UrlProblem[] {
  const left = count - MOST_FEEDS;
  const message = `A board shows at most ${MOST_FEEDS} feeds; ${left} more are left out.`;
  return left > 0 ? [{ param: 'ids', value: `${count} feeds`, message }] : [];
}

function choiceOf(reference: FeedReference, names: readonly FeedName[]): FeedChoice {
  if (reference.kind === 'id') {
    return { kind: 'feed', feed: feedNameOf(reference.id, names) };
  }
  const text = feedReferenceText(reference);
  const feed = findFeed(names as readonly FeedEntry[], text);
  return feed === undefined ? { kind: 'unnamed', text } : { kind: 'feed', feed };
}

/** The address of a board with these choices; without any it is an empty board, not the default one. */
export function boardUrl(choices: readonly FeedChoice[], look: BoardLook): string {
  const feeds = choices.map(
    (choice): FeedReference =>
      choice.kind === 'feed' ? { kind: 'id', id: choice.feed.id } : { kind: 'symbol', symbol: choice.text },
  );
  return formatFeedsUrl({ ...look, feeds }, 'empty');
}
