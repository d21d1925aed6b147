import { describe, expect, it } from 'vitest';
import { problemConditions } from '@/lib/alerts/server/conditions';
import type { ServiceHealth } from '@/lib/core/health';
import type { ChainState } from '@/lib/onchain/network-state';
import type { ListedChain } from '@/lib/pending/chain-cause';
import type { Incident } from '@/lib/pending/pending-response';
import { RULE, type RuleId } from '@/lib/pending/rules/rule-ids';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import type { Anomaly } from './insights-response';
import type { Problem, ProblemInput } from './problem';
import { findProblems, syncProgress } from './problems';

const NOW_MS = 1_795_000_000_000;
const MINUTE = 60_000;

const CALM: ProblemInput = {
  nowMs: NOW_MS,
  keepers: ['main', 'test'],
  index: [],
  incidents: [],
  singles: [],
  acknowledgedNetworks: new Set(),
  indexState: 'ok',
  memoryFailures: { count: 0, lastMs: undefined },
  triageFailure: undefined,
  status: { kind: 'nothing-stuck', checkedAtMs: NOW_MS },
  isWhole: true,
  examinedWhileSyncingMs: undefined,
  pendingUnreadSinceMs: undefined,
  health: { status: 'ok', version: '1', source: 'live' },
  feeds: [],
  chains: [],
  networks: [],
};

function incident(change: Partial<Incident>): Incident {
  return {
    id: 'main/8453/network',
    keeper: 'main',
    networkId: '8453',
    subject: { kind: 'network' },
    rule: RULE.wholeNetwork,
    severity: 'critical',
    size: 41,
    senders: 12,
    sinceMs: NOW_MS - 10 * MINUTE,
    verdicts: [],
    ...change,
  };
}

const keeper = (change: Partial<KeeperStatus>): KeeperStatus => ({
  keeper: 'main',
  state: 'live',
  syncedAtMs: NOW_MS,
  late: null,
  lost: null,
  vanished: null,
  clockAheadMs: 0,
  pendingAtMs: NOW_MS,
  coveredFromMs: 0,
  coversAll: true,
  rows: 1,
  history: null,
  failure: null,
  audit: null,
  unreadable: 0,
  gone: 0,
  notes: [],
  storage: 'file',
  ...change,
});

const service = (change: Partial<ServiceHealth>): ServiceHealth => {
  return { configured: true, ok: true, checkedAt: null, latencyMs: null, ...change };
};

const newAnomaly = (change: Partial<Anomaly>): Anomaly => ({
  kind: 'slow',
  level: 'warning',
  value: 42_000_000,
  usual: 8_100_000,
  sinceUs: (NOW_MS - 20 * MINUTE) * 1000,
  sender: null,
  ...change,
});

const network = (networkId: string, ...unusual: Anomaly[]): NonNullable<ProblemInput['networks']>[number] => {
  return { keeper: 'main', networkId, unusual };
};

const shown = (input: Partial<ProblemInput>) => findProblems({ ...CALM, ...input });
const line = ({ level, about, networks, text, detail }: Problem) =>
  `${level} ${about === '' ? networks.join('+') : about}: ${text}${detail === '' ? '' : ` (${detail})`}`;
const singleOf = (rule: RuleId, chain?: ListedChain): ProblemInput['singles'][number] => {
  const severity = 'warning' as const;
  const single = {
    sinceMs: NOW_MS - MINUTE,
    networkId: '1',
    keeper: 'main',
    isSettled: false,
    rule,
    severity,
  };
  return { ...single, ...(chain && { chain }) };
};
const chainOf = (title: string): ListedChain => ({ isOpen: false, cause: { title, headline: '', next: '' } });

const lines = (input: Partial<ProblemInput>) => shown(input).map(line);

describe('current problems', () => {
  it('are none when all is well or absent', () => {
    const services = { updates: service({}), router: service({ configured: false }) };
    const health = { ...CALM.health, services };
    expect(shown({ health, index: [keeper({})], networks: [network('1')] })).toEqual([]);
  });

  it('of a network outage have size, senders and start, and link to the evidence', () => {
    const [problem] = shown({ incidents: [incident({})] });
    expect(problem && line(problem)).toBe('bad 8453: 41 stuck, 12 senders (Whole network)');
    const href = '/pending?incident=main%2F8453%2Fnetwork';
    expect(problem).toMatchObject({ sinceMs: NOW_MS - 10 * MINUTE, href });
  });

  it('name the cause found on the chain, if there is one', () => {
    const chain = { isOpen: true, cause: { title: 'Wallet empty', headline: 'h', next: 'n' } };
    expect(lines({ incidents: [incident({ chain })] })).toEqual([
      'bad 8453: 41 stuck, 12 senders (Wallet empty)',
    ]);
  });

  it('count networks whose start was not examined', () => {
    const undated = newAnomaly({ sinceUs: null, undated: true });
    expect(
      lines({ networks: [network('10', newAnomaly({})), network('137', undated), network('1', undated)] }),
    ).toEqual([
      'warning 10: p95 42.0 s in the last hour (Usually 8.1 s)',
      'warning 1: p95 42.0 s in the last hour (Usually 8.1 s)',
      'warning 137: p95 42.0 s in the last hour (Usually 8.1 s)',
      'notice 2 networks: start of trouble not looked up (The worst networks are looked into first, as far as time allows)',
    ]);
  });

  it('of a single contract name the contract', () => {
    const sender = `0x${'ab'.repeat(20)}`;
    expect(
      lines({
        isWhole: false,
        incidents: [
          incident({
            subject: { kind: 'sender', sender },
            rule: RULE.oneSender,
            severity: 'warning',
            senders: 1,
            size: 9,
          }),
        ],
        networks: [
          network(
            '10',
            newAnomaly({ kind: 'callbacks-failing', usual: 0.02, sender, rows: { part: 10, of: 22 } }),
          ),
          network(
            '137',
            newAnomaly({ kind: 'failing', level: 'bad', usual: 0, rows: { part: 71, of: 1000 } }),
          ),
        ],
      }),
    ).toEqual([
      'bad 137: 71 of 1,000 finished requests (7.1%) failed in the last hour (Usually 0%)',
      'warning 8453: at least 9 stuck, sender 0xabab…abab (One sender’s requests)',
      'warning 10: 10 of 22 callbacks (45%) failed in the last hour, nearly all of sender 0xabab…abab (Usually 2.0%)',
    ]);
  });

  it('of a slow network compare with its typical latency, and link to the slowest requests', () => {
    const [problem] = shown({ networks: [network('8453', newAnomaly({}))] });
    expect(problem && line(problem)).toBe('warning 8453: p95 42.0 s in the last hour (Usually 8.1 s)');
    expect(problem?.href).toBe('/requests?network=8453&keeper=main&range=1h&sort=duration.desc');
  });

  it.each([
    ['nothing completes on all 3 networks, 43 stuck', { size: 41, kind: 'network' as const }],
    ['no requests on all 3 networks', { size: 0, kind: 'silence' as const }],
  ])('of a whole keeper is one line: %s', (text, { size, kind }) => {
    const incidents = ['1', '10'].map((networkId, index) =>
      incident({
        id: `main/${networkId}`,
        networkId,
        subject: { kind },
        size: index === 0 ? size : Math.min(size, 2),
      }),
    );
    const silent = newAnomaly({ kind: 'silent', level: 'bad', value: 0, usual: 30 });
    const networks = [network('1'), network('10', silent), network('8453', silent)];
    expect(lines({ incidents, networks })).toEqual([`bad Keeper main: ${text} (The keeper may be down)`]);
    expect(shown({ incidents, networks: [...networks, network('5')] })[0]?.text).toContain(
      'on 3 of 4 networks',
    );
  });

  it('are reported once: a silent network with an incident, a log service with an unsynced keeper', () => {
    const silent = newAnomaly({ kind: 'silent', level: 'bad' });
    const quiet = incident({
      subject: { kind: 'silence' },
      size: 0,
      senders: 0,
      rule: RULE.networkQuiet,
      severity: 'warning',
    });
    const failure = { kind: 'failing' as const, detail: 'The request log service returned 503.' };
    const services = {
      'logs:main': service({ ok: false, kind: 'failing' }),
      updates: service({ ok: false, kind: 'timeout' }),
    };
    expect(
      lines({
        incidents: [quiet],
        networks: [network('8453', silent)],
        index: [keeper({ state: 'failing', failure, syncedAtMs: NOW_MS - MINUTE })],
        health: { ...CALM.health, services },
      }),
    ).toEqual([
      'bad 8453: no requests (Usually 8,100,000 in this time)',
      'bad Keeper main: not synced (The request log service returned 503.)',
      'warning Prices: timed out',
    ]);
  });

  it('name a stream that a service refuses while it answers other calls', () => {
    const services = { updates: service({ ok: false, kind: 'missing', isStream: true }) };
    expect(lines({ health: { ...CALM.health, services } })).toEqual(['warning Prices: stream not found']);
  });

  it('date a failing service by its first failure', () => {
    const failingSince = '2026-11-20T11:53:00.000Z';
    const services = { router: service({ ok: false, kind: 'failing', failingSince }) };
    const [first] = findProblems({ ...CALM, health: { ...CALM.health, services } });
    expect(first).toMatchObject({ id: 'service/router', sinceMs: Date.parse(failingSince) });
  });

  it('name a service whose answers are late once a second call was late, and a failing one at once', () => {
    const failing = (kind: 'timeout' | 'failing', ageMs: number) => {
      const failingSince = new Date(NOW_MS - ageMs).toISOString();
      return { ...CALM.health, services: { 'rpc:node': service({ ok: false, kind, failingSince }) } };
    };
    expect(lines({ health: failing('timeout', 60_000) })).toEqual([]);
    expect(lines({ health: failing('timeout', 80_000) })).toEqual(['warning RPC node: timed out']);
    expect(lines({ health: failing('failing', 1000) })).toHaveLength(1);
  });

  it('count single requests and stale feeds together', () => {
    const single = singleOf(RULE.pastRetryBudget);
    const feeds = ['A', 'B', 'C', 'D'].map((symbol) => ({
      symbol,
      sinceMs: NOW_MS - MINUTE,
      hasHours: symbol !== 'B',
    }));
    const status = { kind: 'stuck' as const, incidents: 0, singles: 2, requests: 2 };
    expect(lines({ singles: [single, single], status, feeds })).toEqual([
      'warning 2 single requests: stuck (No known cause)',
      'warning 4 feeds: stale (A, B (market hours unknown), C and 1 more)',
    ]);
    // The severity is that in the list of pending requests. Incidents of the same level come first.
    const settled = { ...single, severity: 'notice' as const };
    expect(lines({ singles: [settled, settled], status })[0]).toMatch(/^notice 2 single requests/);
    expect(lines({ singles: [settled, single], status })[0]).toMatch(/^warning 2 single requests/);
    const [older] = shown({ singles: [single, { ...single, sinceMs: single.sinceMs - MINUTE }], status });
    expect(older).toMatchObject({ sinceMs: single.sinceMs - MINUTE, isOfOldest: true });
    expect(shown({ singles: [single], status })[0]?.isOfOldest).toBeUndefined();
    const younger = incident({ severity: 'warning', sinceMs: single.sinceMs + 1 });
    const ids = shown({ singles: [single], incidents: [younger], status }).map(({ id }) => id);
    expect(ids.at(-1)).toBe('singles');
    expect(ids).toHaveLength(2);
  });

  it('date stale feeds together only if they became stale together', () => {
    const feeds = (...minutes: number[]) =>
      minutes.map((ago) => ({ symbol: `${ago}`, sinceMs: NOW_MS - ago * MINUTE, hasHours: true }));
    expect(lines({ feeds: feeds(5, 5.5) })).toEqual(['warning 2 feeds: stale (5, 5.5)']);
    expect(shown({ feeds: feeds(5, 1440, 5) })).toMatchObject([
      { text: 'stale, the first', sinceMs: NOW_MS - 1440 * MINUTE },
    ]);
  });

  it('name the causes of single requests, from the chain if it was queried', () => {
    const answered = chainOf('Answered on chain, not logged');
    const detail = (...singles: ProblemInput['singles']) => lines({ singles })[0]?.split(': stuck ')[1];
    expect(detail(singleOf(RULE.pastRetryBudget, answered))).toBe('(Answered on chain, not logged)');
    expect(detail(singleOf(RULE.overtaken), singleOf(RULE.overtaken))).toBe('(Later ones completed)');
    expect(
      detail(
        singleOf(RULE.retryBudgetEnding),
        singleOf(RULE.overtaken),
        singleOf(RULE.overtaken, answered),
        singleOf(RULE.pastRetryBudget, answered),
      ),
    ).toBe('(2 × answered on chain, not logged; no known cause; later ones completed)');
    const five = (
      [RULE.pastRetryBudget, RULE.overtaken, RULE.missingSequences, RULE.lateRecovery, RULE.batch] as const
    ).map((rule) => singleOf(rule));
    expect(detail(...five)).toBe('(No known cause; later ones completed; missing sequences; and 2 more)');
  });

  it('include an unknown number of stuck requests', () => {
    const status = { kind: 'not-known' as const, why: '3 pending requests could not be read' };
    expect(lines({ status, index: [keeper({})] })).toEqual([
      'warning Pending requests: stuck: unknown (3 pending requests could not be read)',
    ]);
    expect(lines({ status, index: [keeper({ state: 'syncing', pendingAtMs: null })] })).toEqual([]);
  });

  it('of keepers are dated by their status, which may be old', () => {
    expect(lines({ index: [keeper({ syncedAtMs: NOW_MS - 5 * MINUTE })] })).toEqual([]);
    expect(lines({ index: [keeper({ state: 'stale', late: 'keeper' })] })).toEqual([
      'bad Keeper main: not synced (Slow to answer)',
    ]);
  });

  it('of a late dashboard are warnings that blame no keeper', () => {
    const [problem] = shown({ index: [keeper({ state: 'stale', late: 'dashboard' })] });
    expect(problem && line(problem)).toBe('warning Keeper main: not synced (Dashboard is busy)');
    // Alerts select problems of keepers by this prefix.
    expect(problem?.id).not.toMatch(/^keeper\//);
  });

  it('name our own lateness if keepers were read but pending requests were not examined since', () => {
    const status = { kind: 'not-known', why: 'not synced yet' } as const;
    const late = (ms: number) => lines({ status, index: [keeper({})], examinedWhileSyncingMs: NOW_MS - ms });
    expect(late(50_000)).toEqual([]);
    expect(late(70_000)).toEqual(['warning Pending requests: stuck: unknown (Dashboard is busy)']);
  });

  it('about rows that vanished from the index last until the rows are read again, or a day', () => {
    const sinceMs = NOW_MS - 5 * MINUTE;
    const problemsOf = (left: number, history: KeeperStatus['history'], nowMs = NOW_MS) =>
      lines({
        nowMs,
        index: [keeper({ syncedAtMs: nowMs, vanished: { sinceMs, rows: 1500, left }, history })],
      });
    const reading = { done: 3500, expected: 5000 };
    expect(problemsOf(1500, reading)).toEqual([
      'bad Keeper main: 1,500 requests missing from its index (Its history is read again)',
    ]);
    expect(problemsOf(0, reading)).toEqual([
      'bad Keeper main: 1,500 requests vanished from its index (Its history is read again)',
    ]);
    expect(problemsOf(200, null)).toEqual([
      'bad Keeper main: 200 requests missing from its index (The keeper no longer has them)',
    ]);
    expect(problemsOf(200, null, sinceMs + 24 * 60 * MINUTE)).toEqual([]);
  });

  it('about a keeper that lost its rows last a day', () => {
    const lost = { fromMs: NOW_MS - 6 * MINUTE, sinceMs: NOW_MS - 5 * MINUTE, theirs: 19, ours: 66_310 };
    const index = [keeper({ lost })];
    expect(lines({ index })).toEqual([
      'bad Keeper main: answers 19 of 66,310 requests (Its store was emptied, replaced or damaged. What it served before is kept)',
    ]);
    expect(shown({ index })[0]?.sinceMs).toBe(NOW_MS - 5 * MINUTE);
    expect(shown({ index, nowMs: NOW_MS + 25 * 60 * MINUTE })).toEqual([]);
  });

  it('leave out working services', () => {
    const busy = newAnomaly({ kind: 'busy', level: 'notice', value: 1234, usual: 300 });
    expect(shown({ networks: [network('1', busy)] })).toEqual([]);
  });
});

it('a keeper whose history is being read is syncing; one that fails is not', () => {
  const failure = { kind: 'failing' as const, detail: '' };
  expect(
    syncProgress([
      keeper({ state: 'syncing', history: { done: 421, expected: 1000 } }),
      keeper({ keeper: 'test', state: 'syncing' }),
      keeper({ keeper: 'down', state: 'failing', failure }),
      keeper({ keeper: 'live' }),
    ]),
  ).toEqual([
    { keeper: 'main', percent: 42 },
    { keeper: 'test', percent: null },
  ]);
});

it('a read-only index is one problem, with the reason', () => {
  const why =
    'The folder /data is gone. Existing rows are shown, no new rows are added. Retrying every 30 s.';
  const index = ['main', 'test'].map((name) =>
    keeper({ keeper: name, storage: 'read-only', notes: [why, 'clock'] }),
  );
  expect(lines({ index, indexState: 'read-only' })).toEqual([`bad Index: read-only (${why})`]);
});

it.each([
  ['slow', 'bad Index: database too slow'],
  ['busy', 'warning Index: all connections to its database busy'],
  ['away', 'bad Index: database does not answer'],
] as const)('an index whose database is %s is called that', (indexState, expected) => {
  expect(lines({ index: [keeper({ storage: 'postgres' })], indexState })).toEqual([expected]);
});

describe('the index', () => {
  it('that ran out of memory is reported for ten minutes, with the setting to raise', () => {
    const memoryFailures = { count: 1200, lastMs: NOW_MS - 9 * MINUTE };
    const [problem, ...others] = findProblems({ ...CALM, memoryFailures });
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      id: 'index/memory',
      level: 'bad',
      text: 'out of memory, 1,200 queries failed since the start',
      detail: 'Raise STORE_MEMORY_MB',
    });
    expect(findProblems({ ...CALM, memoryFailures, nowMs: NOW_MS + 2 * MINUTE })).toEqual([]);
  });

  it('that can’t examine pending requests hides no other problem, and its problem has a start', () => {
    const triageFailure = { sinceMs: NOW_MS - MINUTE, detail: 'No memory.' };
    const status = { kind: 'not-known', why: 'not worked out yet' } as const;
    const problems = findProblems({ ...CALM, status, triageFailure, incidents: [incident({})] });
    expect(problems.map(({ id }) => id)).toEqual(['incident/main/8453/network', 'index/triage']);
    expect(problems[1]).toMatchObject({ sinceMs: NOW_MS - MINUTE, detail: 'No memory.', level: 'bad' });
  });
});

describe('level, start and subject of several problems at once', () => {
  const NETWORKS = ['1', '2', '3', '4', '5'];
  const STOPPED_MS = NOW_MS - 20 * MINUTE;
  const silentSince = (sinceMs: number) =>
    newAnomaly({ kind: 'silent', level: 'bad', value: 0, usual: 24, sinceUs: sinceMs * 1000 });
  const quiet = (networkId: string, sinceMs: number) =>
    incident({
      id: `main/${networkId}/silence`,
      networkId,
      subject: { kind: 'silence' as const },
      rule: RULE.networkQuiet,
      severity: 'notice' as const,
      size: 0,
      senders: 0,
      sinceMs,
    });
  const stuckOn = (networkId: string, sinceMs: number) =>
    incident({ id: `main/${networkId}/network`, networkId, size: 20, sinceMs });

  it('a silent network is as severe as its own figures say, even if nothing of it is stuck', () => {
    const [problem, ...others] = findProblems({
      ...CALM,
      incidents: [quiet('8453', NOW_MS - 50 * MINUTE)],
      networks: [network('8453', silentSince(NOW_MS - 50 * MINUTE))],
    });
    expect(others).toEqual([]);
    expect(problem && line(problem)).toBe('bad 8453: no requests (Usually 24 in this time)');
    expect(problem?.sinceMs).toBe(NOW_MS - 50 * MINUTE);
  });

  it('a network that several keepers serve is named with its keeper', () => {
    const input = {
      keepers: ['main', 'spare'],
      incidents: [incident({ senders: 12 })],
      networks: [
        network('8453', newAnomaly({})),
        {
          ...network('8453', newAnomaly({ kind: 'failing', level: 'bad', value: 0.1, usual: 0 })),
          keeper: 'spare',
        },
        network('10', newAnomaly({})),
      ],
    };
    expect(lines(input)).toEqual([
      expect.stringMatching(/^bad 8453: 41 stuck, 12 senders, keeper main \(/),
      'bad 8453: 10.0% of finished requests failed in the last hour, keeper spare (Usually 0%)',
      'warning 10: p95 42.0 s in the last hour (Usually 8.1 s)',
      'warning 8453: p95 42.0 s in the last hour, keeper main (Usually 8.1 s)',
    ]);
  });

  it('acknowledged silence of a network is no problem', () => {
    const acknowledgedNetworks = new Set(['main/8453']);
    const networks = [network('8453', silentSince(NOW_MS - 50 * MINUTE))];
    expect(findProblems({ ...CALM, networks, acknowledgedNetworks })).toEqual([]);
  });

  it('networks that stop together are one outage, separate from quiet ones', () => {
    const hoursAgo = NOW_MS - 6 * 60 * MINUTE;
    const problems = findProblems({
      ...CALM,
      incidents: [
        ...NETWORKS.slice(0, 4).map((id, index) => stuckOn(id, STOPPED_MS + index * 1000)),
        quiet('5', hoursAgo),
      ],
      networks: [...NETWORKS.slice(0, 4).map((id) => network(id)), network('5', silentSince(hoursAgo))],
    });
    expect(problems.map((problem) => [line(problem), problem.sinceMs])).toEqual([
      ['bad 5: no requests (Usually 24 in this time)', hoursAgo],
      [
        'bad Keeper main: nothing completes on 4 of 5 networks, 80 stuck (The keeper may be down)',
        STOPPED_MS,
      ],
    ]);
  });

  it('a common silence begins after the last request of all, and a common outage with the first stuck one', () => {
    const silent = (id: string, minutesAgo: number) => network(id, silentSince(NOW_MS - minutesAgo * MINUTE));
    const sinceOf = (input: Partial<ProblemInput>) =>
      shown(input).map((problem) => [
        line(problem).replace(/ \(.*/, ''),
        (NOW_MS - (problem.sinceMs ?? 0)) / MINUTE,
      ]);
    expect(
      sinceOf({ networks: [silent('1', 58), silent('2', 51), silent('3', 50.5), silent('4', 50)] }),
    ).toEqual([['bad Keeper main: no requests on all 4 networks', 50]]);
    expect(
      sinceOf({
        incidents: ['1', '2', '3'].map((id, index) => stuckOn(id, NOW_MS - (50 - index) * MINUTE)),
        networks: [network('1'), network('2'), network('3'), silent('4', 57), network('5')],
      }),
    ).toEqual([['bad Keeper main: nothing completes on 4 of 5 networks, 60 stuck', 50]]);
  });

  it('an outage during which some requests complete is reported as one outage', () => {
    const share = (value: number): Incident['verdicts'][0] => ({
      rule: RULE.wholeNetwork,
      holds: 'yes',
      severity: 'critical',
      headline: 'Most requests are pending',
      figures: [{ label: 'Share pending', value, unit: 'percent' }],
      proof: [],
      evidence: [],
      covers: 20,
      basis: 'evidence',
    });
    const incidents = ['1', '2', '3'].map((id, index) => ({
      ...stuckOn(id, STOPPED_MS),
      verdicts: [share(index === 1 ? 84 : 100)],
    }));
    expect(lines({ incidents })).toEqual(['bad Keeper main: most requests stuck on 3 networks, 60 stuck']);
    const networks = ['1', '2', '3'].map((id) => network(id));
    expect(lines({ incidents, networks })).toEqual([
      'bad Keeper main: most requests stuck on all 3 networks, 60 stuck',
    ]);
  });

  it('incidents come before a late keeper of the same level, which never causes them to be folded', () => {
    const behind = keeper({ state: 'stale', syncedAtMs: NOW_MS - 10 * MINUTE });
    const problems = findProblems({ ...CALM, index: [behind], incidents: [stuckOn('1', STOPPED_MS)] });
    expect(problems.map(({ kind }) => kind)).toEqual(['incident', 'keeper']);
  });

  it('keepers with the same problem share a line, dated by the first', () => {
    const index = ['main', 'test'].map((name, index) =>
      keeper({ keeper: name, state: 'stale', syncedAtMs: NOW_MS - (2 + index) * MINUTE }),
    );
    const problems = findProblems({ ...CALM, index });
    expect(problems.map((problem) => [line(problem), problem.sinceMs])).toEqual([
      ['bad Keepers main, test: not synced (Slow to answer)', NOW_MS - 3 * MINUTE],
    ]);
    expect(problems[0]?.isOfOldest).toBe(true);
    const together = index.map((status) => ({ ...status, syncedAtMs: NOW_MS - 2 * MINUTE }));
    expect(shown({ index: together })[0]?.isOfOldest).toBeUndefined();
  });

  it('keepers that share a line each have their cause and an alert from their start', () => {
    const down = (name: string, minutes: number, detail: string) =>
      keeper({
        keeper: name,
        state: 'failing',
        syncedAtMs: NOW_MS - minutes * MINUTE,
        failure: { kind: 'failing', detail },
      });
    const index = [down('main', 180, 'Returned 503.'), down('test', 3, 'DNS lookup failed.')];
    const problems = shown({ index });
    expect(problems.map(line)).toEqual([
      'bad Keepers main, test: not synced (main: Returned 503. test: DNS lookup failed.)',
    ]);
    const alerts = problemConditions(problems).map(({ subject, title, facts, sinceMs }) => {
      return { subject, title, cause: facts.cause, sinceMs };
    });
    const title = (name: string) => `Keeper ${name}: not synced`;
    expect(alerts).toEqual([
      {
        subject: 'keeper/main',
        title: title('main'),
        cause: 'Returned 503.',
        sinceMs: NOW_MS - 180 * MINUTE,
      },
      {
        subject: 'keeper/test',
        title: title('test'),
        cause: 'DNS lookup failed.',
        sinceMs: NOW_MS - 3 * MINUTE,
      },
    ]);
  });

  it('pending requests that a read keeper never lists are unknown, and not calm meanwhile', () => {
    const status = { kind: 'not-known' as const, why: 'not synced yet' };
    const unread = [keeper({ pendingAtMs: null })];
    const unreadFor = (ms: number) => ({
      index: unread,
      status,
      examinedWhileSyncingMs: NOW_MS - 500,
      pendingUnreadSinceMs: NOW_MS - ms,
    });
    expect(lines(unreadFor(61_000))).toEqual([
      'warning Pending requests: stuck: unknown (Not listed by keeper main yet)',
    ]);
    expect(lines(unreadFor(30_000))).toEqual([]);
    expect(syncProgress(unread)).toEqual([{ keeper: 'main', percent: null }]);
    const failure = { kind: 'failing' as const, detail: 'Returned 503.' };
    const failing = [keeper({ pendingAtMs: null, state: 'failing', failure, syncedAtMs: NOW_MS - MINUTE })];
    expect(lines({ ...unreadFor(61_000), index: failing })).toEqual([
      'bad Keeper main: not synced (Returned 503.)',
    ]);
  });

  it('one failed call is no problem if rows were read a moment ago', () => {
    const failure = { kind: 'failing' as const, detail: 'It returned 503.' };
    const services = { 'logs:main': service({ ok: false, kind: 'failing' }) };
    const health = { ...CALM.health, services };
    const at = (syncedAtMs: number) => [keeper({ state: 'failing', failure, syncedAtMs })];
    expect(findProblems({ ...CALM, health, index: at(NOW_MS - 12_000) })).toEqual([]);
    expect(findProblems({ ...CALM, health, index: at(NOW_MS - 31_000) })).toHaveLength(1);
  });

  it('left-overs of an ended outage do not mean that the keeper is down', () => {
    const ended = { ...incident({}).verdicts[0], ended: true } as Incident['verdicts'][number];
    const incidents = NETWORKS.map((id) => ({
      ...incident({ id: `main/${id}/network`, networkId: id, severity: 'warning', sinceMs: STOPPED_MS }),
      verdicts: [ended],
    }));
    const problems = findProblems({ ...CALM, incidents, networks: NETWORKS.map((id) => network(id)) });
    expect(problems.map(({ kind, level }) => [kind, level])).toEqual(
      NETWORKS.map(() => ['incident', 'warning']),
    );
  });

  it('an outage with acknowledged incidents is not reported as silence', () => {
    const acknowledgedNetworks = new Set(NETWORKS.map((id) => `main/${id}`));
    const networks = NETWORKS.map((id) => network(id, silentSince(STOPPED_MS)));
    expect(findProblems({ ...CALM, networks, acknowledgedNetworks })).toEqual([]);
  });

  it('silence, slowness, a failing contract and an outage never hide each other, and none is dated before it began', () => {
    const sender = `0x${'cd'.repeat(20)}`;
    const SLOW_MS = NOW_MS - 45 * MINUTE;
    const FAILS_MS = NOW_MS - 90 * MINUTE;
    const troubles = {
      silence: {
        incidents: [quiet('1', NOW_MS - 50 * MINUTE)],
        networks: [network('1', silentSince(NOW_MS - 50 * MINUTE))],
        expected: ['bad 1: no requests', NOW_MS - 50 * MINUTE],
      },
      slow: {
        incidents: [],
        networks: [network('2', newAnomaly({ sinceUs: SLOW_MS * 1000 }))],
        expected: ['warning 2: p95 42.0 s in the last hour', SLOW_MS],
      },
      contract: {
        incidents: [],
        networks: [
          network(
            '3',
            newAnomaly({
              kind: 'callbacks-failing',
              value: 0.4,
              usual: 0.02,
              sender,
              sinceUs: FAILS_MS * 1000,
            }),
          ),
        ],
        expected: ['warning 3: 40.0% of callbacks failed in the last hour', FAILS_MS],
      },
      down: {
        incidents: ['4', '5', '6'].map((id) => stuckOn(id, STOPPED_MS)),
        networks: ['4', '5', '6'].map((id) => network(id)),
        expected: ['bad Keeper main: nothing completes on 3 of', STOPPED_MS],
      },
    };
    const all = Object.values(troubles);
    for (let chosen = 1; chosen < 2 ** all.length; chosen += 1) {
      const some = all.filter((_, index) => chosen & (1 << index));
      const problems = findProblems({
        ...CALM,
        incidents: some.flatMap(({ incidents }) => incidents),
        networks: [...some.flatMap(({ networks }) => networks), network('7'), network('8')],
      });
      expect(problems).toHaveLength(some.length);
      for (const { expected } of some) {
        const [text, sinceMs] = expected;
        expect(
          problems
            .filter((problem) => line(problem).startsWith(String(text)))
            .map((problem) => problem.sinceMs),
        ).toEqual([sinceMs]);
      }
    }
  });
});

it('a wallet and random numbers that run out are problems of their chain', () => {
  const chain: ChainState = {
    networkId: '8453',
    keeper: 'main',
    host: 'rpc.example',
    atMs: NOW_MS,
    failure: null,
    headBlock: '1',
    headMs: NOW_MS,
    blockMs: null,
    gasPriceWei: '1',
    revealWei: '1',
    wallets: [
      {
        address: `0x${'ab'.repeat(20)}`,
        sentReveals: 12,
        sampledReveals: 24,
        balanceWei: '1000',
        nonceGap: 0,
        gapSinceMs: null,
        spentPerDayWei: '500',
        spanMs: null,
        daysLeft: 2,
      },
    ],
    providers: [],
  };
  expect(findProblems({ ...CALM, chains: [chain] })).toMatchObject([
    {
      id: `wallet/main/8453/0x${'ab'.repeat(20)}`,
      kind: 'chain',
      level: 'warning',
      networks: ['8453'],
      text: 'keeper’s wallet lasts 2.0 days (keeper main)',
    },
  ]);
});
