'use client';
import { useTicking } from '@/lib/client/clock';
import { currencyOf } from '@/lib/client/feed-currency';
import type { FeedName } from '@/lib/client/feed-directory';
import type { FreshnessFloors } from '@/lib/client/feed-freshness';
import { useFeedStore } from '@/lib/client/feed-hooks';
import type { FeedCurrency } from '@/lib/domain/feed-cadence';

export type FeedTimes = {
  /** The moment at which the server wrote the page, unix milliseconds. */
  readonly writtenAtMs: number;
  readonly floors: FreshnessFloors;
};

/** How current a feed is, in a word, and when its closed market opens, where that is known. Unix milliseconds. */
export type CurrencyNow = { readonly word: FeedCurrency['word']; readonly opensAtMs?: number };

/** Judged once a second; whoever asks is drawn again only when the judgement changes. Undefined before the first price. */
export function useCurrency(feed: FeedName, { writtenAtMs, floors }: FeedTimes): CurrencyNow | undefined {
  const store = useFeedStore();
  const text = useTicking((nowMs) => {
    const { latest, rhythmMs } = store.feed(feed.id);
    if (latest === undefined) return undefined;
    const points = store.history(feed.id).points();
    const { skewMs } = store.stream();
    const currency = currencyOf({ latest, points, rhythmMs, skewMs, nowMs, floors, market: feed });
    return `${currency.word} ${currency.opensAtMs ?? ''}`;
  }, writtenAtMs);
  return text === undefined ? undefined : currencyNow(text);
}

function currencyNow(text: string): CurrencyNow {
  const [word, opensAtMs] = text.split(' ') as [FeedCurrency['word'], string];
  return opensAtMs === '' ? { word } : { word, opensAtMs: Number(opensAtMs) };
}
