import { describe, expect, it } from 'vitest';
import type { Acknowledgement, IncidentEvent, IncidentRecord, Notice } from '@/lib/core/incident-record';
import type { ListedChain } from '@/lib/pending/chain-cause';
import type { Incident } from '@/lib/pending/pending-response';
import { RULE } from '@/lib/pending/rules/rule-ids';
import { holds } from '@/lib/pending/rules/verdict';
import { leftText, NO_DETAILS } from './history';
import {
  type Attempt,
  afterAttempt,
  type Condition,
  conditionNotices,
  incidentNotices,
  messageBody,
  nextMessages,
  testNotice,
} from './notices';

const TRIED_FOR_MS = 3_600_000;
const OVER_AFTER_MS = 120_000;

const NOW = Date.UTC(2026, 10, 20, 12);
const MINUTE_MS = 60_000;

const failing: Condition = {
  subject: 'service/updates',
  kind: 'service.failing',
  title: 'Price updates: failing',
  facts: { path: '/services' },
  sinceMs: NOW,
};

/** Consecutive examinations, with the notices stored in between. */
function watched() {
  let memory = { seen: new Map<string, number>(), unseen: new Map<string, number>() };
  const stored = new Map<string, Notice>();
  return {
    check(minute: number, ...conditions: Condition[]): string[] {
      const open = [...stored.values()].filter(({ endedMs }) => endedMs === null);
      const notices = conditionNotices(conditions, open, memory, NOW + minute * MINUTE_MS);
      for (const notice of notices) stored.set(notice.id, notice);
      return notices.map(({ subject, endedMs }) => `${subject}${endedMs === null ? '' : ' over'}`);
    },
    restart: () => {
      memory = { seen: new Map(), unseen: new Map() };
    },
  };
}

describe('a condition', () => {
  it('is sent once after it has lasted, and again only after it has ended', () => {
    const { check } = watched();
    expect([check(0, failing), check(4, failing)]).toEqual([[], []]);
    expect(check(5, failing)).toEqual(['service/updates']);
    expect([check(6, failing), check(600, failing)]).toEqual([[], []]);
    expect([check(601), check(602, failing), check(603)]).toEqual([[], [], []]);
    expect(check(603 + OVER_AFTER_MS / MINUTE_MS)).toEqual(['service/updates over']);
    expect([check(700, failing), check(705, failing)]).toEqual([[], ['service/updates']]);
  });

  it('does not count as lasting while it is present only at times', () => {
    const { check } = watched();
    expect([check(0, failing), check(3), check(4, failing), check(6, failing)].flat()).toEqual([]);
  });

  it('that can’t be checked is not over, and lasts on', () => {
    const memory = { seen: new Map<string, number>(), unseen: new Map<string, number>() };
    const queueAt = (minute: number, conditions: Condition[], open: Notice[], isUnknown = false) =>
      conditionNotices(conditions, open, memory, NOW + minute * MINUTE_MS, () => isUnknown);
    queueAt(0, [failing], []);
    queueAt(3, [], [], true);
    const sent = queueAt(6, [failing], []);
    expect(sent).toHaveLength(1);
    expect([queueAt(7, [], sent, true), queueAt(30, [], sent, true), queueAt(31, [], sent)].flat()).toEqual(
      [],
    );
    expect(queueAt(33, [], sent)).toHaveLength(1);
  });

  it('is not reported again after a restart', () => {
    const { check, restart } = watched();
    expect([check(0, failing), check(5, failing)].flat()).toHaveLength(1);
    restart();
    expect([check(6, failing), check(12, failing), check(30, failing)].flat()).toEqual([]);
  });
});

const incident: IncidentRecord = {
  key: 'a',
  id: 'main/8453/network',
  keeper: 'main',
  networkId: '8453',
  rules: [RULE.wholeNetwork],
  headline: '',
  severity: 'critical',
  sinceMs: NOW - 7 * MINUTE_MS,
  openedMs: NOW,
  closedMs: null,
  peak: 82,
  reportedSize: 82,
};
const detected = {
  id: incident.id,
  senders: 12,
  size: 41,
  rule: RULE.wholeNetwork,
  severity: 'critical',
  subject: { kind: 'network' },
  verdicts: [holds(RULE.wholeNetwork, 'critical', 'h')],
} satisfies Partial<Incident>;
const acknowledgement: Acknowledgement = {
  ...{
    kind: 'incident',
    id: incident.id,
    atMs: NOW,
    untilMs: null,
    note: '',
    by: 'ana',
    size: 41,
    cause: RULE.wholeNetwork,
  },
};

function noticesOf(
  kind: IncidentEvent['kind'],
  size: number,
  acknowledgements: Acknowledgement[] = [],
  chain?: ListedChain,
  change: Partial<Incident> = {},
) {
  const event = { ...NO_DETAILS, incident: 'a', atMs: NOW, kind, size };
  const isOver = kind === 'closed';
  return incidentNotices({
    events: [event],
    incidents: [isOver ? { ...incident, closedMs: NOW + 5 * MINUTE_MS } : incident],
    detected: isOver ? [] : [{ ...detected, size, ...(chain && { chain }), ...change }],
    acknowledgements,
    networkName: () => 'Base',
    nowMs: NOW,
    atMs: NOW,
  });
}

describe('an incident', () => {
  it('names the cause found on the chain, if there is one', () => {
    const chain = { isOpen: true, cause: { title: 'Wallet empty', headline: 'h', next: 'n' } };
    const [notice] = noticesOf('opened', 41, [], chain);
    expect(JSON.parse(notice?.facts ?? '')).toMatchObject({
      cause: 'Wallet empty',
      causeLabel: 'On chain',
      next: 'n',
    });
  });

  it('is sent when it opens, doubles and closes, with owner, start and cause', () => {
    const [opened] = noticesOf('opened', 41);
    expect(opened).toMatchObject({
      kind: 'incident.opened',
      title: 'Base: 41 stuck, 12 senders',
      sinceMs: incident.sinceMs,
      state: 'waiting',
    });
    expect(JSON.parse(opened?.facts ?? '')).toEqual({
      keeper: 'main',
      network: '8453',
      networkName: 'Base',
      cause: 'Whole network',
      causeLabel: 'Likely cause',
      next: 'Check that the network makes blocks, then the keeper’s process, RPC endpoint and wallet balance there',
      affected: '41 stuck, 12 senders',
      path: '/pending?incident=main%2F8453%2Fnetwork',
    });
    expect(noticesOf('grew', 82)[0]?.title).toBe('Base: grew to 82 stuck');
    expect(noticesOf('closed', 0)[0]?.title).toBe('Base: incident closed after 12 min');
    expect(noticesOf('closed', 2)[0]?.title).toBe(
      'Base: incident closed after 12 min, 2 of its requests still stuck',
    );
    expect(leftText({ size: 0, headline: 'keeper lost its log' })).toBe(', keeper lost its log');
    expect(noticesOf('explained', 41)).toEqual([]);
    expect(new Set([noticesOf('opened', 41), noticesOf('grew', 82)].flat().map(({ id }) => id)).size).toBe(2);
  });

  it('reads for Slack as title, start, cause, next step and link, each once', () => {
    const form = { format: 'slack', origin: 'https://dash.example', isSandbox: false } as const;
    const linesOf = (notices: readonly Notice[]) =>
      (JSON.parse(messageBody(notices, form)) as { text: string }).text.split('\n');
    const link = '<https://dash.example/pending?incident=main%2F8453%2Fnetwork|Open in Keeperscope>';
    const next =
      'Next: Check that the network makes blocks, then the keeper’s process, RPC endpoint and wallet balance there';
    expect(linesOf(noticesOf('opened', 41))).toEqual([
      '*Base: 41 stuck, 12 senders*',
      'Since 2026-11-20 11:53:00 UTC · keeper main',
      'Likely cause: Whole network',
      next,
      link,
    ]);
    expect(linesOf(noticesOf('closed', 0))).toEqual([
      '*Base: incident closed after 12 min*',
      'Since 2026-11-20 11:53:00 UTC · 82 stuck at most · keeper main',
      'Recorded cause: Whole network',
      link,
    ]);
    const sender = `0x${'ab'.repeat(20)}`;
    const ofSender: Partial<Incident> = {
      subject: { kind: 'sender', sender },
      rule: RULE.oneSender,
      verdicts: [holds(RULE.oneSender, 'warning', 'h')],
    };
    expect(linesOf(noticesOf('opened', 41, [], undefined, ofSender))).toContain(`Sender: ${sender}`);
  });

  it('sends no message while it is acknowledged, and one when the acknowledgement ends', () => {
    expect(
      [noticesOf('grew', 81, [acknowledgement]), noticesOf('closed', 0, [acknowledgement])].flat(),
    ).toEqual([]);
    expect(noticesOf('grew', 82, [acknowledgement])).toHaveLength(1);
    expect(noticesOf('closed', 0, [{ ...acknowledgement, untilMs: NOW - 1 }])).toHaveLength(1);
  });
});

describe('messages', () => {
  const waiting = (count: number, nextMs = NOW) =>
    Array.from({ length: count }, (_, at): Notice => ({ ...testNotice(`t${at}`, null, NOW + at), nextMs }));
  const sizes = (count: number, tried: Attempt[] = [], nowMs = NOW + MINUTE_MS) =>
    nextMessages(waiting(count), tried, nowMs).map(({ length }) => length);
  const lately = (count: number, notices = 1): Attempt[] =>
    Array.from({ length: count }, () => ({ atMs: NOW + MINUTE_MS - 1, notices }));

  it('are ten in a minute at most, then one digest', () => {
    expect(sizes(3)).toEqual([1, 1, 1]);
    expect(sizes(14)).toEqual([...Array<number>(10).fill(1), 4]);
    expect(sizes(5, lately(8))).toEqual([1, 1, 3]);
    expect(sizes(5, [...lately(10), ...lately(1, 4)])).toEqual([]);
    expect(sizes(1, lately(10))).toEqual([]);
    expect(sizes(5, lately(10), NOW + 3 * MINUTE_MS)).toEqual([1, 1, 1, 1, 1]);
    expect(nextMessages(waiting(2, NOW + 9), [], NOW)).toEqual([]);
  });

  it('are tried for an hour with backoff, and then given up', () => {
    let [notice] = waiting(1) as [Notice];
    const waits: number[] = [];
    while (notice.state === 'waiting') {
      const tryMs = notice.nextMs;
      notice = afterAttempt(notice, { error: 'Returned 503' }, tryMs);
      waits.push((notice.nextMs - tryMs) / 1000);
    }
    expect(notice).toMatchObject({ state: 'given-up', error: 'Returned 503' });
    expect(waits.slice(0, 8)).toEqual([10, 20, 40, 80, 160, 320, 600, 600]);
    expect(notice.nextMs - notice.atMs).toBeGreaterThan(TRIED_FOR_MS);
    // No attempt is later than an hour after the first, and none waits longer than ten minutes.
    expect(notice.nextMs - notice.atMs).toBeLessThanOrEqual(TRIED_FOR_MS + 600_000);
    expect(afterAttempt(waiting(1)[0] as Notice, undefined, NOW + 5)).toMatchObject({
      state: 'sent',
      sentMs: NOW + 5,
    });
  });

  it('wait as long as the receiver requests, without being given up', () => {
    const [notice] = waiting(1) as [Notice];
    const refusal = { error: 'Returned 429, retry after 2 h', waitMs: 7_200_000 };
    expect(afterAttempt(notice, refusal, NOW)).toMatchObject({ state: 'waiting', nextMs: NOW + 7_200_000 });
    const later = afterAttempt(afterAttempt(notice, refusal, NOW), refusal, NOW + 7_200_000);
    expect(later).toMatchObject({ state: 'waiting', attempts: 2, nextMs: NOW + 14_400_000 });
    expect(afterAttempt(notice, { ...refusal, waitMs: 1000 }, NOW)).toMatchObject({ nextMs: NOW + 10_000 });
    expect(afterAttempt(notice, refusal, NOW + 25 * 3_600_000)).toMatchObject({ state: 'given-up' });
  });

  it('have the same content in both forms, and foreign text is never markup', () => {
    const notices = noticesOf('opened', 41);
    const form = { origin: 'https://dash.example', isSandbox: false } as const;
    expect(JSON.parse(messageBody(notices, { ...form, format: 'json' }))).toMatchObject({
      event: 'incident.opened',
      since: '2026-11-20T11:53:00Z',
      networkName: 'Base',
      link: 'https://dash.example/pending?incident=main%2F8453%2Fnetwork',
    });
    const digest = messageBody([...notices, ...noticesOf('grew', 82)], {
      ...form,
      format: 'json',
      isSandbox: true,
    });
    expect(JSON.parse(digest)).toMatchObject({ event: 'digest', sandbox: true, items: [{}, {}] });
    const crowd = Array.from({ length: 5000 }, () => ({
      ...(notices[0] as Notice),
      facts: JSON.stringify({ cause: 'c'.repeat(10_000), affected: '41 stuck', path: '/pending' }),
    }));
    for (const format of ['json', 'slack'] as const) {
      const body = messageBody(crowd, { ...form, format });
      expect(body.length).toBeLessThan(40_000);
      expect(body).toContain('5000 alerts');
      expect(body).toMatch(format === 'json' ? /"more":4960/ : /And 4960 more\./);
    }
    const evil = [{ ...(notices[0] as Notice), title: '<!channel> *x* <https://evil.example|y>' }];
    const { text } = JSON.parse(messageBody(evil, { ...form, format: 'slack' })) as { text: string };
    expect(text.split('\n')).toContain('Likely cause: Whole network');
    expect(text).not.toMatch(/<!|<https:\/\/evil/);
    expect(text).toContain(
      '<https://dash.example/pending?incident=main%2F8453%2Fnetwork|Open in Keeperscope>',
    );
    expect(messageBody(notices, { format: 'slack', origin: undefined, isSandbox: false })).not.toContain('<');
  });
});
