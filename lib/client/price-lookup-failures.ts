import type { Failure } from '@/lib/domain/outcome';

/** A service that demands a longer pause is not waited for. */
const LONGEST_PAUSE_S = 90;
/** Where it names none. */
const USUAL_PAUSE_S = 5;

/** Seconds to wait before the same is asked again; undefined when waiting is no use, or too long. */
export function pauseOf({ kind, retryAfterS }: Failure): number | undefined {
  if (kind !== 'rate-limited' && kind !== 'too-many') return undefined;
  const seconds = retryAfterS ?? USUAL_PAUSE_S;
  return seconds <= LONGEST_PAUSE_S ? seconds : undefined;
}

/** Whether the service spoke of the question itself: other feeds may well be answered. */
export function isAboutFeeds({ kind }: Failure): boolean {
  return kind === 'missing' || kind === 'rejected';
}

/** Whether asking the service again during this lookup is no use. */
export function isForGood({ kind }: Failure): boolean {
  return kind === 'unauthorized' || kind === 'unconfigured' || kind === 'rate-limited' || kind === 'too-many';
}
