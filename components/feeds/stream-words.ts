import { explainFailure } from '@/lib/core/explain-failure';
import { failureMember } from '@/lib/core/problem';
import type { FeedLink, LinkTrouble } from '@/lib/feeds/client/stream';
import type { FeedConnectionState } from '@/lib/feeds/stream-events';

/** How the stream is, in words: one to look at, and a sentence that says what happened and what to do. */
export type StreamWords = {
  readonly tone: 'good' | 'wait' | 'bad' | 'idle';
  readonly word: string;
  readonly sentence: string;
  /** When the next attempt is made, unix milliseconds; absent when none is announced. */
  readonly retryAtMs?: number;
};

/**
 * The state of the live stream in the words of the wire, for styles and for tests: whichever half of the way is broken,
 * prices do not come. Undefined while none are wanted.
 */
export function connectionState(link: FeedLink): FeedConnectionState | undefined {
  switch (link.kind) {
    case 'idle':
    case 'paused':
      return undefined;
    case 'cut':
      return 'reconnecting';
    case 'refused':
      return 'failed';
    default:
      return link.kind;
  }
}

/** A stream that was opened just now has had no time for an update yet. */
const QUIET_GRACE_MS = 5_000;

const STILL_SHOWN = 'Prices shown are the last received.';

/** What is said on the page about the live stream at the time `nowMs`. `words` writes a moment, unix milliseconds. */
export function streamWords(link: FeedLink, nowMs: number, words: (ms: number) => string): StreamWords {
  switch (link.kind) {
    case 'idle':
      return { tone: 'idle', word: 'Not connected', sentence: 'No feed is chosen.' };
    case 'paused':
      return {
        tone: 'idle',
        word: 'Paused',
        sentence: 'The page was in the background; it continues when it is shown.',
      };
    case 'connecting':
      return { tone: 'wait', word: 'Connecting', sentence: 'Waiting for the first prices.' };
    case 'live':
      return { tone: 'good', word: 'Live', sentence: 'Prices appear as they are published.' };
    case 'quiet':
      return quietWords(link, nowMs, words);
    case 'reconnecting':
      return {
        tone: 'wait',
        word: 'Reconnecting',
        sentence: troubleText(link.trouble),
        retryAtMs: link.retryAtMs,
      };
    case 'failed':
      return {
        tone: 'bad',
        word: 'No live prices',
        sentence: troubleText(link.trouble),
        retryAtMs: link.retryAtMs,
      };
    case 'cut':
      return {
        tone: 'bad',
        word: 'Dashboard unreachable',
        sentence: `This browser lost the connection to Keeperscope. ${STILL_SHOWN} Check that it is running and that this computer is online.`,
        retryAtMs: link.retryAtMs,
      };
    case 'refused':
      return refusedWords(link.trouble, link.retryAtMs);
  }
}

function quietWords(
  link: Extract<FeedLink, { kind: 'quiet' }>,
  nowMs: number,
  words: (ms: number) => string,
): StreamWords {
  if (link.after === 'opening' && nowMs - link.sinceMs < QUIET_GRACE_MS) {
    return { tone: 'wait', word: 'Connected', sentence: 'Waiting for the next price.' };
  }
  const since = `No update has come since ${words(link.sinceMs)}`;
  if (link.sign === 'none') {
    return {
      tone: 'wait',
      word: 'No updates',
      sentence: `${since}. If the connection is dead, a new one is made within half a minute. ${STILL_SHOWN}`,
    };
  }
  const silent = 'price update service is connected and sends nothing for these feeds.';
  const sentence = link.after === 'prices' ? `${since}: the ${silent}` : `The ${silent}`;
  return { tone: 'wait', word: 'Connected, no updates', sentence: `${sentence} ${STILL_SHOWN}` };
}

function refusedWords(trouble: LinkTrouble | undefined, retryAtMs: number | undefined): StreamWords {
  // Nothing is broken, and nothing was received that could be shown still.
  if (trouble?.kind === 'unconfigured') {
    return {
      tone: 'idle',
      word: 'No service configured',
      sentence:
        'There are no live prices: no price update service is set up. Set UPDATES_URL and UPDATES_API_KEY, then start again.',
    };
  }
  return {
    tone: 'bad',
    word: 'Stream refused',
    sentence: troubleText(trouble),
    retryAtMs,
  };
}

/** What happened, what is still shown, and what to do. */
function troubleText(trouble: LinkTrouble | undefined): string {
  if (trouble === undefined) {
    return `The connection to the price update service was lost. ${STILL_SHOWN} It is tried again by itself.`;
  }
  const { kind, detail } = trouble;
  const failure = failureMember({ kind, detail, service: 'updates' });
  if (failure === undefined) return `The price update service has trouble (${kind}). ${STILL_SHOWN}`;
  const { title, said = '', todo } = explainFailure(failure);
  const isAboutFeeds = kind === 'missing' || kind === 'rejected';
  return `${title}. ${said} ${STILL_SHOWN} ${isAboutFeeds ? 'Remove the feeds that are marked.' : todo}`;
}
