import { explainFailure, RETRYING } from '@/lib/core/explain-failure';
import { failureMember } from '@/lib/core/problem';
import type { FeedLink } from '@/lib/feeds/client/stream';
import type { FeedConnectionState } from '@/lib/feeds/stream-events';

type StreamLabels = {
  readonly tone: 'good' | 'wait' | 'bad' | 'idle';
  readonly word: string;
  readonly sentence?: string;
};

/** The state by its wire name, which tests read. Undefined while no prices are requested. */
export function connectionState({ kind }: FeedLink): FeedConnectionState | undefined {
  if (kind === 'idle' || kind === 'paused') return undefined;
  return kind === 'cut' || kind === 'silent' ? 'reconnecting' : kind === 'refused' ? 'failed' : kind;
}

/** Time after a stream opens during which the absence of updates is not reported. */
const QUIET_GRACE_MS = 5_000;

const STILL_SHOWN = 'Prices shown are the last received.';

const joined = (...parts: (string | false)[]) => parts.filter(Boolean).join(' ');

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
    sentence: 'Check that Keeperscope is running and this computer is online.',
  },
  silent: {
    tone: 'wait',
    word: 'Reconnecting',
    sentence: 'No heartbeat from the dashboard.',
  },
  refused: { tone: 'bad', word: 'Stream rejected' },
};

/** `words` formats a moment, unix milliseconds. */
export function streamLabels(
  link: FeedLink,
  nowMs: number,
  words: (ms: number) => string,
  hasPrices: boolean,
): StreamLabels {
  const { kind, trouble, sinceMs = nowMs, receivedAtMs = nowMs } = link;
  const base = WORDS[kind];
  const stillShown = hasPrices && STILL_SHOWN;
  if (kind === 'quiet') {
    if (trouble === undefined && nowMs - receivedAtMs < QUIET_GRACE_MS)
      return { tone: 'wait', word: 'Connected' };
    const word = trouble === undefined ? base.word : 'No updates';
    return { ...base, word, sentence: joined(`No update since ${words(sinceMs)}.`, stillShown) };
  }
  // A service that is not configured is not a fault, and no earlier prices are on screen.
  if (kind === 'refused' && trouble?.kind === 'unconfigured') {
    const sentence = 'Set UPDATES_URL and UPDATES_API_KEY, then restart.';
    return { tone: 'idle', word: 'No service configured', sentence };
  }
  const isTrouble = kind === 'reconnecting' || kind === 'failed' || kind === 'refused';
  if (isTrouble) return { ...base, sentence: troubleText(link, stillShown) };
  return base.sentence === undefined || kind === 'paused'
    ? base
    : { ...base, sentence: joined(base.sentence, stillShown) };
}

function troubleText({ trouble, retryAtMs }: FeedLink, stillShown: string | false): string {
  if (trouble === undefined) return joined('Connection to the price update service lost.', stillShown);
  const failure = failureMember({ ...trouble, service: 'updates' });
  if (failure === undefined) return joined(`Price update service failing (${trouble.kind}).`, stillShown);
  const { title, quote = '', nextStep } = explainFailure(failure);
  const isAboutFeeds = trouble.kind === 'missing' || trouble.kind === 'rejected';
  // The countdown beside the sentence shows the time too.
  const isCounted = nextStep === RETRYING && retryAtMs !== undefined;
  return joined(
    `${title}.`,
    quote,
    stillShown,
    isAboutFeeds ? 'Remove the marked feeds.' : !isCounted && nextStep,
  );
}
