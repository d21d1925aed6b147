import type { Failure, FailureKind, ServiceName } from './outcome';
import { formatAge, MINUTE_MS } from './time';

/** Result of the last real call; `ok` is null before it. */
export type ServiceHealth = {
  configured: boolean;
  ok: boolean | null;
  kind?: FailureKind;
  /** ISO 8601. Null before the first call, like `latencyMs`. */
  checkedAt: string | null;
  latencyMs: number | null;
  /** ISO 8601, start of the current failures; absent unless `ok` is false. */
  failingSince?: string;
  /** Set if the opening of a stream fails; other calls may succeed. */
  isStream?: true;
};

/** `slow`: no answer to a quick query within seconds. `busy`: all connections are in use. `away`: unreachable. */
export type IndexState = 'ok' | 'read-only' | 'slow' | 'busy' | 'away';

/** Answer of `/api/health`. Service keys are `logs:<keeper>`, `updates`, `upgraded`, `router`, `rpc:<host>`. */
export type Health = {
  status: 'ok';
  version: string;
  source: 'live' | 'sandbox';
  services?: Record<string, ServiceHealth>;
  /** `file`, `postgres`, `memory`; or `read-only` while nothing can be written. */
  storage?: string;
  index?: IndexState;
};

export type ServiceState = 'ok' | 'failing' | 'unconfigured' | 'unknown';

export function serviceState({ configured, ok }: ServiceHealth): ServiceState {
  if (!configured) return 'unconfigured';
  return ok === null ? 'unknown' : ok ? 'ok' : 'failing';
}

/** `name` is for sentences, `label` for tables. */
const term = (setting: string, name: string, label: string, purpose: string) => {
  return { name, label, purpose, url: `${setting}_URL`, key: `${setting}_API_KEY` };
};
export const SERVICE_TERMS: Record<ServiceName, ReturnType<typeof term>> = {
  logs: term('LOGS', 'Request log service', 'Logs', 'Request log'),
  updates: term('UPDATES', 'Price update service', 'Prices', 'Price updates and their stream'),
  upgraded: term('UPGRADED_UPDATES', 'Upgraded price update service', 'Upgraded prices', 'Second price host'),
  router: term('ROUTER', 'Price router', 'Router', 'Prices on demand, by channel'),
  // RPC keys are parts of URLs.
  rpc: { ...term('RPC', 'Chain RPC', 'RPC', 'Read-only JSON-RPC'), url: 'RPC_URLS', key: 'RPC_URLS' },
};

/** @param name a service key such as `logs:main` or `router:symbols` */
export const serviceTerms = (name: string) => SERVICE_TERMS[name.split(':')[0] as ServiceName];

/** `Logs main` for `logs:main`. */
export function serviceLabel(name: string): string {
  // The name of an RPC host may include a port.
  const [, ...which] = name.split(':');
  return `${serviceTerms(name)?.label ?? name} ${which.join(':')}`.trim();
}

const FAILURE_WORDS: Record<FailureKind, string> = {
  unauthorized: 'API key rejected',
  'rate-limited': 'rate-limited',
  failing: 'server error',
  unreachable: 'unreachable',
  timeout: 'timed out',
  malformed: 'unreadable answer',
  'wrong-chain': 'serves another chain',
  rejected: 'request rejected',
  missing: 'not found',
  'bad-request': 'invalid request',
  'too-many': 'call budget used up',
  'index-unavailable': 'Index unavailable',
  unconfigured: 'not configured',
};

/** A failure in words that follow a name. `failureTitle` begins with a capital letter. */
export const failureWord = (kind: FailureKind | undefined) =>
  kind === undefined ? 'failing' : FAILURE_WORDS[kind];
export const failureTitle = (kind: FailureKind | undefined) =>
  failureWord(kind).replace(/^./, (letter) => letter.toUpperCase());

/** A state in words that follow the name of the service. */
export function stateWords(health: ServiceHealth): string {
  const state = serviceState(health);
  if (state === 'failing') return `${health.isStream ? 'stream ' : ''}${failureWord(health.kind)}`;
  return { ok: 'healthy', unknown: 'not checked', unconfigured: 'not configured' }[state];
}

/** Far above the one-second resolution of `Date` and the latency of an answer. */
export const CLOCK_TOLERANCE_MS = MINUTE_MS;
export const isClockSkewed = (offByMs: number) => Math.abs(offByMs) >= CLOCK_TOLERANCE_MS;

/** `offByMs`: the service's clock minus ours. */
export type ClockSkew = { keeper: string; offByMs: number };

/**
 * Sentence about the most skewed clock, its effect, and others skewed in the same direction; undefined if there is none.
 * @param severalKeepers whether keepers have to be named
 */
export function clockSkewSentence(
  clocks: readonly ClockSkew[],
  effects: { ahead: string; behind: string },
  severalKeepers: boolean,
): string | undefined {
  const [worst] = clocks.toSorted((a, b) => Math.abs(b.offByMs) - Math.abs(a.offByMs));
  if (worst === undefined) return undefined;
  const isAhead = worst.offByMs > 0;
  const alike = clocks.filter(({ offByMs }) => offByMs > 0 === isAhead).map(({ keeper }) => keeper);
  const [where, effect] = isAhead ? ['ahead of', effects.ahead] : ['behind', effects.behind];
  const ofKeepers =
    alike.length === 1
      ? `The clock of keeper ${worst.keeper}’s request log service is`
      : `The clocks of the request log services of keepers ${alike.join(', ')} are up to`;
  const clockText = severalKeepers ? ofKeepers : 'The request log service’s clock is';
  return `${clockText} ${formatAge(Math.abs(worst.offByMs))} ${where} this dashboard’s, by the dates of ${alike.length > 1 ? 'their' : 'its'} answers and rows: ${effect}. Either clock may be off.`;
}

export function unconfigured(service: ServiceName): Failure {
  const detail = `The service is not configured. Set ${SERVICE_TERMS[service].url}.`;
  return { kind: 'unconfigured', service, detail };
}
