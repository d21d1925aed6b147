import { describe, expect, it } from 'vitest';
import { standingOf } from '@/lib/domain/diagnosis/incident';
import { ok } from '@/lib/domain/outcome';
import { FAILING, FakeLog, finished, LIMITED, requests, START_MS, settle, world } from './triage-fakes';

const MINUTE = 60_000;
const NETWORKS = Array.from({ length: 14 }, (_, index) => String(8000 + index));

/** Many pending on every network: of eight senders each, among few that finished before. */
function manyPending(networks: readonly string[], each: number, keeper = 'main'): FakeLog {
  const rows = networks.flatMap((id) => [
    ...requests(id, each, START_MS - 7 * MINUTE, 100, (index) => ({ sender: index % 8 })),
    ...finished(id, 300, START_MS - 60 * MINUTE, 1000),
  ]);
  return new FakeLog(keeper, rows);
}

const healthy = (keeper = 'main') =>
  new FakeLog(
    keeper,
    NETWORKS.slice(0, 4).flatMap((id) => [
      ...finished(id, 400, START_MS - MINUTE, 20_000),
      ...requests(id, 2, START_MS - 2000, 1000),
    ]),
  );

describe('a first view', () => {
  it('of 10,000 pending requests on 14 networks takes 60 calls at most', async () => {
    const log = manyPending(NETWORKS, 720);
    const { gatherer, view, timers, calls } = world([log], {
      networkIds: async () => ok(NETWORKS),
    });
    await settle(gatherer.ask(), timers);
    // One more for the list of networks, which the fake answers apart.
    expect(calls() + 1).toBeLessThanOrEqual(60);
    const { triage, gathered, standing } = await view.now();
    expect(gathered).toMatchObject({ state: 'complete', troubles: [] });
    expect(triage.pending).toBe(14 * 720);
    expect(triage.incidents.map(({ rule, size }) => [rule, size])).toEqual(NETWORKS.map(() => ['R6', 720]));
    expect(standing).toEqual({ kind: 'stuck', incidents: 14, singles: 0, requests: 14 * 720 });
    expect(log.calls.every(({ priority }) => priority === 'user')).toBe(true);
  });

  it('of two keepers does so as well, and keeps them apart', async () => {
    const logs = [manyPending(NETWORKS.slice(0, 7), 720), manyPending(NETWORKS.slice(7), 720, 'test')];
    const { gatherer, view, timers, calls } = world(logs);
    await settle(gatherer.ask(), timers);
    expect(calls() + 2).toBeLessThanOrEqual(60);
    const { triage } = await view.now();
    expect(new Set(triage.incidents.map(({ keeper }) => keeper))).toEqual(new Set(['main', 'test']));
  });

  it('says that nothing is stuck, with when it was checked', async () => {
    const { gatherer, view, timers } = world([healthy()]);
    await settle(gatherer.ask(), timers);
    const now = await view.now();
    expect(now.standing).toEqual({ kind: 'nothing-stuck', checkedAtMs: START_MS });
    expect(now.triage.withinNormal).toHaveLength(8);
    expect(now.silence).toHaveLength(4);
    expect(now.silence.every(({ quiet }) => quiet.holds === 'no')).toBe(true);
  });

  it('asks about networks that a keeper serves although no row names them', async () => {
    const log = healthy();
    const { gatherer, view, timers } = world([log], { networkIds: async () => ok(['777']) });
    await settle(gatherer.ask(), timers);
    expect((await view.now()).silence.map(({ networkId }) => networkId)).toContain('777');
  });

  it('shows what came so far, and that it is not all', async () => {
    const log = manyPending(NETWORKS.slice(0, 2), 3000);
    let letGo = () => {};
    log.beforeAnswer = (call) =>
      call < 6
        ? undefined
        : new Promise((resolve) => {
            letGo = resolve;
          });
    const { gatherer, view } = world([log]);
    const over = gatherer.ask();
    while (log.calls.length < 6) await new Promise((resolve) => setImmediate(resolve));
    const now = await view.now();
    expect(now.gathered).toMatchObject({ state: 'gathering', checkedAtMs: undefined });
    expect(now.gathered.progress?.done).toBeGreaterThan(2);
    expect(now.gathered.progress?.of).toBeGreaterThan(now.gathered.progress?.done ?? 0);
    expect(now.triage.pending).toBeGreaterThan(0);
    expect(now.triage.missing).toBeGreaterThan(0);
    log.beforeAnswer = () => {};
    letGo();
    await over;
    expect(await view.now('latest')).toMatchObject({
      gathered: { state: 'complete' },
      triage: { pending: 6000 },
    });
  });
});

describe('what was gathered', () => {
  it('serves everybody for eight seconds, and later looks are background work', async () => {
    const log = healthy();
    const { gatherer, timers } = world([log]);
    await settle(Promise.all([gatherer.ask(), gatherer.ask()]), timers);
    const first = log.calls.length;
    timers.advance(7900);
    await settle(gatherer.ask(), timers);
    expect(log.calls).toHaveLength(first);
    timers.advance(200);
    await settle(gatherer.ask(), timers);
    expect(log.calls.length).toBeGreaterThan(first);
    // Networks that are well are not asked again so soon.
    expect(log.calls.length - first).toBeLessThanOrEqual(2);
    expect(log.calls.slice(first).every(({ priority }) => priority === 'background')).toBe(true);
  });

  it('is not renewed when nobody asks: no timer is left, and no call is made', async () => {
    const log = healthy();
    const { gatherer, timers } = world([log]);
    await settle(gatherer.ask(), timers);
    const calls = log.calls.length;
    expect(timers.pending).toBe(0);
    timers.advance(3_600_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(log.calls).toHaveLength(calls);
  });

  it('a look that nobody has asked about for 30 seconds makes no further call, and is taken up with the next question', async () => {
    const log = manyPending(NETWORKS.slice(0, 2), 4000);
    const { gatherer, view, timers } = world([log]);
    log.beforeAnswer = (call) => {
      if (call === 6) timers.advance(31_000);
    };
    await settle(gatherer.ask(), timers);
    const calls = log.calls.length;
    expect(calls).toBeLessThan(12);
    expect(gatherer.gathered).toMatchObject({ state: 'gathering', troubles: [] });
    expect((await view.now()).standing.kind).not.toBe('nothing-stuck');
    await settle(gatherer.ask(), timers);
    expect(gatherer.gathered).toMatchObject({ state: 'complete', troubles: [] });
  });

  it('is a first view again after a minute without one', async () => {
    const { gatherer, view, timers } = world([healthy()]);
    await settle(gatherer.ask(), timers);
    timers.advance(61_000);
    const over = gatherer.ask();
    expect((await view.now('latest')).standing).toEqual({
      kind: 'not-known',
      why: 'The first look is not over yet',
    });
    await settle(over, timers);
    expect((await view.now('latest')).standing.kind).toBe('nothing-stuck');
  });
});

describe('a service in trouble', () => {
  it('that fails is said, never taken for calm, and recovers', async () => {
    const log = healthy();
    log.fault = () => FAILING;
    const { gatherer, view, timers } = world([log]);
    await settle(gatherer.ask(), timers);
    const down = await view.now();
    expect(down.gathered.state).toBe('failed');
    expect(down.standing).toEqual({ kind: 'not-known', why: 'The service failed' });
    expect(down.gathered.troubles.map(({ what }) => what)).toContain('Pending requests');
    log.fault = () => undefined;
    timers.advance(9000);
    await settle(gatherer.ask(), timers);
    expect(await view.now('latest')).toMatchObject({
      gathered: { state: 'complete', troubles: [] },
      standing: { kind: 'nothing-stuck' },
    });
  });

  it('of two keepers leaves the other one’s incidents on screen', async () => {
    const well = manyPending(NETWORKS.slice(0, 2), 30);
    const down = healthy('test');
    down.fault = () => LIMITED;
    const { gatherer, view, timers } = world([well, down]);
    await settle(gatherer.ask(), timers);
    const now = await view.now();
    expect(now.gathered.state).toBe('partial');
    expect(now.triage.incidents).toHaveLength(2);
    expect(now.triage.unchecked).toEqual([{ keeper: 'test', why: 'The service limits our calls' }]);
  });

  it('in the middle of the pending rows gives those that were seen, and how many are missing', async () => {
    const log = manyPending(NETWORKS.slice(0, 2), 4000);
    log.fault = ({ size }, call) => (size > 0 && call > 8 ? FAILING : undefined);
    const { gatherer, view, timers } = world([log]);
    await settle(gatherer.ask(), timers);
    const now = await view.now();
    expect(now.gathered.state).toBe('partial');
    expect(now.triage.pending).toBeGreaterThan(1000);
    expect(now.triage.missing).toBeGreaterThan(1000);
    log.fault = () => undefined;
    timers.advance(9000);
    await settle(gatherer.ask(), timers);
    expect(await view.now('latest')).toMatchObject({
      gathered: { state: 'complete' },
      triage: { pending: 8000, missing: 0 },
    });
  });

  it('after a complete look keeps what was known for two minutes, and says of when it is', async () => {
    const log = healthy();
    const { gatherer, view, timers } = world([log]);
    await settle(gatherer.ask(), timers);
    log.fault = ({ size }) => (size > 0 ? FAILING : undefined);
    timers.advance(9000);
    await settle(gatherer.ask(), timers);
    const now = await view.now('latest');
    expect(now.gathered).toMatchObject({ state: 'partial', checkedAtMs: START_MS });
    expect(now.gathered.troubles).toContainEqual({
      keeper: 'main',
      what: 'Pending requests',
      failure: FAILING,
      keptFromMs: START_MS,
    });
    expect(standingOf(now.triage).kind).toBe('nothing-stuck');
    expect(now.standing).toEqual({ kind: 'not-known', why: 'The service failed' });
    for (let step = 0; step < 14; step += 1) {
      timers.advance(9000);
      await settle(gatherer.ask(), timers);
    }
    expect((await view.now('latest')).triage.unchecked).toHaveLength(1);
  });

  it('of which only a network can’t be asked is not taken for calm either', async () => {
    const log = healthy();
    log.fault = (query) => (query.get('network_id') === NETWORKS[0] ? FAILING : undefined);
    const { gatherer, view, timers, calls } = world([log]);
    await settle(gatherer.ask(), timers);
    const now = await view.now();
    expect(now.gathered).toMatchObject({ state: 'partial', checkedAtMs: undefined });
    expect(now.gathered.troubles).toMatchObject([
      { keeper: 'main', networkId: NETWORKS[0], what: 'Newest requests', failure: FAILING },
      { networkId: NETWORKS[0], what: 'Requests of the last 24 hours' },
    ]);
    expect(now.standing.kind).toBe('not-known');
    expect(calls()).toBeLessThan(20);
  });

  it('that does not know a network has nothing to tell about it, which is no trouble', async () => {
    const log = healthy();
    const detail = 'The chain id is not supported';
    log.fault = (query) =>
      query.get('network_id') === '777' ? { ...FAILING, kind: 'rejected', detail } : undefined;
    const { gatherer, view, timers } = world([log], { networkIds: async () => ok(['777']) });
    await settle(gatherer.ask(), timers);
    const now = await view.now();
    expect(now.gathered).toMatchObject({ state: 'complete', troubles: [] });
    expect(now.silence.map(({ networkId }) => networkId)).not.toContain('777');
  });
});

describe('another log at the same address', () => {
  const [first = ''] = NETWORKS;
  const stuck = requests(first, 12, START_MS - 8 * MINUTE, 1000, (index) => ({ sender: index % 4 }));
  const outage = () =>
    new FakeLog('main', [...stuck, ...finished(first, 30, START_MS - 60 * MINUTE, 20_000)]);

  it('is seen at the next look, and nothing of the one before is left', async () => {
    const log = healthy();
    const { gatherer, view, timers } = world([log]);
    await settle(gatherer.ask(), timers);
    log.rows = outage().rows;
    timers.advance(8100);
    await settle(gatherer.ask(), timers);
    const stuckNow = await view.now('latest');
    expect(stuckNow.triage.incidents.map(({ rule, size }) => [rule, size])).toEqual([['R6', 12]]);
    const rowOfFirst = stuckNow.silence.find(({ networkId }) => networkId === first);
    expect(rowOfFirst).toMatchObject({ lastRequestMs: START_MS - 8 * MINUTE, stuck: 12 });
    log.rows = healthy().rows;
    timers.advance(8100);
    await settle(gatherer.ask(), timers);
    const calm = await view.now('latest');
    expect(calm.standing.kind).toBe('nothing-stuck');
    expect(calm.silence.find(({ networkId }) => networkId === first)?.lastRequestMs).toBe(START_MS - 2000);
  });

  it('is looked at before its time where somebody knows that what is kept is wrong', async () => {
    const log = healthy();
    const { gatherer, view, timers } = world([log]);
    await settle(gatherer.ask(), timers);
    log.rows = outage().rows;
    await settle(gatherer.ask('latest'), timers);
    expect((await view.now('latest')).standing.kind).toBe('nothing-stuck');
    timers.advance(1600);
    await settle(gatherer.ask('latest'), timers);
    expect((await view.now('latest')).standing.kind).toBe('stuck');
  });
});
