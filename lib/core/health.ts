import type { Failure, FailureKind, ServiceName } from './outcome';
import { formatAge } from './time';

/** How the last real call to one service went. `ok: null` means that none was made yet. */
export type ServiceHealth = {
  configured: boolean;
  ok: boolean | null;
  kind?: FailureKind;
  /** ISO 8601, of the last call; null before the first, like its latency. */
  checkedAt: string | null;
  latencyMs: number | null;
  /** ISO 8601, of the first failure of those in a row; absent unless `ok` is false. */
  failingSince?: string;
};

/** The answer of `/api/health`; services are named `logs:<keeper>`, `updates`, `upgraded`, `router`. */
export type Health = {
  status: 'ok';
  version: string;
  source: 'live' | 'sandbox';
  services?: Record<string, ServiceHealth>;
  /** Where the index lives: `file`, `postgres`, `memory`, or `read-only` where nothing can be written now. */
  storage?: string;
};

export type ServiceState = 'ok' | 'failing' | 'unconfigured' | 'unknown';

/** One word for a service: four states that never stand for one another. */
export function serviceState({ configured, ok }: ServiceHealth): ServiceState {
  if (!configured) return 'unconfigured';
  return ok === null ? 'unknown' : ok ? 'ok' : 'failing';
}

/** What a service is called in sentences and beside its health, what it is there for, and its settings. */
const term = (setting: string, name: string, label: string, purpose: string) => {
  return { name, label, purpose, url: `${setting}_URL`, key: `${setting}_API_KEY` };
};
export const SERVICE_TERMS: Record<ServiceName, ReturnType<typeof term>> = {
  logs: term('LOGS', 'Request log service', 'Logs', 'Request log'),
  updates: term('UPDATES', 'Price update service', 'Prices', 'Price updates and their stream'),
  upgraded: term('UPGRADED_UPDATES', 'Upgraded price update service', 'Upgraded prices', 'Second price host'),
  router: term('ROUTER', 'Price router', 'Router', 'Prices on demand, by channel'),
};

/** Of `logs:main`, `router:symbols`. */
export const serviceTerms = (name: string) => SERVICE_TERMS[name.split(':')[0] as ServiceName];

/** `logs:main` → `Logs main`; the names that operators read. */
export function serviceLabel(name: string): string {
  const [, keeper = ''] = name.split(':');
  return `${serviceTerms(name)?.label ?? name} ${keeper}`.trim();
}

/** Names of the keepers whose logs are configured, the default one first. */
export function keepersOf({ services = {} }: Pick<Health, 'services'>): string[] {
  return Object.entries(services)
    .filter(([name, { configured }]) => configured && name.startsWith('logs:'))
    .map(([name]) => name.slice('logs:'.length));
}

const FAILURE_WORDS: Record<FailureKind, string> = {
  unauthorized: 'API key rejected',
  'rate-limited': 'rate-limited',
  failing: 'server error',
  unreachable: 'unreachable',
  timeout: 'timed out',
  malformed: 'unreadable answer',
  rejected: 'request rejected',
  missing: 'not found',
  'bad-request': 'invalid request',
  'too-many': 'call budget used up',
  'index-unavailable': 'Index unavailable',
  unconfigured: 'not configured',
};

/** A failure in the two or three words that fit beside a name; and as they stand alone. */
export const failureWord = (kind: FailureKind | undefined) =>
  kind === undefined ? 'failing' : FAILURE_WORDS[kind];
export const failureTitle = (kind: FailureKind | undefined) =>
  failureWord(kind).replace(/^./, (letter) => letter.toUpperCase());

/** The state of a service in words, for beside its name. */
export function stateWords(health: ServiceHealth): string {
  const state = serviceState(health);
  if (state === 'failing') return failureWord(health.kind);
  return { ok: 'healthy', unknown: 'not checked', unconfigured: 'not configured' }[state];
}

/** Below this a difference of clocks is not worth a line. Far above what the second of a `Date` and the way of an answer make. */
export const CLOCK_TOLERANCE_MS = 60_000;
export const isClockSkewed = (offByMs: number) => Math.abs(offByMs) >= CLOCK_TOLERANCE_MS;

/** A keeper whose service dates its answers far off our clock: milliseconds ahead of it, behind it where negative. */
export type ClockSkew = { keeper: string; offByMs: number };

/**
 * What the clock that is furthest off ours does here, and those that are off the same way; undefined where none is off.
 * @param severalKeepers whether the reader has to be told whose clocks they are
 */
export function clockSkewSentence(
  clocks: readonly ClockSkew[],
  effects: { ahead: string; behind: string },
  severalKeepers: boolean,
): string | undefined {
  const [most] = clocks.toSorted((one, other) => Math.abs(other.offByMs) - Math.abs(one.offByMs));
  if (most === undefined) return undefined;
  const isAhead = most.offByMs > 0;
  const alike = clocks.filter(({ offByMs }) => offByMs > 0 === isAhead).map(({ keeper }) => keeper);
  const [where, effect] = isAhead ? ['ahead of', effects.ahead] : ['behind', effects.behind];
  const whose = !severalKeepers
    ? 'The request log service’s clock is'
    : alike.length === 1
      ? `The clock of keeper ${most.keeper}’s request log service is`
      : `The clocks of the request log services of keepers ${alike.join(', ')} are up to`;
  return `${whose} ${formatAge(Math.abs(most.offByMs))} ${where} this dashboard’s, by the dates of ${alike.length > 1 ? 'their' : 'its'} answers: ${effect}. Either clock may be off.`;
}

/** The failure of a call to a service that has no URL. */
export function unconfigured(service: ServiceName): Failure {
  const detail = `The service is not configured. Set ${SERVICE_TERMS[service].url}.`;
  return { kind: 'unconfigured', service, detail };
}
