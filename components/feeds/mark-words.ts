import { formatSpan } from '@/lib/client/human-time';
import type { FeedHost, FeedMark } from '@/lib/contract/codec/feed-marks';

/** Which host prices come from, where that is not the usual one or has not been it all the time; undefined otherwise. */
export function hostWords(
  host: FeedHost | undefined,
  marks: readonly FeedMark[],
  words: (ms: number) => string,
): string | undefined {
  const last = marks.findLast(({ kind }) => kind === 'host');
  const change = last?.host === host ? last : undefined;
  const since = change === undefined ? '' : ` since ${words(change.fromMs)}`;
  if (host === 'upgraded') return `On the second host${since}, because the first is down.`;
  return host === 'updates' && change !== undefined ? `Back on the first host${since}.` : undefined;
}

/** How often the stream was down within the last half hour, and when the last time was; undefined where it was not. */
export function outageWords(marks: readonly FeedMark[], words: (ms: number) => string): string | undefined {
  const over = marks.filter(({ kind, untilMs }) => kind === 'outage' && untilMs !== undefined);
  const last = over.at(-1);
  if (last?.untilMs === undefined) return undefined;
  const span = `${words(last.fromMs)}, for ${lengthWords(last.untilMs - last.fromMs)}.`;
  return over.length === 1 ? `Interrupted at ${span}` : `Interrupted ${over.length} times, last at ${span}`;
}

function lengthWords(ms: number): string {
  return ms < 1_000 ? 'less than a second' : formatSpan(ms);
}
