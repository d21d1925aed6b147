import { failureTitle, failureWord, isClockSkewed, type ServiceState, serviceLabel } from '@/lib/core/health';
import { countOf, groupDigits } from '@/lib/core/numbers';
import type { ServiceName } from '@/lib/core/outcome';
import type { HostReport, ServiceReport, TroubleReport } from '@/lib/core/service-report';
import { clipped } from '@/lib/core/text';
import { DAY_MS, formatAge, formatLatency, formatSpan, HOUR_MS, MINUTE_MS } from '@/lib/core/time';

/** `detail` is shown on hover. */
export type Fact = { text: string; tone?: 'good' | 'bad' | 'wait'; detail?: string };

/** `startedAtMs` is the start of the server; `moment` formats unix ms for a sentence. */
type LabelInput = {
  label: string;
  host: HostReport;
  nowMs: number;
  startedAtMs: number;
  moment: (ms: number) => string;
};

const ago = (ms: number, nowMs: number) => `${formatAge(nowMs - ms)} ago`;

export type HostState = ServiceState | 'slow';

/** Duration from which a page visibly waits. */
const SLOW_MS = 3_000;
/** Calls whose median decides whether a service is slow; one slow answer is not enough. */
const MAX_TIMED_CALLS = 5;
const MIN_TIMED_CALLS = 3;

/** Median of the calls that succeeded; undefined if there are too few. */
function recentMs({ recent }: HostReport): number | undefined {
  const times = recent.slice(0, MAX_TIMED_CALLS).flatMap(({ outcome, ms }) => (outcome === 'ok' ? ms : []));
  if (times.length < MIN_TIMED_CALLS) return undefined;
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];
}

const isSlow = (host: HostReport) => (recentMs(host) ?? 0) >= SLOW_MS;

/** State of a host by its latest real calls. */
export function hostState({ host }: ServiceReport): HostState {
  if (host === undefined) return 'unconfigured';
  if (host.last.state === 'none') return 'unknown';
  if (host.last.state !== 'ok') return 'failing';
  return isSlow(host) ? 'slow' : 'ok';
}

/** `All 3 services healthy`, by their last calls, with an age if one was hours ago. */
export function healthyText(services: readonly ServiceReport[], nowMs: number): string {
  const healthy = services.filter((service) => hostState(service) === 'ok');
  const oldestMs = Math.max(0, ...healthy.map(({ host }) => nowMs - (host?.last.atMs ?? nowMs)));
  const isSingle = healthy.length === 1;
  const all = isSingle ? 'The service is healthy' : `All ${healthy.length} services healthy`;
  if (oldestMs < HOUR_MS) return all;
  const age = `${formatSpan(oldestMs)} ago`;
  return isSingle ? `Healthy at its last call, ${age}` : `${all} at their last call, the oldest ${age}`;
}

const RANKS: Record<HostState, number> = { failing: 0, slow: 1, ok: 2, unknown: 2, unconfigured: 3 };

/** The others in the order of the report. */
export const troubleFirst = (services: readonly ServiceReport[]) =>
  services.toSorted((a, b) => RANKS[hostState(a)] - RANKS[hostState(b)]);

export const AFFECTED_PAGES: Record<ServiceName, readonly string[]> = {
  logs: ['/', '/requests', '/pending'],
  updates: ['/feeds', '/prices'],
  upgraded: ['/feeds', '/prices'],
  router: ['/prices'],
  rpc: ['/', '/requests', '/pending'],
};

export const COLUMNS = {
  health: ['Health', healthFacts],
  key: ['Key and clock', keyAndClockFacts],
  latency: ['Latency', latencyFacts],
  errors: ['Errors', errorFacts],
  limit: ['Rate limit', limitFacts],
} as const satisfies Record<string, readonly [name: string, factsOf: (of: LabelInput) => Fact[]]>;

function healthFacts({ host, nowMs, moment }: LabelInput): Fact[] {
  const { last, calls, nextProbeAtMs } = host;
  const { state, kind, atMs = 0, failingSinceMs = atMs, isStream } = last;
  const { lastOkAtMs } = calls;
  // The age has its line from the start, so that the first call moves no row.
  if (state === 'none') return [{ text: 'Not checked' }, { text: 'No call so far' }];
  const age = { text: `Last call ${ago(atMs, nowMs)}` };
  if (state === 'ok' && isSlow(host)) {
    const took = `Latest calls ${formatLatency(recentMs(host) ?? 0)}`;
    return [
      { text: 'Slow', tone: 'wait' },
      { text: took, detail: age.text },
    ];
  }
  if (state === 'ok') return [{ text: 'Healthy', tone: 'good' }, age];
  const isSilent = kind === 'unreachable' || kind === 'timeout';
  const text = isStream
    ? `Stream ${failureWord(kind)}`
    : isSilent
      ? failureTitle(kind)
      : `Reachable, ${failureWord(kind)}`;
  const success = lastOkAtMs === undefined ? 'No success yet' : `Last success ${ago(lastOkAtMs, nowMs)}`;
  return [
    { text, tone: 'bad' },
    { text: `Failing for ${formatAge(nowMs - failingSinceMs)}` },
    { text: `First failure ${moment(failingSinceMs)}` },
    { ...age, detail: success },
    ...(nextProbeAtMs === undefined ? [] : [{ text: probeText(nextProbeAtMs - nowMs) }]),
  ];
}

/** Probes that are due run every ten to twenty seconds. */
const probeText = (leftMs: number) =>
  leftMs > 0 ? `Next probe in ${formatAge(leftMs)}` : 'Next probe within 20 s';

export const KEY_AND_CLOCK_OK = 'OK';

/** Facts about key and clock: one word while both are fine. */
function keyAndClockFacts(input: LabelInput): Fact[] {
  const [key, verdict, clock] = [keyFact(input), keyVerdict(input), clockFact(input)];
  if (key.tone === undefined && verdict.tone === 'good' && clock.tone === 'good') {
    const detail = `${verdict.text} ${verdict.detail}; clock ${clock.detail}`;
    return [key, { text: KEY_AND_CLOCK_OK, tone: 'good', detail }];
  }
  return [key, verdict, ...(clock.tone === 'wait' ? [clock] : [])];
}

/** Where the key comes from and since when, without any part of it. */
function keyFact({ host, moment }: LabelInput): Fact {
  const { state, origin, setting } = host.key;
  if (state === 'unusable') {
    return { text: `${setting} unusable`, tone: 'bad', detail: 'Must be one line of visible ASCII' };
  }
  if (setting === 'RPC_URLS') return { text: 'In RPC_URLS', detail: 'A part of its URL, if it needs one' };
  if (state === 'none') return { text: 'No key', detail: `${setting} is not set` };
  if (origin === undefined) return { text: 'Set' };
  const name = origin.setting ?? setting;
  const { sinceMs, writtenAtMs } = origin;
  if (origin.kind === 'sandbox') return { text: 'Sandbox key' };
  if (origin.kind === 'environment') return { text: name, detail: `Environment, since ${moment(sinceMs)}` };
  const written = writtenAtMs === undefined ? '' : `written ${moment(writtenAtMs)}, `;
  const detail = `File, ${written}in use since ${moment(sinceMs)}`;
  return origin.trouble === undefined
    ? { text: name, detail }
    : { text: `${name}: no usable key`, tone: 'bad', detail: `${detail}; the last good one stays in use` };
}

function keyVerdict({ label, host, nowMs }: LabelInput): Fact {
  const { verdict, state, setting } = host.key;
  if (verdict === undefined) return { text: label === 'router:symbols' ? 'No key needed' : 'Not checked' };
  const detail = ago(verdict.atMs, nowMs);
  if (verdict.verdict === 'accepted') {
    const isKnown = state === 'set' || setting === 'RPC_URLS';
    return { text: isKnown ? 'Accepted' : 'No key needed', tone: 'good', detail };
  }
  const problemText = state === 'set' ? 'API key rejected' : 'API key required';
  return { text: `${problemText} (${verdict.upstreamStatus})`, tone: 'bad', detail };
}

/** Calls below which no percentile is shown: it would be one of them. */
const MIN_CALLS_FOR_PERCENTILES = 5;

function latencyFacts({ host }: LabelInput): Fact[] {
  if (host.calls.latency === undefined) return [{ text: 'No call yet' }];
  const { p50Ms, p95Ms, p99Ms, maxMs, calls } = host.calls.latency;
  const count = countOf(calls, 'call');
  if (calls < MIN_CALLS_FOR_PERCENTILES) return [{ text: `max ${formatLatency(maxMs)}` }, { text: count }];
  // The text wraps only between the figures.
  const text = `p50 ${formatLatency(p50Ms)} · p95 ${formatLatency(p95Ms)}`.replace(/(?<!·) (?!·)/g, '\u00a0');
  // The count has no separate line here, which would make the row higher than its address.
  return [
    { text, detail: `p99 ${formatLatency(p99Ms)}` },
    { text: `max ${formatLatency(maxMs)}, last ${count}` },
  ];
}

const sumOf = (list: readonly TroubleReport[]) => list.reduce((total, { count }) => total + count, 0);

/** Time for which failures are counted: `1 h`, or less on a younger server. */
export function errorSpan({ startedAtMs, nowMs }: Pick<LabelInput, 'startedAtMs' | 'nowMs'>): string {
  const ageMs = nowMs - startedAtMs;
  if (ageMs >= HOUR_MS) return '1 h';
  return `since start, ${Math.max(1, Math.floor(ageMs / MINUTE_MS))} min`;
}

/** Calls that failed, and calls that our server held back. */
function errorFacts({ host, nowMs, startedAtMs, moment }: LabelInput): Fact[] {
  const { failures, heldBack, sent } = host.calls;
  const blocked = sumOf(heldBack);
  const last = failures[0] && `Last ${ago(failures[0].lastAtMs, nowMs)}; `;
  return [
    {
      text: groupDigits(sumOf(failures)),
      detail: `${last ?? ''}${countOf(sent, 'call')} since ${moment(startedAtMs)}`,
    },
    ...(blocked === 0 ? [] : [{ text: `${groupDigits(blocked)} blocked` }]),
  ];
}

/** `p95 16.9 s · 16 errors, 1 h`, for a phone, which has no columns; undefined before the first call. */
export function briefFigures(
  { calls: { latency, failures, sent } }: HostReport,
  times: Parameters<typeof errorSpan>[0],
): string | undefined {
  if (sent === 0) return undefined;
  const time =
    latency === undefined
      ? ''
      : latency.calls < MIN_CALLS_FOR_PERCENTILES
        ? `max ${formatLatency(latency.maxMs)} · `
        : `p95 ${formatLatency(latency.p95Ms)} · `;
  return `${time}${countOf(sumOf(failures), 'error')}, ${errorSpan(times)}`;
}

const PAUSES = {
  'rate-limited': 'Rate-limited',
  failing: 'Pause requested',
  unauthorized: 'Key retried once a minute',
};

function limitFacts({ host: { pause }, nowMs }: LabelInput): Fact[] {
  if (pause === undefined) return [];
  const { kind, upstreamStatus, untilMs } = pause;
  const next = untilMs > nowMs ? `retry in ${formatAge(untilMs - nowMs)}` : 'retry due';
  return [{ text: `${PAUSES[kind]} (${upstreamStatus}), ${next}`, tone: 'wait' }];
}

/** Difference of the clocks, by the Date headers of the host's answers. Either clock may be wrong. */
function clockFact({ host: { clock }, nowMs, moment }: LabelInput): Fact {
  if (clock === undefined) return { text: 'Clock unknown', detail: 'No dated answer' };
  const { offByMs, datedMs, atMs, answers } = clock;
  if (!isClockSkewed(offByMs)) {
    return { text: 'Clock in sync', tone: 'good', detail: `in sync ${ago(atMs, nowMs)}` };
  }
  const text = `Clock ${formatAge(Math.abs(offByMs))} ${offByMs > 0 ? 'ahead' : 'behind'}`;
  const sample = answers === 1 ? '' : `, closest of the last ${answers}`;
  const detail = `Answer of ${moment(atMs)} dated ${moment(datedMs)}${sample}. Either clock may be wrong`;
  return { text, tone: 'wait', detail };
}

export const budgetLeft = ({ burst, used }: HostReport['budget']) => `${burst - used} of ${burst} left`;

export const budgetRefill = ({ callsPerSecond }: HostReport['budget']) => `refills ${callsPerSecond}/s`;

export function budgetText(budget: HostReport['budget']): string {
  const { refused, sharedWith } = budget;
  const { user, background } = budget.waiting;
  return [
    `${budgetLeft(budget)}, ${budgetRefill(budget)}`,
    user + background > 0 ? `${user + background} waiting (${user} user, ${background} background)` : '',
    refused > 0 ? `${groupDigits(refused)} blocked since the start` : '',
    sharedWith.length > 0 ? `shared with ${sharedWith.map(serviceLabel).join(', ')}` : '',
  ]
    .filter(Boolean)
    .join('; ');
}

const MAX_STREAMS = 8;
/** Services close a stream after a day, which is not a fault. */
const PLANNED_LIFE_MS = DAY_MS;

export function hostDetails({ budget, pagesStream, streams, calls }: HostReport, nowMs: number): string[] {
  const { open, opened, ends, lastEnd } = streams;
  const shown = open.slice(0, MAX_STREAMS).map(({ openedAtMs, feeds, lastByteAtMs }) => {
    const left = openedAtMs + PLANNED_LIFE_MS - nowMs;
    const beat =
      lastByteAtMs === undefined ? 'no heartbeat yet' : `last heartbeat ${ago(lastByteAtMs, nowMs)}`;
    const close = left > 0 ? `reconnects in ${formatAge(left)}` : 'reconnect due';
    return `Stream: ${countOf(feeds, 'feed')}, open ${formatAge(nowMs - openedAtMs)}, ${beat}, ${close}`;
  });
  const last = lastEnd && `; last ended ${ago(lastEnd.atMs, nowMs)} after ${formatAge(lastEnd.lastedMs)}`;
  const totals = `${opened} opened, ${ends['ended-by-service']} ended by the service, ${ends.broken} broken`;
  return [
    `Call budget: ${budgetText(budget)}`,
    pagesStream === undefined ? '' : `Dashboard stream: ${pagesStreamText(pagesStream, nowMs)}`,
    ...shown,
    open.length > MAX_STREAMS ? `${open.length - MAX_STREAMS} more streams` : '',
    opened === 0 ? '' : `Streams: ${totals}${last ?? ''}`,
    ...calls.failures.map((trouble) => troubleText(trouble, '', nowMs)),
    ...calls.heldBack.map((trouble) => troubleText(trouble, ' blocked', nowMs)),
  ].filter(Boolean);
}

const STREAM_STATES: Record<NonNullable<HostReport['pagesStream']>['state'], string> = {
  live: 'Live',
  quiet: 'Connected, no updates',
  failed: 'Down',
  connecting: 'Connecting',
  reconnecting: 'Reconnecting',
};

function pagesStreamText(stream: NonNullable<HostReport['pagesStream']>, nowMs: number): string {
  const { state, sinceMs, failure } = stream;
  const why = failure === undefined ? '' : `: ${clipped(failure.detail, 200).replace(/\.$/, '')}`;
  const next = failure?.retryAfterS === undefined ? '' : `, retry within ${failure.retryAfterS} s`;
  return `${STREAM_STATES[state]} for ${formatAge(nowMs - sinceMs)}${why}${next}`;
}

function troubleText(trouble: TroubleReport, blocked: string, nowMs: number): string {
  const { kind, count, lastAtMs, lastDetail, lastStatus } = trouble;
  const status = lastStatus === undefined || blocked !== '' ? '' : ` (${lastStatus})`;
  const lastError = clipped(lastDetail, 300);
  return `${countOf(count, 'call')}${blocked}: ${failureWord(kind)}${status}, last ${ago(lastAtMs, nowMs)}: ${lastError}`;
}

/** Undefined for a good key. */
export function keyRemedy({ service, host }: ServiceReport): { title: string; steps: string[] } | undefined {
  if (host === undefined) return undefined;
  const { state, verdict, setting, origin } = host.key;
  if (state === 'unusable') {
    const step = `Put the key alone on one line into ${setting}, or into the file that ${setting}_FILE names.`;
    return { title: 'API key unusable', steps: [step] };
  }
  if (verdict?.verdict !== 'refused') return undefined;
  const isForbidden = verdict.upstreamStatus === 403;
  const portal = isForbidden
    ? 'Sign in at the provider’s web portal: does the plan include this service and these feeds?'
    : 'Sign in at the provider’s web portal: has the free trial ended, is the paid plan active, was the key replaced or revoked? Copy it from there.';
  const isRpc = setting === 'RPC_URLS';
  const set = isRpc
    ? 'Put it into the URL in RPC_URLS, or in the file of RPC_URLS_FILE, and restart.'
    : origin?.kind === 'file'
      ? `Write it into the file that ${origin.setting ?? setting} names. It is used within a second, without a restart.`
      : `Put it into ${setting} in .env.local and restart, or name a file in ${setting}_FILE, which needs no restart.`;
  return {
    title: state === 'none' ? 'API key required' : isForbidden ? 'API key not permitted' : 'API key rejected',
    steps: [
      service === 'logs' ? 'Ask the operator of the keeper’s log service for a valid key.' : portal,
      set,
      isRpc
        ? 'A rejected key is retried once a minute.'
        : 'A rejected key is retried once a minute, a changed one at once.',
    ],
  };
}
