import { expect, it } from 'vitest';
import type { HostReport } from '@/lib/core/service-report';
import {
  briefFigures,
  budgetLeft,
  budgetRefill,
  budgetText,
  COLUMNS,
  type Fact,
  healthyText,
  hostDetails,
  hostState,
  keyRemedy,
  troubleFirst,
} from './service-labels';

const NOW = 1_000_000_000;
const HOUR = 3_600_000;
const moment = (ms: number) => `@${ms}`;
const START = NOW - 2 * HOUR;
const factsOf = (
  column: keyof typeof COLUMNS,
  report: HostReport,
  label = 'updates',
  startedAtMs = START,
): Fact[] => COLUMNS[column][1]({ label, host: report, nowMs: NOW, startedAtMs, moment });

function host(more: Partial<HostReport> = {}): HostReport {
  const waiting = { user: 0, background: 0 };
  return {
    address: 'https://prices.example',
    key: { state: 'set', setting: 'X_API_KEY' },
    last: { state: 'none' },
    calls: { sent: 0, failures: [], heldBack: [] },
    history: [],
    recent: [],
    budget: { callsPerSecond: 3, burst: 30, used: 4, waiting, granted: 9, refused: 0, sharedWith: [] },
    streams: { open: [], opened: 0, ends: { 'closed-here': 0, 'ended-by-service': 0, broken: 0 } },
    ...more,
  };
}

const key = (more: Partial<HostReport['key']>) => host({ key: { ...host().key, ...more } });
const last = (more: Partial<HostReport['last']>) =>
  host({ last: { state: 'failed', atMs: NOW - 1000, ...more } });
const answered = (...times: number[]) => ({
  ...last({ state: 'ok' }),
  recent: times.map((ms) => ({ atMs: NOW, route: '/x', outcome: 'ok' as const, ms, bytes: 1 })),
});
const clock = (offByMs: number, answers = 1) => ({
  clock: { offByMs, datedMs: 7, atMs: NOW - 3000, answers },
});
const pause = (untilMs: number) =>
  host({ pause: { kind: 'rate-limited', upstreamStatus: 429, untilMs: NOW + untilMs } });
const verdict = (word: 'accepted' | 'refused', upstreamStatus = 401) =>
  ({ verdict: word, upstreamStatus, atMs: NOW - 3000 }) as const;
const environment = { kind: 'environment', setting: 'X_API_KEY', sinceMs: 5 } as const;
const file = { kind: 'file', setting: 'X_API_KEY_FILE', sinceMs: 5, writtenAtMs: 3 } as const;
const trouble = {
  kind: 'failing',
  count: 41,
  lastAtMs: NOW - 2000,
  lastDetail: 'Oh.',
  lastStatus: 503,
} as const;
const latency = { calls: 5, p50Ms: 1234.4, p95Ms: 2000, p99Ms: 2000, maxMs: 2000 };
const calls = { sent: 2, latency, failures: [trouble], heldBack: [{ ...trouble, count: 1 }] };

it.each<[keyof typeof COLUMNS, HostReport, string]>([
  ['health', host(), 'Not checked | No call so far'],
  ['health', last({ state: 'ok' }), 'good: Healthy | Last call 1 s ago'],
  ['health', answered(3000, 100, 3200), 'wait: Slow | Latest calls 3.0 s [Last call 1 s ago]'],
  ['health', answered(9000, 9000), 'good: Healthy | Last call 1 s ago'],
  ['health', answered(9000, 100, 200), 'good: Healthy | Last call 1 s ago'],
  [
    'health',
    last({ kind: 'unreachable' }),
    'bad: Unreachable | Failing for 1 s | First failure @999999000 | Last call 1 s ago [No success yet]',
  ],
  [
    'health',
    last({ kind: 'failing', failingSinceMs: NOW - 420_000 }),
    'bad: Reachable, server error | Failing for 7 min 00 s | First failure @999580000 | Last call 1 s ago [No success yet]',
  ],
  [
    'health',
    { ...last({ kind: 'timeout' }), nextProbeAtMs: NOW + 12_000 },
    'bad: Timed out | Failing for 1 s | First failure @999999000 | Last call 1 s ago [No success yet] | Next probe in 12 s',
  ],
  ['key', key({ origin: environment }), 'X_API_KEY [Environment, since @5] | Not checked'],
  ['key', key({ origin: file }), 'X_API_KEY_FILE [File, written @3, in use since @5] | Not checked'],
  [
    'key',
    key({ origin: { ...file, trouble: 'file-unusable' } }),
    'bad: X_API_KEY_FILE: no usable key [File, written @3, in use since @5; the last good one stays in use] | Not checked',
  ],
  ['key', key({ state: 'none' }), 'No key [X_API_KEY is not set] | Not checked'],
  ['key', key({ verdict: verdict('accepted') }), 'Set | good: Accepted [3 s ago]'],
  ['key', key({ verdict: verdict('refused') }), 'Set | bad: API key rejected (401) [3 s ago]'],
  [
    'key',
    key({ state: 'none', verdict: verdict('refused') }),
    'No key [X_API_KEY is not set] | bad: API key required (401) [3 s ago]',
  ],
  [
    'key',
    key({ state: 'none', setting: 'RPC_URLS', verdict: verdict('accepted') }),
    'In RPC_URLS [A part of its URL, if it needs one] | good: Accepted [3 s ago]',
  ],
  ['latency', host(), 'No call yet'],
  ['latency', host({ calls }), 'p50 1.2 s · p95 2.0 s [p99 2.0 s] | max 2.0 s, last 5 calls'],
  ['latency', host({ calls: { ...calls, latency: { ...latency, calls: 1 } } }), 'max 2.0 s | 1 call'],
  [
    'latency',
    host({ calls: { ...calls, latency: { ...latency, p50Ms: 64.2, p95Ms: 999.4 } } }),
    'p50 64 ms · p95 999 ms [p99 2.0 s] | max 2.0 s, last 5 calls',
  ],
  ['errors', host(), '0 [0 calls since @992800000]'],
  ['errors', host({ calls }), '41 [Last 2 s ago; 2 calls since @992800000] | 1 blocked'],
  ['limit', host(), ''],
  ['limit', pause(12_000), 'wait: Rate-limited (429), retry in 12 s'],
  ['limit', pause(-1), 'wait: Rate-limited (429), retry due'],
  [
    'key',
    { ...key({ verdict: verdict('accepted') }), ...clock(59_999) },
    'Set | good: OK [Accepted 3 s ago; clock in sync 3 s ago]',
  ],
  [
    'key',
    { ...key({ verdict: verdict('refused') }), ...clock(0) },
    'Set | bad: API key rejected (401) [3 s ago]',
  ],
  [
    'key',
    { ...key({ verdict: verdict('accepted') }), ...clock(-60_000) },
    'Set | good: Accepted [3 s ago] | wait: Clock 1 min 00 s behind [Answer of @999997000 dated @7. Either clock may be wrong]',
  ],
  [
    'key',
    { ...key({ verdict: verdict('accepted') }), ...clock(600_000, 3) },
    'Set | good: Accepted [3 s ago] | wait: Clock 10 min 00 s ahead [Answer of @999997000 dated @7, closest of the last 3. Either clock may be wrong]',
  ],
])('the cell of %s', (column, report, says) => {
  const lines = factsOf(column, report).map(
    ({ text, tone, detail }) => `${tone ? `${tone}: ` : ''}${text}${detail ? ` [${detail}]` : ''}`,
  );
  expect(lines.join(' | ').replaceAll('\u00a0', ' ')).toBe(says);
});

it('a phone shows latency and errors in one line, with their span', () => {
  const times = { nowMs: NOW, startedAtMs: START };
  expect(briefFigures(host(), times)).toBeUndefined();
  expect(briefFigures(host({ calls }), times)).toBe('p95 2.0 s · 41 errors, 1 h');
  expect(briefFigures(host({ calls: { ...calls, latency: { ...latency, calls: 1 } } }), times)).toBe(
    'max 2.0 s · 41 errors, 1 h',
  );
  expect(briefFigures(host({ calls }), { ...times, startedAtMs: NOW - 200_000 })).toBe(
    'p95 2.0 s · 41 errors, since start, 3 min',
  );
});

it('services with trouble come first, failing ones before slow ones', () => {
  const service = (label: string, report?: HostReport) =>
    ({ label, service: 'updates', ...(report && { host: report }) }) as const;
  const failing = last({ kind: 'failing' });
  const services = [
    service('none'),
    service('fast', answered(9)),
    service('slow', answered(3000, 3000, 3000)),
    service('bad', failing),
  ];
  expect(troubleFirst(services).map(({ label }) => label)).toEqual(['bad', 'slow', 'fast', 'none']);
  expect(services.map(hostState)).toEqual(['unconfigured', 'ok', 'slow', 'failing']);
});

it('a list that needs no key does not wait for a check', () => {
  expect(factsOf('key', host(), 'router:symbols')[1]?.text).toBe('No key needed');
});

it('a rejected key leads to the portal and to the setting, and one from a file to the file', () => {
  const steps = (service: 'logs' | 'updates', more: Partial<HostReport['key']>) =>
    keyRemedy({ label: 'x', service, host: key(more) })?.steps.join(' ');
  expect(steps('updates', { verdict: verdict('refused') })).toMatch(
    /web portal.*trial.*plan.*X_API_KEY.*once a minute/,
  );
  expect(steps('updates', { verdict: verdict('refused'), origin: file })).toContain('without a restart');
  expect(steps('updates', { verdict: verdict('refused', 403) })).toContain('plan include');
  expect(steps('logs', { verdict: verdict('refused') })).toContain('operator of the keeper');
  expect(steps('updates', {})).toBeUndefined();
});

it('the rest of the call budget is shown with the rate at which it refills', () => {
  const { budget } = host();
  expect([budgetLeft(budget), budgetRefill(budget)]).toEqual(['26 of 30 left', 'refills 3/s']);
});

it('details show budget, streams and errors', () => {
  const { budget } = host();
  const busy = { ...budget, waiting: { user: 1, background: 2 }, refused: 5, sharedWith: ['logs:test'] };
  expect(budgetText(busy)).toBe(
    '26 of 30 left, refills 3/s; 3 waiting (1 user, 2 background); 5 blocked since the start; shared with Logs test',
  );
  const ends = { 'closed-here': 1, 'ended-by-service': 2, broken: 1 };
  const lastEnd = { end: 'broken', atMs: NOW - 60_000, lastedMs: 5000 } as const;
  const open = [
    { openedAtMs: NOW - HOUR, feeds: 5, lastByteAtMs: NOW - 1000 },
    { openedAtMs: NOW - 25 * HOUR, feeds: 1 },
  ];
  const failure = { kind: 'failing', detail: 'Returned 503.', retryAfterS: 4 };
  const pagesStream = { state: 'failed', sinceMs: NOW, failure } as const;
  const streams = { open, opened: 4, ends, lastEnd };
  expect(hostDetails(host({ streams, pagesStream, calls }), NOW)).toEqual([
    'Call budget: 26 of 30 left, refills 3/s',
    'Dashboard stream: Down for 0 s: Returned 503, retry within 4 s',
    'Stream: 5 feeds, open 1 h 00 min, last heartbeat 1 s ago, reconnects in 23 h 00 min',
    'Stream: 1 feed, open 1 d 1 h, no heartbeat yet, reconnect due',
    'Streams: 4 opened, 2 ended by the service, 1 broken; last ended 1 min 00 s ago after 5 s',
    '41 calls: server error (503), last 2 s ago: Oh.',
    '1 call blocked: server error, last 2 s ago: Oh.',
  ]);
});

it('a stream that fails is named, also while other calls of its host succeed', () => {
  const [state] = factsOf('health', last({ kind: 'missing', isStream: true }));
  expect(state).toMatchObject({ text: 'Stream not found', tone: 'bad' });
});

it('services are healthy at their last call, which is named where it was hours ago', () => {
  const reportAt = (...ages: number[]) =>
    ages.map((ms) => ({
      label: 'updates',
      service: 'updates' as const,
      host: last({ state: 'ok', atMs: NOW - ms }),
    }));
  expect(healthyText(reportAt(1000, HOUR - 1), NOW)).toBe('All 2 services healthy');
  expect(healthyText(reportAt(1000, 9 * HOUR), NOW)).toBe(
    'All 2 services healthy at their last call, the oldest 9 h ago',
  );
  expect(healthyText(reportAt(9 * HOUR), NOW)).toBe('Healthy at its last call, 9 h ago');
});
