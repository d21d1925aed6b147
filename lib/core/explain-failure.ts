import { backoffMs } from './backoff';
import { SERVICE_TERMS } from './health';
import type { Failure, FailureKind } from './outcome';
import { clipped } from './text';

/** `quote` holds the service's own words, clipped; absent if none of them help. */
type FailureWords = { title: string; nextStep: string; quote?: string };

type Words = Partial<Record<FailureKind, readonly [title: string, nextStep: string, quote?: string]>>;

/** Omitted where the time of the next attempt is shown. */
export const RETRYING = 'Retrying with backoff.';
const RESUMES = 'Resumes automatically.';

/** Failures of the dashboard itself, or of the network between it and the browser. */
const wordsOfDashboard = (detail: string): Words => ({
  unreachable: ['Dashboard server unreachable', 'Check that it still runs.'],
  'bad-request': ['Invalid view', `${clipped(detail, 300)} Change this filter.`],
  unauthorized: ['Signed out', `Sign in again, in another tab too. ${RESUMES}`],
  'too-many': [
    'Dashboard limit reached',
    `${RESUMES} Close tabs, or raise the limit in the settings.`,
    detail,
  ],
  timeout: ['Dashboard server too slow', 'Try again.'],
  'index-unavailable': ['Index’s database unavailable', RETRYING, detail],
});

function wordsOfService(
  { name, url, key }: { name: string; url: string; key: string },
  detail: string,
): Words {
  // Already names the service, what it did and its status.
  const detailText = clipped(detail, 300).trim().replace(/\.$/, '');
  return {
    unauthorized: [
      detailText || `${name} rejected the API key`,
      detail.includes('Check ') ? 'Retrying once a minute.' : `Check ${key}.`,
    ],
    'rate-limited': [`${name} rate-limited us (429)`, RESUMES],
    failing: [detailText || `${name} returned an error`, RETRYING],
    unreachable: [detailText || `${name} is unreachable`, `Check ${url} and the network.`],
    timeout: [detailText || `${name} timed out`, `${RETRYING} A shorter time range may be answered faster.`],
    malformed: [
      detailText || `${name} returned an unreadable answer`,
      `Is ${url} the service itself, not a page or a proxy in front of it?`,
    ],
    missing: [`${name} found nothing (404)`, 'Change the filter.', detail],
    rejected: [`${name} rejected this request`, 'Change the filter it names.', detail],
    unconfigured: [
      `${name} is not configured`,
      `Set ${url} in .env.local (see .env.example) and start again.`,
    ],
  };
}

const UNREADABLE = [
  'Unreadable answer from the dashboard server',
  'Reload the page. If that does not help, check the server log.',
] as const;

/** A failure without a service is the dashboard's own. @param keeper only if several are configured */
export function explainFailure({ kind, service, detail }: Failure, keeper?: string): FailureWords {
  const terms = service && { ...SERVICE_TERMS[service] };
  if (terms !== undefined && keeper !== undefined) {
    terms.name += ` “${keeper}”`;
    terms.key = `${terms.key}_${keeper.toUpperCase().replaceAll('-', '_')} or ${terms.key}`;
  }
  const ofService = terms && wordsOfService(terms, detail)[kind];
  const [title, nextStep, quote = ''] = ofService ?? wordsOfDashboard(detail)[kind] ?? UNREADABLE;
  return quote.trim() === '' ? { title, nextStep } : { title, nextStep, quote: clipped(quote, 500) };
}

/** Whether a retry may succeed although nobody changes anything. */
export function isRetryable(failure: Failure): boolean {
  return !['rejected', 'missing', 'bad-request', 'unconfigured'].includes(failure.kind);
}

/** False while a service or one of our own limits says how long to wait. */
export function canRetryNow(failure: Failure): boolean {
  const isLimit = ['rate-limited', 'unauthorized', 'too-many'].includes(failure.kind);
  return isRetryable(failure) && !(isLimit && failure.retryAfterS !== undefined);
}

const QUERY_BACKOFF = { firstMs: 5_000, maxMs: 60_000 };

/**
 * Delay of a retry in ms; undefined if it would not help. Doubles from 5 s to 60 s, less a random part so that pages do
 * not retry in step. A pause that the failure names gets up to a second more; a rejected key waits 60 s.
 * @param attempt from 1
 * @param random from 0 to 1
 */
export function retryDelayMs(failure: Failure, attempt: number, random: number): number | undefined {
  if (!isRetryable(failure)) return undefined;
  if (failure.retryAfterS !== undefined) return (failure.retryAfterS + random) * 1000;
  if (failure.kind === 'unauthorized') return QUERY_BACKOFF.maxMs;
  return backoffMs(QUERY_BACKOFF, attempt - 1, random);
}
