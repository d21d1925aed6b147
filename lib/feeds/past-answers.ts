import * as z from 'zod/mini';
import type { Failure } from '@/lib/core/outcome';
import { failureMember } from '@/lib/core/problem';
import { tryParseJson } from '@/lib/core/text';
import { type CompactFeed, compactFeeds } from './stream-events';

/*
 * The past of feeds. `/api/view/feeds/history`: what our server received in the last half an hour; no service is asked.
 * `/api/view/feeds/samples`: what lies before, one update for each of some moments, from the service's at-time route.
 */

/** `liveFromS`: from this unix second on every update that our server received is there. Updates: by publish time. */
export type HistoryOfFeed = { id: string; updates: CompactFeed[]; liveFromS: number };

export const MAX_PAST_FEEDS = 100;
export const MAX_SAMPLED_MOMENTS = 20;

/** @param points at most so many per feed: the lowest and the highest price of each part of the time stay */
export function historyPath(ids: readonly string[], fromS: number, points: number): string {
  // Commas as they are: ids are hex, and 60 of them make a long address already.
  const from = Math.max(0, Math.floor(fromS));
  return `/api/view/feeds/history?ids=${ids.join(',')}&from=${from}&points=${points}`;
}

export function samplesPath(ids: readonly string[], times: readonly number[]): string {
  return `/api/view/feeds/samples?ids=${ids.join(',')}&times=${times.join(',')}`;
}

const history = z.object({
  feeds: z.array(z.object({ id: z.string(), updates: compactFeeds, liveFromS: z.number() })),
});

/** None for what is no answer. */
export function readHistory(text: string): HistoryOfFeed[] {
  return history.safeParse(tryParseJson(text)).data?.feeds ?? [];
}

/** A feed that has none is not among them. `failure`: why moments are missing among the samples. */
export type SamplesAnswer = {
  readonly samples: readonly { readonly t: number; readonly feeds: readonly CompactFeed[] }[];
  readonly failure?: Failure | undefined;
};

const samples = z.object({
  samples: z.array(z.object({ t: z.number(), feeds: compactFeeds })),
  problem: z.optional(z.unknown()),
});

export function readSamples(text: string): SamplesAnswer | undefined {
  const answer = samples.safeParse(tryParseJson(text)).data;
  return answer && { samples: answer.samples, failure: failureMember(answer.problem) };
}
