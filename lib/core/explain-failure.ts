import { SERVICE_TERMS } from './health';
import { assertNever, type Failure, type ServiceName } from './outcome';
import { clipped } from './text';

/** A failure for people: what failed and whose fault it is, what the other side said, and what to do. */
export type FailureWords = {
  title: string;
  /** The service's own words, clipped; absent when it gave none that help. */
  said?: string;
  todo: string;
};

/** Which service, for the words; `keeper` only where several exist. */
export type FailurePlace = { service?: ServiceName; keeper?: string };

type ServiceTerms = Pick<(typeof SERVICE_TERMS)[ServiceName], 'name' | 'url' | 'key'>;

function termsOf(place: FailurePlace): ServiceTerms | undefined {
  const terms = place.service === undefined ? undefined : SERVICE_TERMS[place.service];
  if (terms === undefined || place.keeper === undefined) return terms;
  const key = `${terms.key}_${place.keeper.toUpperCase()}`;
  return { ...terms, name: `${terms.name} “${place.keeper}”`, key: `${key} or ${terms.key}` };
}

function ofOurs(failure: Failure): FailureWords {
  switch (failure.kind) {
    case 'unreachable':
      return { title: 'This dashboard’s own server does not answer', todo: 'Check that it still runs.' };
    case 'bad-request':
      return {
        title: 'This view can’t be asked for',
        todo: `${clipped(failure.detail, 300)} Change the filter that this names.`,
      };
    case 'unauthorized':
      return { title: 'You are signed out', todo: 'Sign in again, in another tab too: this goes on then.' };
    case 'too-many':
      return {
        title: 'This dashboard’s own limit of calls is reached',
        todo: 'It goes on by itself. Fewer open tabs, or a larger budget in the settings, help for good.',
      };
    case 'timeout':
      return { title: 'This dashboard’s own server was too slow', todo: 'Try again.' };
    default:
      return {
        title: 'This dashboard’s own server gave no usable answer',
        todo: 'Reload the page; if it stays like this, look into the server’s log.',
      };
  }
}

/** The sentence of our server, which names the service, what it did and its status. */
function sentence(failure: Failure, otherwise: string): string {
  const detail = clipped(failure.detail, 300).trim().replace(/\.$/, '');
  return detail === '' ? otherwise : detail;
}

function ofService(failure: Failure, terms: ServiceTerms): FailureWords {
  const { kind, detail } = failure;
  const { name, url, key } = terms;
  switch (kind) {
    case 'unauthorized':
      return {
        title: sentence(failure, `${name} rejected our key`),
        todo: detail.includes('Check ') ? 'It is tried again once a minute.' : `Check ${key}.`,
      };
    case 'rate-limited':
      return {
        title: `${name} limits our calls (429)`,
        todo: 'Nothing is asked before it allows it; then this goes on by itself.',
      };
    case 'failing':
      return {
        title: sentence(failure, `${name} has a fault of its own`),
        todo: 'The fault is the service’s. It is asked again by itself, at growing intervals.',
      };
    case 'unreachable':
      return {
        title: sentence(failure, `${name} can’t be reached`),
        todo: `Check ${url}, and the network between this machine and the service.`,
      };
    case 'timeout':
      return {
        title: sentence(failure, `${name} did not answer in time`),
        todo: 'It is asked again by itself. A shorter time range may be answered faster.',
      };
    case 'malformed':
      return {
        title: sentence(failure, `${name} gave an answer in a format that can’t be read`),
        todo: `Is ${url} the service itself, not a page or a proxy in front of it?`,
      };
    case 'missing':
      return {
        title: `${name} has nothing under this request (404)`,
        said: detail,
        todo: 'Change the filter.',
      };
    case 'rejected':
      return {
        title: `${name} refused this request`,
        said: detail,
        todo: 'Change the filter that it names.',
      };
    case 'unconfigured':
      return {
        title: `${name} is not configured`,
        todo: `Set ${url} in .env.local (see .env.example) and start again.`,
      };
    case 'too-many':
    case 'bad-request':
      return ofOurs(failure);
    default:
      return assertNever(kind);
  }
}

/**
 * Words for a failure. A failure that names no service is this dashboard's own (or the network between it and the
 * browser). The text of a service is clipped and has its invisible characters spelled out.
 */
export function explainFailure(failure: Failure, keeper?: string): FailureWords {
  const terms = termsOf({ service: failure.service, keeper });
  const words = terms === undefined ? ofOurs(failure) : ofService(failure, terms);
  return words.said === undefined || words.said.trim() === ''
    ? { title: words.title, todo: words.todo }
    : { ...words, said: clipped(words.said, 500) };
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
