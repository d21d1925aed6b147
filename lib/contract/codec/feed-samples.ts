import type { Failure } from '@/lib/domain/outcome';
import { failureMember, lineObject, problemMember } from './facets-line';
import { type CompactFeed, readFeeds } from './feed-stream';

/** What one question may ask for. */
export const MOST_SAMPLED_FEEDS = 4;
export const MOST_SAMPLED_TIMES = 120;

const PATH = '/api/view/feeds/samples';

/** One line of the answer. The last one is `complete` or `stopped`. */
export type FeedSamplesLine =
  /** For a moment (unix seconds) the first update of each feed at or after it; a feed that has none is not among them. */
  | { kind: 'sample'; t: number; feeds: readonly CompactFeed[] }
  /** This moment could not be had; the others go on. */
  | { kind: 'problem'; t: number; failure: Failure }
  | { kind: 'complete' }
  /** Asking on would be of no use, so the moments that have no line yet were not asked for. */
  | { kind: 'stopped'; failure: Failure };

/** The address of the samples of some feeds (ids) at some moments (unix seconds), which are answered in about this order. */
export function feedSamplesPath(ids: readonly string[], times: readonly number[]): string {
  return `${PATH}?ids=${ids.join(',')}&times=${times.join(',')}`;
}

/** The line as JSON text without its line break, from feeds that are encoded already. */
export function sampleText(t: number, feeds: readonly string[]): string {
  return `{"t":${t},"feeds":[${feeds.join(',')}]}`;
}

/** Any other line. */
export function samplesLineText(line: Exclude<FeedSamplesLine, { kind: 'sample' }>): string {
  switch (line.kind) {
    case 'problem':
      return JSON.stringify({ t: line.t, problem: problemMember(line.failure) });
    case 'complete':
      return JSON.stringify({ complete: true });
    case 'stopped':
      return JSON.stringify({ complete: false, problem: problemMember(line.failure) });
  }
}

/** Undefined for a line that is not one of ours. Feeds that can't be read are left out. */
export function readFeedSamplesLine(text: string): FeedSamplesLine | undefined {
  const line = lineObject(text);
  if (line === undefined) return undefined;
  if (line.complete === true) return { kind: 'complete' };
  const failure = failureMember(line.problem);
  if (line.complete === false) return failure && { kind: 'stopped', failure };
  const { t } = line;
  if (typeof t !== 'number' || !Number.isSafeInteger(t)) return undefined;
  if (failure !== undefined) return { kind: 'problem', t, failure };
  return Array.isArray(line.feeds) ? { kind: 'sample', t, feeds: readFeeds(line.feeds) } : undefined;
}
