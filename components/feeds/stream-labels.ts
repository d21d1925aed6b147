import { explainFailure } from '@/lib/core/explain-failure';
import { failureMember } from '@/lib/core/problem';
import type { FeedLink } from '@/lib/feeds/client/stream';
import type { FeedConnectionState } from '@/lib/feeds/stream-events';

/** How the stream is: a word to look at, and where something is wrong a sentence that says what, and what to do. */
export type StreamLabels = {
  readonly tone: 'good' | 'wait' | 'bad' | 'idle';
  readonly word: string;
  readonly sentence?: string;
};

/** In the words of the wire, for tests, whichever half of the way is broken. Undefined while no prices are wanted. */
export function connectionState({ kind }: FeedLink): FeedConnectionState | undefined {
  if (kind === 'idle' || kind === 'paused') return undefined;
  return kind === 'cut' || kind === 'silent' ? 'reconnecting' : kind === 'refused' ? 'failed' : kind;
}

/** A stream that was opened just now has had no time for an update yet. */
const QUIET_GRACE_MS = 5_000;

const STILL_SHOWN = 'Prices shown are the last received.';

const WORDS: Record<FeedLink['kind'], StreamLabels> = {
  idle: { tone: 'idle', word: 'Not connected' },
  paused: { tone: 'idle', word: 'Paused', sentence: 'Resumes when this page is visible.' },
  connecting: { tone: 'wait', word: 'Connecting' },
  live: { tone: 'good', word: 'Live' },
  quiet: { tone: 'wait', word: 'Connected, no updates' },
  reconnecting: { tone: 'wait', word: 'Reconnecting' },
  failed: { tone: 'bad', word: 'No live prices' },
  cut: {
    tone: 'bad',
    word: 'Dashboard unreachable',
    sentence: `${STILL_SHOWN} Check that Keeperscope is running and this computer is online.`,
  },
  silent: {
    tone: 'wait',
    word: 'Reconnecting',
    sentence: `No heartbeat from the dashboard. ${STILL_SHOWN}`,
  },
  refused: { tone: 'bad', word: 'Stream rejected' },
};

/** What is said on the page about the live stream at the time `nowMs`. `words` writes a moment, unix milliseconds. */
export function streamLabels(link: FeedLink, nowMs: number, words: (ms: number) => string): StreamLabels {
  const { kind, trouble, sinceMs = nowMs, heardAtMs = nowMs } = link;
  const usual = WORDS[kind];
  if (kind === 'quiet') {
    if (trouble === undefined && nowMs - heardAtMs < QUIET_GRACE_MS)
      return { tone: 'wait', word: 'Connected' };
    const word = trouble === undefined ? usual.word : 'No updates';
    return { ...usual, word, sentence: `No update since ${words(sinceMs)}. ${STILL_SHOWN}` };
  }
  // Nothing is broken, and nothing was received that could be shown still.
  if (kind === 'refused' && trouble?.kind === 'unconfigured') {
    const sentence = 'Set UPDATES_URL and UPDATES_API_KEY, then restart.';
    return { tone: 'idle', word: 'No service configured', sentence };
  }
  const isTrouble = kind === 'reconnecting' || kind === 'failed' || kind === 'refused';
  return isTrouble ? { ...usual, sentence: troubleText(trouble) } : usual;
}

function troubleText(trouble: FeedLink['trouble']): string {
  if (trouble === undefined) return `Connection to the price update service lost. ${STILL_SHOWN}`;
  const failure = failureMember({ ...trouble, service: 'updates' });
  if (failure === undefined) return `Price update service failing (${trouble.kind}). ${STILL_SHOWN}`;
  const { title, said = '', todo } = explainFailure(failure);
  const isAboutFeeds = trouble.kind === 'missing' || trouble.kind === 'rejected';
  return `${title}. ${said} ${STILL_SHOWN} ${isAboutFeeds ? 'Remove the marked feeds.' : todo}`;
}
