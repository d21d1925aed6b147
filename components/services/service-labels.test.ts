import { expect, it } from 'vitest';
import type { HostReport, KeyReport } from '@/lib/core/service-report';
import {
  budgetText,
  checkFact,
  clockFact,
  type Fact,
  healthFact,
  keyFact,
  keyRemedy,
  keyVerdict,
  latencyFact,
  pagesStreamFact,
  rateLimitFact,
  streamEndsText,
  streamText,
} from './service-labels';

const NOW = 1_000_000_000;
const HOUR = 3_600_000;
const moment = (ms: number) => `@${ms}`;
const key = (more: Partial<KeyReport> = {}): KeyReport => ({ state: 'set', setting: 'X_API_KEY', ...more });

function host(more: Partial<HostReport> = {}): HostReport {
  const waiting = { user: 0, background: 0 };
  return {
    address: 'https://prices.example',
    key: key(),
    last: { state: 'none' },
    calls: { sent: 0, failures: [], heldBack: [] },
    budget: { callsPerSecond: 3, burst: 30, used: 4, waiting, granted: 9, refused: 0, sharedWith: [] },
    streams: { open: [], opened: 0, ends: { 'closed-here': 0, 'ended-by-service': 0, broken: 0 } },
    ...more,
  };
}

const health = (last: HostReport['last']) =>
  healthFact({ label: 'updates', service: 'updates', host: host({ last }) }, NOW);
const verdict = (state: KeyReport['state'], said?: 'accepted' | 'refused', label = 'updates') => {
  const told = said && { verdict: said, upstreamStatus: 401, atMs: NOW - 3000 };
  return keyVerdict(label, host({ key: key({ state, verdict: told }) }), NOW);
};
const origin = { kind: 'environment', setting: 'X_API_KEY', sinceMs: 5 } as const;
const file = { kind: 'file', setting: 'X_API_KEY_FILE', sinceMs: 5, writtenAtMs: 3 } as const;
const clock = (offByMs: number, answers = 1) =>
  clockFact(host({ clock: { offByMs, datedMs: 7, atMs: NOW - 3000, answers } }), NOW, moment);
const pause = { kind: 'rate-limited', upstreamStatus: 429, untilMs: NOW + 12_000 } as const;
const latency = { calls: 2, p50Ms: 1234.4, p95Ms: 2000, p99Ms: 2000, maxMs: 2000 };
const check = (outcome: 'ok' | 'missing' | 'timeout' | 'rate-limited', call: 'made' | 'held-back' = 'made') =>
  checkFact(host({ check: { atMs: NOW - 1000, outcome, call } }), NOW);
const failure = { kind: 'failing', detail: 'It is failing (503).', retryAfterS: 4 };

it.each<[string, Fact | undefined, string, Fact['tone']?, string?]>([
  ['not called yet', health({ state: 'none' }), 'Not checked'],
  ['healthy', health({ state: 'ok', atMs: NOW - 1000 }), 'Healthy', 'good', '1 s ago'],
  ['out of reach', health({ state: 'failed', kind: 'unreachable', atMs: NOW }), 'Unreachable', 'bad'],
  ['with errors', health({ state: 'failed', kind: 'failing', atMs: NOW }), 'Reachable, server error', 'bad'],
  [
    'a key of the environment',
    keyFact(key({ origin }), moment),
    'X_API_KEY',
    undefined,
    'Environment, since @5',
  ],
  [
    'a key file',
    keyFact(key({ origin: file }), moment),
    'X_API_KEY_FILE',
    undefined,
    'written @3, in use since @5',
  ],
  [
    'a key file gone bad',
    keyFact(key({ origin: { ...file, trouble: 'file-unusable' } }), moment),
    'X_API_KEY_FILE: no usable key',
    'bad',
    'the last good one stays in use',
  ],
  ['no key', keyFact(key({ state: 'none' }), moment), 'No key', undefined, 'X_API_KEY is not set'],
  ['an unusable key', keyFact(key({ state: 'unusable' }), moment), 'X_API_KEY unusable', 'bad'],
  ['an accepted key', verdict('set', 'accepted'), 'Accepted', 'good', '3 s ago'],
  ['a rejected key', verdict('set', 'refused'), 'API key rejected (401)', 'bad'],
  ['a wanted key', verdict('none', 'refused'), 'Key required (401)', 'bad'],
  ['an open list', verdict('set', undefined, 'router:symbols'), 'No key needed'],
  ['a clock like ours', clock(59_999), 'In sync', 'good'],
  ['a clock behind', clock(-60_000), '1 min 00 s behind', 'wait'],
  ['a clock ahead', clock(600_000, 3), '10 min 00 s ahead', 'wait', 'least off of its last 3. Either clock'],
  ['no limit', rateLimitFact(host(), NOW), 'Not rate-limited'],
  ['a limit', rateLimitFact(host({ pause }), NOW), 'Rate-limited (429), retry in 12 s', 'wait'],
  [
    'a limit that ends',
    rateLimitFact(host({ pause }), NOW + 13_000),
    'Rate-limited (429), retry due',
    'wait',
  ],
  ['no latency', latencyFact(host()), ''],
  [
    'latency',
    latencyFact(host({ calls: { sent: 2, latency, failures: [], heldBack: [] } })),
    'p50 1,234 ms · p95 2,000 ms · max 2,000 ms',
    undefined,
    'of the last 2 calls',
  ],
  ['a check', check('ok'), 'Check passed, 1 s ago', 'good'],
  ['a check that is refused', check('missing'), 'Check passed, 1 s ago', 'good'],
  ['a check that fails', check('timeout'), 'Check failed: timed out, 1 s ago', 'bad'],
  ['a check that is not made', check('rate-limited', 'held-back'), 'Check blocked, 1 s ago', 'wait'],
  ['a live stream', pagesStreamFact({ state: 'live', sinceMs: NOW - 5000 }, NOW), 'Live for 5 s', 'good'],
  [
    'a stream that is down',
    pagesStreamFact({ state: 'failed', sinceMs: NOW, failure }, NOW),
    'Down for 0 s: It is failing (503)., retry within 4 s',
    'bad',
  ],
])('%s', (_, fact, text, tone, detail = '') => {
  expect(fact?.text ?? '').toBe(text);
  expect(fact?.tone).toBe(tone);
  expect(fact?.detail ?? '').toContain(detail);
});

it('a refused key leads to the portal and to the setting, and one from a file to the file', () => {
  const refused = (upstreamStatus: number) => ({ verdict: 'refused', upstreamStatus, atMs: NOW }) as const;
  const steps = (service: 'logs' | 'updates', more: Partial<KeyReport>) =>
    keyRemedy(service, host({ key: key(more) }))?.steps.join(' ');
  expect(steps('updates', { verdict: refused(401) })).toMatch(
    /web portal.*trial.*plan.*X_API_KEY.*once a minute/,
  );
  expect(steps('updates', { verdict: refused(401), origin: file })).toContain('without a restart');
  expect(steps('updates', { verdict: refused(403) })).toContain('plan include');
  expect(steps('logs', { verdict: refused(401) })).toContain('runs the keeper');
  expect(steps('updates', {})).toBeUndefined();
});

it('budget and streams in words', () => {
  const { budget } = host();
  expect(budgetText(budget)).toBe('4 of 30 used, refills 3/s');
  const busy = { ...budget, waiting: { user: 1, background: 2 }, refused: 5, sharedWith: ['logs:test'] };
  expect(budgetText(busy)).toMatch(/; 3 waiting \(1 user, 2 background\); 5 blocked; shared with Logs test$/);
  expect(streamText({ openedAtMs: NOW - HOUR, feeds: 5, lastByteAtMs: NOW - 1000 }, NOW)).toBe(
    '5 feeds, open 1 h 00 min, last heartbeat 1 s ago, reconnects in 23 h 00 min',
  );
  expect(streamText({ openedAtMs: NOW - 25 * HOUR, feeds: 1 }, NOW)).toBe(
    '1 feed, open 1 d 1 h, no heartbeat yet, reconnect due',
  );
  const ends = { 'closed-here': 1, 'ended-by-service': 2, broken: 1 };
  const lastEnd = { end: 'broken', atMs: NOW - 60_000, lastedMs: 5000 } as const;
  expect(streamEndsText({ open: [], opened: 4, ends, lastEnd }, NOW)).toBe(
    '4 opened, 2 ended by the service, 1 broken; last ended 1 min 00 s ago after 5 s',
  );
});
