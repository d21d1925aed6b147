import * as z from 'zod/mini';
import type { Failure } from '@/lib/core/outcome';
import { failureMember } from '@/lib/core/problem';
import { tryParseJson } from '@/lib/core/text';
import type { PriceUpdate } from './price-update';
import { priceUpdates } from './stream-events';

/**
 * `/api/view/feeds/history`: updates that our server received in the last half hour, without a call to a service.
 * `/api/view/feeds/samples`: older ones, one for each requested moment, from the service's at-time route.
 */

/** Ordered by publish time, and complete from the unix second `liveFromS`. */
export type HistoryOfFeed = { id: string; updates: PriceUpdate[]; liveFromS: number };

export const MAX_PAST_FEEDS = 100;
export const MAX_SAMPLED_MOMENTS = 20;

/** @param points maximum per feed; the lowest and highest price of each part are always included */
export function historyPath(ids: readonly string[], fromS: number, points: number): string {
  // Commas are not escaped: 60 ids of hex already make a long address.
  const firstSecond = Math.max(0, Math.floor(fromS));
  return `/api/view/feeds/history?ids=${ids.join(',')}&from=${firstSecond}&points=${points}`;
}

export function samplesPath(ids: readonly string[], times: readonly number[]): string {
  return `/api/view/feeds/samples?ids=${ids.join(',')}&times=${times.join(',')}`;
}

const history = z.object({
  feeds: z.array(z.object({ id: z.string(), updates: priceUpdates, liveFromS: z.number() })),
});

/** An unreadable answer gives an empty list. */
export function readHistory(text: string): HistoryOfFeed[] {
  return history.safeParse(tryParseJson(text)).data?.feeds ?? [];
}

/** Feeds without a sample are left out. `failure`: why moments are missing. */
export type SamplesAnswer = {
  readonly samples: readonly { readonly t: number; readonly feeds: readonly PriceUpdate[] }[];
  readonly failure?: Failure | undefined;
};

const samples = z.object({
  samples: z.array(z.object({ t: z.number(), feeds: priceUpdates })),
  problem: z.optional(z.unknown()),
});

export function readSamples(text: string): SamplesAnswer | undefined {
  const answer = samples.safeParse(tryParseJson(text)).data;
  return answer && { samples: answer.samples, failure: failureMember(answer.problem) };
}
