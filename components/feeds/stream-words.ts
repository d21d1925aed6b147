import { assertNever } from '@/lib/core/outcome';
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
        sentence: `${causeText(link.trouble)} ${STILL_SHOWN}${remedyText(link.trouble)}`,
        retryAtMs: link.retryAtMs,
      };
    case 'failed':
      return {
        tone: 'bad',
        word: 'No live prices',
        sentence: `${causeText(link.trouble)} ${STILL_SHOWN}${remedyText(link.trouble)}`,
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
    default:
      return assertNever(link);
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
    sentence: `${refusalText(trouble)} ${STILL_SHOWN}`,
    retryAtMs,
  };
}

const CAUSES: Record<string, string> = {
  unauthorized: 'The price update service rejected our key.',
  'rate-limited': 'The price update service limits our calls (429).',
  failing: 'The price update service answers with an error.',
  unreachable: 'The price update service can’t be reached.',
  timeout: 'The price update service does not answer in time.',
  malformed: 'The price update service answered with something that is not a price stream.',
  missing: 'The price update service does not know some of these feeds.',
  rejected: 'The price update service refused the request.',
  unconfigured: 'No price update service is configured.',
  'too-many': 'A limit of this dashboard is reached.',
};

const REMEDIES: Record<string, string> = {
  unauthorized: 'Check UPDATES_API_KEY.',
  'rate-limited': 'Nothing to do: we wait as long as it asked.',
  unreachable: 'Check UPDATES_URL and the network.',
  malformed: 'Check that UPDATES_URL points at the service and not at a web page.',
  missing: 'Remove the feeds that are marked.',
  rejected: 'Check the chosen feeds.',
  unconfigured: 'Set UPDATES_URL and UPDATES_API_KEY, then restart.',
  'too-many': 'Nothing to do: it frees up by itself.',
};

/** What happened. Our own sentences stand alone; the words of a service come after ours. */
function causeText(trouble: LinkTrouble | undefined): string {
  if (trouble === undefined) {
    return 'The connection to the price update service was lost.';
  }
  const detail = trouble.detail.replace(/\.?\s*$/, '');
  const cause = CAUSES[trouble.kind] ?? `The price update service has trouble (${trouble.kind}).`;
  // Its sentence counts seconds that have passed meanwhile; the countdown tells them.
  if (detail === '' || trouble.kind === 'rate-limited') {
    return cause;
  }
  return isOwnSentence(detail) ? `${detail}.` : `${cause.slice(0, -1)}: ${detail}.`;
}

function isOwnSentence(detail: string): boolean {
  return /^(The|This|Our|No) /.test(detail);
}

/** What to do, unless the cause says it already. */
function remedyText(trouble: LinkTrouble | undefined): string {
  if (trouble !== undefined && isOwnSentence(trouble.detail) && /\b(Check|Set) /.test(trouble.detail)) {
    return '';
  }
  return ` ${REMEDIES[trouble?.kind ?? ''] ?? 'Nothing to do: we keep trying.'}`;
}

function refusalText(trouble: LinkTrouble | undefined): string {
  const cause = causeText(trouble);
  return trouble?.kind === 'too-many'
    ? `${cause} Close other tabs or programs that show feeds.`
    : `${cause}${remedyText(trouble)}`;
}
