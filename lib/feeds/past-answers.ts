import type { Failure } from '@/lib/core/outcome';
import { failureMember } from '@/lib/core/problem';
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

/** Feeds and updates that can't be read are left out; undefined for what is no answer. */
export function readHistory(value: unknown): HistoryOfFeed[] | undefined {
  if (!isObject(value) || !Array.isArray(value.feeds)) return undefined;
  return value.feeds.flatMap((one: unknown) => {
    if (!isObject(one) || typeof one.id !== 'string' || typeof one.liveFromS !== 'number') return [];
    return { id: one.id, updates: readFeeds(one.updates), liveFromS: one.liveFromS };
  });
}

/** @param times unix seconds */
export function samplesPath(ids: readonly string[], times: readonly number[]): string {
  return `/api/view/feeds/samples?ids=${ids.join(',')}&times=${times.join(',')}`;
}

/** For a moment the first update of each feed at or after it; a feed that has none is not among them. */
export type Sample = { readonly t: number; readonly feeds: readonly CompactFeed[] };

/** `failure`: the moments that are not among the samples could not be had. */
export type SamplesAnswer = { readonly samples: readonly Sample[]; readonly failure?: Failure };

export function readSamples(value: unknown): SamplesAnswer | undefined {
  if (!isObject(value) || !Array.isArray(value.samples)) return undefined;
  const samples = value.samples.flatMap((one: unknown) =>
    isObject(one) && typeof one.t === 'number' ? { t: one.t, feeds: readFeeds(one.feeds) } : [],
  );
  return { samples, failure: failureMember(value.problem) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
