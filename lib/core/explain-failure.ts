import { SERVICE_TERMS } from './health';
import type { Failure, FailureKind } from './outcome';
import { clipped } from './text';

export type FailureWords = {
  title: string;
  /** The service's own words, clipped; absent when it gave none that help. */
  said?: string;
  todo: string;
};

type Terms = { name: string; url: string; key: string };

/** The sentence of our server, which names the service, what it did and its status. */
function sentence({ detail }: Failure, otherwise: string): string {
  return clipped(detail, 300).trim().replace(/\.$/, '') || otherwise;
}

const RETRYING = 'Retrying with backoff.';
const RESUMES = 'Resumes automatically.';

/** Where this dashboard itself, or the network between it and the browser, is at fault. */
const OF_OURS: Partial<Record<FailureKind, (failure: Failure) => FailureWords>> = {
  unreachable: () => ({ title: 'Dashboard server unreachable', todo: 'Check that it still runs.' }),
  'bad-request': ({ detail }) => ({
    title: 'Invalid view',
    todo: `${clipped(detail, 300)} Change this filter.`,
  }),
  unauthorized: () => ({ title: 'Signed out', todo: `Sign in again, in another tab too. ${RESUMES}` }),
  'too-many': () => ({
    title: 'Dashboard call limit reached',
    todo: `${RESUMES} Close tabs, or raise the call budget in the settings.`,
  }),
  timeout: () => ({ title: 'Dashboard server too slow', todo: 'Try again.' }),
};

const OF_SERVICES: Partial<Record<FailureKind, (terms: Terms, failure: Failure) => FailureWords>> = {
  unauthorized: ({ name, key }, failure) => ({
    title: sentence(failure, `${name} rejected the API key`),
    todo: failure.detail.includes('Check ') ? 'Retrying once a minute.' : `Check ${key}.`,
  }),
  'rate-limited': ({ name }) => ({ title: `${name} rate-limited us (429)`, todo: RESUMES }),
  failing: ({ name }, failure) => ({ title: sentence(failure, `${name} returned an error`), todo: RETRYING }),
  unreachable: ({ name, url }, failure) => ({
    title: sentence(failure, `${name} is unreachable`),
    todo: `Check ${url} and the network.`,
  }),
  timeout: ({ name }, failure) => ({
    title: sentence(failure, `${name} timed out`),
    todo: `${RETRYING} A shorter time range may be answered faster.`,
  }),
  malformed: ({ name, url }, failure) => ({
    title: sentence(failure, `${name} returned an unreadable answer`),
    todo: `Is ${url} the service itself, not a page or a proxy in front of it?`,
  }),
  missing: ({ name }, { detail }) => ({
    title: `${name} found nothing (404)`,
    said: detail,
    todo: 'Change the filter.',
  }),
  rejected: ({ name }, { detail }) => ({
    title: `${name} rejected this request`,
    said: detail,
    todo: 'Change the filter it names.',
  }),
  unconfigured: ({ name, url }) => ({
    title: `${name} is not configured`,
    todo: `Set ${url} in .env.local (see .env.example) and start again.`,
  }),
};

function termsOf({ service }: Failure, keeper: string | undefined): Terms | undefined {
  const terms = service && SERVICE_TERMS[service];
  if (terms === undefined || keeper === undefined) return terms;
  const key = `${terms.key}_${keeper.toUpperCase()} or ${terms.key}`;
  return { ...terms, name: `${terms.name} “${keeper}”`, key };
}

/** Words for a failure; one without a service is this dashboard's own. @param keeper where several exist */
export function explainFailure(failure: Failure, keeper?: string): FailureWords {
  const terms = termsOf(failure, keeper);
  const { said = '', ...words } = (terms && OF_SERVICES[failure.kind]?.(terms, failure)) ??
    OF_OURS[failure.kind]?.(failure) ?? {
      title: 'Unreadable answer from the dashboard server',
      todo: 'Reload the page. If that does not help, check the server log.',
    };
  return said.trim() === '' ? words : { ...words, said: clipped(said, 500) };
}

/** Whether asking again without a change by somebody may help, so that it is worth doing by itself. */
export function mayPassByItself(failure: Failure): boolean {
  return !['rejected', 'missing', 'bad-request', 'unconfigured'].includes(failure.kind);
}

/** Limits that no press of a button shortens, where they name their end. */
const KEPT_WAITS = ['rate-limited', 'unauthorized', 'too-many'];

/** Whether somebody may ask again before its time. A wait that our own server takes after failures can be cut short. */
export function mayAskNow(failure: Failure): boolean {
  const isKept = failure.retryAfterS !== undefined && KEPT_WAITS.includes(failure.kind);
  return mayPassByItself(failure) && !isKept;
}

const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 60_000;

/**
 * How long to wait before asking again by itself, milliseconds; undefined when that would not help. What the
 * service demands comes first; a rejected key is tried once a minute; otherwise the gaps double from 5 s to 60 s,
 * each longer by up to a quarter so that many open pages don't ask at the same moment.
 * @param attempt failures in a row, from 1. @param random from 0 to 1.
 */
export function nextAttemptMs(failure: Failure, attempt: number, random: number): number | undefined {
  if (!mayPassByItself(failure)) return undefined;
  if (failure.retryAfterS !== undefined) return (failure.retryAfterS + random) * 1000;
  if (failure.kind === 'unauthorized') return LONGEST_WAIT_MS;
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempt - 1, 10));
  return wait * (1 + random / 4);
}
