import { describe, expect, test } from 'vitest';
import type { HostReport, KeyReport } from '@/lib/contract/codec/service-report';
import { serverNowMs, servicesViewAfter } from './service-report';
import {
  budgetWords,
  checkFact,
  clockFact,
  hostName,
  hostStateWords,
  keyAnswerFact,
  keyFact,
  keyRemedy,
  latencyWords,
  pagesStreamFact,
  pauseFact,
  reachFact,
  streamEndsWords,
  streamWords,
} from './service-words';

const NOW = 1_000_000_000;
const moment = (ms: number) => `@${ms}`;
const key = (more: Partial<KeyReport> = {}): KeyReport => ({
  state: 'set',
  setting: 'UPDATES_API_KEY',
  ...more,
});

function host(more: Partial<HostReport> = {}): HostReport {
  return {
    address: 'https://prices.example',
    key: key(),
    last: { state: 'none' },
    calls: { sent: 0, failures: [], heldBack: [] },
    budget: {
      callsPerSecond: 3,
      burst: 30,
      used: 4,
      waiting: { user: 0, background: 0 },
      granted: 9,
      refused: 0,
      sharedWith: [],
    },
    streams: { standing: [], opened: 0, ends: { 'closed-here': 0, 'ended-by-service': 0, broken: 0 } },
    ...more,
  };
}

describe('the key', () => {
  test('says where it comes from and since when', () => {
    const environment = { kind: 'environment', setting: 'UPDATES_API_KEY', sinceMs: 5 } as const;
    const file = { kind: 'file', setting: 'UPDATES_API_KEY_FILE', sinceMs: 5, writtenAtMs: 3 } as const;
    expect(keyFact(key({ origin: environment }), moment).words).toBe(
      'set, from the environment (UPDATES_API_KEY), since the start at @5',
    );
    expect(keyFact(key({ origin: file }), moment).words).toBe(
      'set, from the file that UPDATES_API_KEY_FILE names, written @3, in use since @5',
    );
    expect(keyFact(key({ origin: { ...file, trouble: 'file-unusable' } }), moment)).toMatchObject({
      tone: 'bad',
      words: expect.stringContaining('the last good one stays in use'),
    });
    expect(keyFact(key({ state: 'none' }), moment).words).toContain('UPDATES_API_KEY is not set');
    expect(keyFact(key({ state: 'unusable' }), moment).tone).toBe('bad');
  });

  test('is accepted, refused, wanted or not known', () => {
    const verdict = (verdict: 'accepted' | 'refused', upstreamStatus: number) =>
      ({ verdict, upstreamStatus, atMs: NOW - 3000 }) as const;
    const words = (report: KeyReport, label = 'updates') =>
      keyAnswerFact(label, host({ key: report }), NOW).words;
    expect(words(key({ verdict: verdict('accepted', 200) }))).toBe('yes, 3 s ago');
    expect(words(key({ state: 'none', verdict: verdict('accepted', 200) }))).toBe(
      'it answers without a key, 3 s ago',
    );
    expect(words(key({ verdict: verdict('refused', 401) }))).toBe('our key is refused (401), 3 s ago');
    expect(words(key({ state: 'none', verdict: verdict('refused', 401) }))).toBe(
      'it wants a key (401), 3 s ago',
    );
    expect(words(key())).toContain('not known');
    expect(words(key(), 'router:symbols')).toBe('this list needs no key');
  });

  test('that is refused leads to the provider’s portal and to the setting, and one from a file to the file', () => {
    const refused = { verdict: 'refused', upstreamStatus: 401, atMs: NOW } as const;
    const remedy = keyRemedy('updates', host({ key: key({ verdict: refused }) }));
    expect(remedy?.title).toBe('The key is refused');
    expect(remedy?.steps.join(' ')).toMatch(/web portal.*trial.*plan.*UPDATES_API_KEY.*once a minute/);
    const origin = { kind: 'file', setting: 'UPDATES_API_KEY_FILE', sinceMs: 0 } as const;
    expect(keyRemedy('updates', host({ key: key({ verdict: refused, origin }) }))?.steps[1]).toContain(
      'without a restart',
    );
    const forbidden = { ...refused, upstreamStatus: 403 };
    expect(keyRemedy('router', host({ key: key({ verdict: forbidden }) }))?.steps[0]).toContain(
      'plan include',
    );
    expect(keyRemedy('logs', host({ key: key({ verdict: refused }) }))?.steps[0]).toContain(
      'runs the keeper',
    );
    expect(keyRemedy('updates', host())).toBeUndefined();
  });
});

describe('a host', () => {
  const failed = (kind: HostReport['last']['kind']) =>
    reachFact(host({ last: { state: 'failed', kind, atMs: NOW - 2000 } }), NOW).words;

  test('is reachable, not reachable, or reachable with a but', () => {
    expect(reachFact(host(), NOW).words).toContain('not known');
    expect(reachFact(host({ last: { state: 'ok', atMs: NOW - 1000 } }), NOW).words).toBe('yes, 1 s ago');
    expect(failed('unreachable')).toBe('no, 2 s ago; never before');
    expect(failed('timeout')).toContain('no answer in time');
    expect(failed('failing')).toBe('yes, but: server error, 2 s ago; never before');
  });

  test('has a name and a state in words', () => {
    expect(hostName('router:symbols')).toBe('Router symbols');
    expect(hostStateWords({ label: 'updates', service: 'updates' })).toBe('not configured');
    const last = { state: 'failed', kind: 'unauthorized' } as const;
    expect(hostStateWords({ label: 'updates', service: 'updates', host: host({ last }) })).toBe(
      'key rejected',
    );
  });

  test('has a clock like ours, ahead or behind, with the dates that say so, and nobody is said to be wrong', () => {
    const words = (offByMs: number, answers = 1) =>
      clockFact(
        host({ clock: { offByMs, datedMs: NOW - 3000 + offByMs, atMs: NOW - 3000, answers } }),
        NOW,
        moment,
      );
    expect(clockFact(host(), NOW, moment)).toMatchObject({
      tone: 'plain',
      words: expect.stringMatching(/^not known/),
    });
    for (const offByMs of [0, 59_999, -59_999]) {
      expect(words(offByMs)).toEqual({ tone: 'good', words: 'like ours, within a minute, 3 s ago' });
    }
    expect(words(-60_000)).toMatchObject({
      tone: 'wait',
      words: expect.stringMatching(/^Its clock is 1 min 00 s behind ours: /),
    });
    expect(words(60_000).words).toMatch(/^Its clock is 1 min 00 s ahead of ours: /);
    expect(words(-600_000, 3).words).toContain(
      `came @${NOW - 3000}, 3 s ago, is dated @${NOW - 603_000}, the least off of its last 3. Either clock may be wrong`,
    );
  });

  test('counts the end of its limit down', () => {
    const pause = { kind: 'rate-limited', upstreamStatus: 429, untilMs: NOW + 12_000 } as const;
    expect(pauseFact(host({ pause }), NOW).words).toBe('it limits our calls (429): next call in 12 s');
    expect(pauseFact(host({ pause }), NOW + 13_000).words).toContain('may go out now');
    expect(pauseFact(host(), NOW).tone).toBe('plain');
  });

  test('has answer times once there are any', () => {
    expect(latencyWords(host())).toBeUndefined();
    const latency = { calls: 2, p50Ms: 1234.4, p95Ms: 2000, p99Ms: 2000, maxMs: 2000 };
    const times = latencyWords(host({ calls: { sent: 2, latency, failures: [], heldBack: [] } }));
    expect(times?.[0]).toEqual({ name: 'median', words: '1,234 ms' });
  });

  test('says how much of its budget is used, who waits, and with whom it is shared', () => {
    const { budget } = host();
    expect(budgetWords(budget)).toBe('4 of 30 used, 3 a second come back; none waits');
    expect(
      budgetWords({ ...budget, waiting: { user: 1, background: 2 }, refused: 5, sharedWith: ['logs:test'] }),
    ).toBe(
      '4 of 30 used, 3 a second come back; 3 wait (1 for people, 2 in the background); 5 found no room; shared with Logs test',
    );
  });
});

describe('streams', () => {
  test('tell their age, their last sign of life and their planned close', () => {
    const hour = 3_600_000;
    expect(streamWords({ openedAtMs: NOW - hour, feeds: 5, lastByteAtMs: NOW - 1000 }, NOW)).toBe(
      '5 feeds, open for 1 h 00 min, last sign of life 1 s ago, planned close in 23 h 00 min',
    );
    expect(streamWords({ openedAtMs: NOW - 25 * hour, feeds: 1 }, NOW)).toBe(
      '1 feed, open for 1 d 1 h, nothing has come yet, its planned close is due',
    );
  });

  test('that ended are counted, and the last one told', () => {
    const ends = { 'closed-here': 1, 'ended-by-service': 2, broken: 1 };
    const lastEnd = { end: 'broken', atMs: NOW - 60_000, lastedMs: 5000 } as const;
    expect(streamEndsWords({ standing: [], opened: 4, ends, lastEnd }, NOW)).toBe(
      '4 opened, 2 ended by the service, 1 broken; the last ended 1 min 00 s ago after 5 s',
    );
  });

  test('of our pages are live, quiet, or in trouble with its reason', () => {
    expect(pagesStreamFact({ state: 'live', sinceMs: NOW - 5000 }, NOW).words).toBe('live for 5 s');
    const failure = { kind: 'failing', detail: 'It is failing (503).', retryAfterS: 4 };
    expect(pagesStreamFact({ state: 'failed', sinceMs: NOW, failure }, NOW)).toEqual({
      tone: 'bad',
      words: 'down for 0 s: It is failing (503). The next try follows within 4 s.',
    });
  });
});

test('a check tells an answer from a refusal, from trouble, and from a call that was not made', () => {
  const check = { atMs: NOW - 1000, call: 'made' } as const;
  expect(checkFact({ ...check, outcome: 'ok' }, NOW)).toEqual({ tone: 'good', words: 'answered, 1 s ago' });
  expect(checkFact({ ...check, outcome: 'missing', detail: 'none' }, NOW).words).toContain(
    'refused this question',
  );
  expect(checkFact({ ...check, outcome: 'timeout' }, NOW).tone).toBe('bad');
  expect(checkFact({ ...check, outcome: 'rate-limited', call: 'held-back' }, NOW).words).toContain(
    'not asked',
  );
});

test('a report that does not come leaves the one before, and ages go on by the server’s clock', () => {
  const report = { atMs: 500, startedAtMs: 0, source: 'live', access: 'local', services: [] } as const;
  const first = { report: { ...report, services: [] }, receivedAtMs: undefined, trouble: undefined };
  const failure = { kind: 'unreachable', detail: 'No connection.' } as const;
  expect(servicesViewAfter({ ok: false, failure }, first, 9)).toEqual({ ...first, trouble: failure });
  const next = servicesViewAfter({ ok: true, value: { ...report, services: [] } }, first, 9000);
  expect(serverNowMs(next, 12_000)).toBe(3500);
  expect(serverNowMs(next, 8_000)).toBe(500);
  expect(serverNowMs(first, 12_000)).toBe(500);
});
