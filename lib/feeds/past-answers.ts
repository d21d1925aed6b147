import * as z from 'zod/mini';
import type { Failure } from '@/lib/core/outcome';
import { failureMember } from '@/lib/core/problem';
import { parsedJson } from '@/lib/core/text';
import { type CompactFeed, readFeeds } from './stream-events';

/**
 * The past of feeds for a chart that opens or a page that comes back. `/api/view/feeds/history`: what our server has
 * received and still holds, half an hour at most; no service is asked. `/api/view/feeds/samples`: what lies before, one update
 * for each of some moments, from the service's at-time route.
 */

/** `liveFromS`: from this unix second on every update that our server received is there. Updates: by publish time. */
export type HistoryOfFeed = { id: string; updates: CompactFeed[]; liveFromS: number };

/** Feeds that one question may name, and bounds of what it may ask for. */
export const MOST_HISTORY_FEEDS = 100;
export const LEAST_HISTORY_POINTS = 4;
export const MOST_HISTORY_POINTS = 10_000;
export const MOST_SAMPLED_FEEDS = 100;
export const MOST_SAMPLED_MOMENTS = 20;

/** @param points at most so many per feed: the lowest and the highest price of each part of the time stay */
export function historyPath(ids: readonly string[], fromS: number, points: number | undefined): string {
  const thin = points === undefined ? '' : `&points=${points}`;
  // Commas as they are: ids are hex, and 60 of them make a long address already.
  return `/api/view/feeds/history?ids=${ids.join(',')}&from=${Math.max(0, Math.floor(fromS))}${thin}`;
}

/** JSON text of the answer. `updates`: those of a feed as JSON, with commas between them. */
export function historyText(feeds: readonly { id: string; updates: string; liveFromS: number }[]): string {
  const texts = feeds.map(
    ({ id, updates, liveFromS }) =>
      `{"id":${JSON.stringify(id)},"updates":[${updates}],"liveFromS":${liveFromS}}`,
  );
  return `{"feeds":[${texts.join(',')}]}`;
}

const history = z.object({
  feeds: z.array(z.object({ id: z.string(), updates: z.array(z.unknown()), liveFromS: z.number() })),
});

/** Updates that can't be read are left out; undefined for what is no answer. */
export function readHistory(text: string): HistoryOfFeed[] | undefined {
  const answer = history.safeParse(parsedJson(text)).data;
  return answer?.feeds.map((feed) => ({ ...feed, updates: readFeeds(feed.updates) }));
}

/** @param times unix seconds */
export function samplesPath(ids: readonly string[], times: readonly number[]): string {
  return `/api/view/feeds/samples?ids=${ids.join(',')}&times=${times.join(',')}`;
}

/** For a moment the first update of each feed at or after it; a feed that has none is not among them. */
export type Sample = { readonly t: number; readonly feeds: readonly CompactFeed[] };

/** `failure`: the moments that are not among the samples could not be had. */
export type SamplesAnswer = { readonly samples: readonly Sample[]; readonly failure?: Failure | undefined };

const samplesForm = z.object({
  samples: z.array(z.object({ t: z.number(), feeds: z.array(z.unknown()) })),
  problem: z.optional(z.unknown()),
});

export function readSamples(text: string): SamplesAnswer | undefined {
  const answer = samplesForm.safeParse(parsedJson(text)).data;
  if (answer === undefined) return undefined;
  const samples = answer.samples.map(({ t, feeds }) => ({ t, feeds: readFeeds(feeds) }));
  return { samples, failure: failureMember(answer.problem) };
}
