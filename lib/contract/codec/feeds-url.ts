import { type FeedId, parseFeedId } from '@/lib/domain/feed';
import type { UrlProblem } from './requests-url';

/** A feed as the URL names it: by id, or by a symbol that the feed directory has to resolve. */
export type FeedReference = { kind: 'id'; id: FeedId } | { kind: 'symbol'; symbol: string };

/** The feeds of the board, in the order of the URL, each once; empty means the default board. */
export type FeedsView = { feeds: FeedReference[] };

export const FEEDS_PATH = '/feeds';

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

/** Reads `/feeds?ids=`: ids or symbols, separated by commas or repeated. What cannot be read is reported. */
export function parseFeedsUrl(params: URLSearchParams): { view: FeedsView; problems: UrlProblem[] } {
  const problems: UrlProblem[] = [];
  const feeds = new Map<string, FeedReference>();
  const texts = params.getAll('ids').flatMap((value) => value.split(','));
  for (const text of texts.filter((part) => part.trim() !== '')) {
    const reference = parseFeedReference(text);
    if (reference === undefined) {
      problems.push({
        param: 'ids',
        value: text,
        message: 'A feed is given by its symbol, or by an id of 64 hex digits.',
      });
    } else {
      const key = feedReferenceText(reference).toLowerCase();
      if (!feeds.has(key)) feeds.set(key, reference);
    }
  }
  for (const name of new Set(params.keys())) {
    if (name !== 'ids') {
      problems.push({
        param: name,
        value: params.get(name) ?? '',
        message: 'This page has no such parameter.',
      });
    }
  }
  return { view: { feeds: [...feeds.values()] }, problems };
}

/** The address of a board: `/feeds`, or `/feeds?ids=…` with commas between the feeds. */
export function formatFeedsUrl(view: FeedsView): '/feeds' | `/feeds?${string}` {
  if (view.feeds.length === 0) return FEEDS_PATH;
  // Slashes and commas may stand in a query as they are, and a person can read them.
  const ids = view.feeds.map((feed) => encodeURIComponent(feedReferenceText(feed)).replaceAll('%2F', '/'));
  return `${FEEDS_PATH}?ids=${ids.join(',')}`;
}
