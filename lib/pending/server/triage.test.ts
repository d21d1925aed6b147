import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { incidentChanges } from '@/lib/alerts/history';
import type { IncidentRecord } from '@/lib/core/incident-record';
import { readPage, rowText } from '@/lib/core/log-row-fixture';
import { DEFAULT_PENDING_SETTINGS } from '@/lib/core/pending-settings';
import { RULE } from '@/lib/pending/rules/rule-ids';
import { defaultRequestsView } from '@/lib/requests/view';
import { DuckDbEngine } from '@/lib/store/duckdb/engine';
import { openTestStore } from '@/lib/store/engine-fixture';
import { pendingByNetwork, type StuckRows, viewFigures } from '@/lib/store/queries/insights';
import { asSql } from '@/lib/store/sql';
import { IndexStore } from '@/lib/store/store';
import { findRequest, gatherEvidence, missingEvidence } from './evidence';
import { PendingTriage, type TriageNow } from './triage';
import { triageAnswer, triageCounts } from './triage-answer';

const BEGAN_MS = Date.parse('2026-11-20T09:00:00Z');
const MINUTE_MS = 60_000;

let nowMs: number;
let store: IndexStore;

beforeEach(async () => {
  nowMs = BEGAN_MS;
  store = await openTestStore(() => nowMs, 'main');
});
afterEach(() => {
  vi.restoreAllMocks();
  return store.close();
});

const PENDING = '{"state":"pending"}';
const COMPLETED = '{"state":"completed","callback_failed":false}';

function row(
  sequence: number,
  minutesAgo: number,
  state: string,
  change: Record<string, string> = {},
): string {
  const created = BEGAN_MS - minutesAgo * MINUTE_MS;
  return rowText({
    network_id: '8453',
    sequence: String(sequence),
    created_at: JSON.stringify(new Date(created).toISOString()),
    last_updated_at: JSON.stringify(new Date(created + 3000).toISOString()),
    request_tx_hash: JSON.stringify(`0x${String(sequence).padStart(64, '0')}`),
    state,
    ...change,
  });
}

const put = (...rows: string[]) => store.ingest(1, readPage(rows).rows, 'new');

function synced(change: Parameters<IndexStore['report']>[1] = {}): void {
  const at = { syncedAtMs: nowMs, pendingAtMs: nowMs };
  store.report('main', { state: 'live', coversAll: true, failure: null, ...at, ...change });
}

async function triage() {
  const pending = new PendingTriage(store, () => DEFAULT_PENDING_SETTINGS);
  return { ...(await pending.now()), stuckRows: pending.stuckRows as StuckRows };
}

/** Incidents as the history records them. */
class RecordedIncidents {
  open: IncidentRecord[] = [];
  readonly #missing = new Map<string, number>();
  #keys = 0;

  /** Kinds of new events, with the subject of the incident. */
  examine({ triage: { incidents: detected } }: TriageNow, atMs: number): string[] {
    const { incidents, events } = incidentChanges({
      open: this.open,
      detected,
      keepers: new Set(['main']),
      watched: new Map(),
      nowMs: atMs,
      missing: this.#missing,
      newKey: () => `${++this.#keys}`,
    });
    const all = new Map([...this.open, ...incidents].map((record) => [record.key, record]));
    this.open = [...all.values()].filter(({ closedMs }) => closedMs === null);
    return events.map(({ kind, incident }) => `${kind} ${all.get(incident)?.id.split('/')[2]}`);
  }
}

async function singleOf(sequence: string) {
  const [snapshot] = (await triage()).keepers;
  if (snapshot === undefined) throw new Error('no keeper');
  const request = await findRequest(store, snapshot, { networkId: '8453', sequence });
  if (!('row' in request)) return { request };
  const evidence = await gatherEvidence(store, snapshot, request.row);
  return { request, evidence, missing: missingEvidence(evidence, request.row) };
}

describe('the state of pending requests by the index', () => {
  it('is unknown before the first sync, with the reason if the sync fails', async () => {
    await put(row(1, 30, PENDING));
    expect(await triage()).toMatchObject({ state: 'syncing', status: { kind: 'not-known' } });
    store.report('main', { state: 'failing', failure: { kind: 'failing', detail: 'It answered 500.' } });
    expect(await triage()).toMatchObject({
      state: 'stale',
      status: { kind: 'not-known', why: 'It answered 500' },
    });
  });

  it('is not calm while old requests are in states that only a later version knows', async () => {
    const revealing = '{"state":"revealing"}';
    await put(row(1, 60, revealing), row(2, 50, revealing), row(3, 1, revealing), row(4, 2000, revealing));
    synced();
    const now = await triage();
    expect(now.status).toEqual({ kind: 'not-known', why: '2 requests in unknown states' });
    const answer = triageAnswer(now, { networks: {}, pending: DEFAULT_PENDING_SETTINGS }, []);
    expect(answer.counts).toMatchObject({ unknownState: 2, stuck: 0 });
    expect(triageCounts(now).complete).toBe(false);
  });

  it('is not syncing for ever where the service does not list pending requests', async () => {
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const pendingTriage = new PendingTriage(store, () => DEFAULT_PENDING_SETTINGS);
    await put(row(1, 30, PENDING));
    const examine = () => {
      synced({ pendingAtMs: null });
      return pendingTriage.now();
    };
    expect(await examine()).toMatchObject({ state: 'syncing', pendingUnreadSinceMs: BEGAN_MS });
    nowMs += 59_000;
    expect(await examine()).toMatchObject({ state: 'syncing', pendingUnreadSinceMs: BEGAN_MS });
    nowMs += 2000;
    const unread = { state: 'stale', pendingUnreadSinceMs: BEGAN_MS, status: { kind: 'not-known' } };
    expect(await examine()).toMatchObject(unread);
    nowMs += 1000;
    synced();
    expect(await pendingTriage.now()).toMatchObject({ state: 'complete', pendingUnreadSinceMs: undefined });
  });

  it('calls a request stuck only if it was seen pending for that long', async () => {
    await put(row(1, 4, PENDING), row(2, 20, COMPLETED));
    synced();
    expect(await triage()).toMatchObject({ state: 'complete', status: { kind: 'nothing-stuck' } });
    // Ten minutes after the last contact, ages stay as they were.
    nowMs += 10 * MINUTE_MS;
    store.report('main', { state: 'failing', failure: { kind: 'unreachable', detail: 'No connection.' } });
    const blind = await triage();
    expect(blind).toMatchObject({ state: 'stale', status: { kind: 'not-known', why: 'No connection' } });
    expect(blind.triage).toMatchObject({ pending: 1, incidents: [], singles: [], slow: 1 });
    synced();
    expect((await triage()).status).toMatchObject({ kind: 'stuck', requests: 1 });
    await put(row(1, 4, COMPLETED));
    expect(await triage()).toMatchObject({ triage: { pending: 0 }, status: { kind: 'nothing-stuck' } });
  });

  it('counts rows that are no longer served separately, and reports unreadable ones', async () => {
    await put(row(1, 30, PENDING), row(2, 30, PENDING));
    await store.engine.write((session) =>
      session.run('update requests set gone_us = 1 where sequence = cast(2 as decimal(38,0))'),
    );
    synced();
    const now = await triage();
    expect(now).toMatchObject({ gone: 1, triage: { pending: 1 } });
    expect(now.triage.singles.map(({ sequence }) => sequence)).toEqual(['1']);
    expect((await singleOf('2')).request.kind).toBe('gone');
    await put('{"sequence":"x","state":{"state":"pending"}}');
    expect((await triage()).triage.unreadable).toBe(1);
  });

  it('parses an unreadable row once, however often the state is computed', async () => {
    const odd = (n: number) => `{"sequence":"x","n":${n},"state":{"state":"pending"}}`;
    await put(odd(1), odd(2), '{"sequence":"x","state":{"state":"completed"}}');
    synced();
    const pendingTriage = new PendingTriage(store, () => DEFAULT_PENDING_SETTINGS);
    const all = store.engine.all.bind(store.engine);
    let texts = 0;
    vi.spyOn(store.engine, 'all').mockImplementation((statement) => {
      if (/from unreadable.*wire/s.test(asSql(statement).texts.join('?'))) texts += 1;
      return all(statement);
    });
    const next = async () => {
      texts = 0;
      nowMs += 1000;
      synced();
      // A busy machine pauses nine times as long as it computes.
      await expect.poll(async () => (await pendingTriage.now()).atMs, { timeout: 30_000 }).toBe(nowMs);
      return [(await pendingTriage.now()).triage.unreadable, texts];
    };
    expect(await next()).toEqual([2, 1]);
    expect(await next()).toEqual([2, 0]);
    await put(odd(3));
    expect(await next()).toEqual([3, 1]);
    await store.engine.write(({ run }) => run('update unreadable set gone_us = 1, rev = rev + 1'));
    expect(await next()).toEqual([0, 0]);
  });

  it('searches only as far back as the index reaches, and says so', async () => {
    await put(row(1, 30, PENDING), ...Array.from({ length: 60 }, (_, n) => row(n + 10, n + 1, COMPLETED)));
    synced({ coversAll: false, coveredFromMs: BEGAN_MS - 40 * MINUTE_MS });
    const { keepers } = await triage();
    const [network] = keepers[0]?.networks ?? [];
    const why = 'not synced before 2026-11-20 08:20:00';
    expect(network?.lastDay).toEqual({ kind: 'missing', why });
    expect(network?.newest).toMatchObject({ kind: 'known', value: { sequence: '10' } });
    expect(network?.finished).toMatchObject({ value: { completeSinceMs: BEGAN_MS - 40 * MINUTE_MS } });
    const { request, missing } = await singleOf('1');
    expect(request.kind).toBe('one');
    expect(missing).toContainEqual({ what: 'Requests around it', why });
    expect((await singleOf('999')).request.kind).toBe('not-known');
    synced();
    // Coverage of the index is checked once a second.
    await expect.poll(async () => (await singleOf('1')).missing, { timeout: 5000 }).toEqual([]);
    const whole = await singleOf('1');
    expect(whole.evidence?.window).toMatchObject({
      value: { unseen: 0 },
      query: expect.stringMatching(
        /^network_id=8453&min_timestamp=2026-11-20T08%3A15%3A00.000Z&max_timestamp=/,
      ),
    });
  });

  it('keeps an incident under its first cause while any of its requests is pending', async () => {
    const pendingTriage = new PendingTriage(store, () => DEFAULT_PENDING_SETTINGS);
    const sender = (n: number) => ({ sender: JSON.stringify(`0x${String(n % 3).repeat(40)}`) });
    await put(...[1, 2, 3, 4, 5, 6].map((n) => row(n, 5, PENDING, sender(n))));
    synced();
    const [opened] = (await pendingTriage.now()).triage.incidents;
    expect(opened).toMatchObject({ rule: RULE.wholeNetwork, size: 6, severity: 'critical' });
    nowMs += 5 * MINUTE_MS;
    const others = Array.from({ length: 30 }, (_, n) => row(n + 100, -4, COMPLETED, sender(n)));
    await put(row(1, 5, COMPLETED, sender(1)), ...others);
    synced();
    const left = [{ id: opened?.id, rule: RULE.wholeNetwork, size: 5, severity: 'warning' }];
    const incidents = async () => (await pendingTriage.now()).triage.incidents;
    await expect.poll(incidents, { timeout: 10_000 }).toMatchObject(left);
    expect((await triage()).triage.incidents).toMatchObject([{ rule: RULE.overtaken }]);
  });

  it('examines a request that has been stuck for long less often than a younger one', async () => {
    // Examining takes no time by this clock; a busy machine may need a round's 250 ms for one request.
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const pendingTriage = new PendingTriage(store, () => DEFAULT_PENDING_SETTINGS);
    await put(row(1, 15, PENDING), row(2, 1000, PENDING, { network_id: '1' }));
    synced();
    const ages = async (seconds: number) => {
      nowMs = BEGAN_MS + seconds * 1000;
      synced();
      const { atMs, triage } = await pendingTriage.now();
      expect(atMs).toBe(nowMs);
      const { singles } = triage;
      const summaries = singles.map(({ sequence, verdicts }) => {
        const seen = verdicts.flatMap(({ evidence }) => evidence.map(({ atMs }) => atMs));
        return [sequence, (nowMs - Math.max(...seen)) / 1000];
      });
      return Object.fromEntries(summaries);
    };
    expect(await ages(0)).toEqual({ 1: 0, 2: 0 });
    expect(await ages(9)).toEqual({ 1: 9, 2: 9 });
    expect(await ages(12)).toEqual({ 1: 0, 2: 12 });
    expect(await ages(61)).toEqual({ 1: 0, 2: 0 });
  });

  it('a silence lasts until a row arrives, however few its last 24 hours hold and whatever else begins', async () => {
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const history = new RecordedIncidents();
    const newTriage = () =>
      new PendingTriage(
        store,
        () => DEFAULT_PENDING_SETTINGS,
        undefined,
        () => history.open,
      );
    let pendingTriage = newTriage();
    // 100 requests a day, of which one is pending and becomes an incident of its own.
    await put(...Array.from({ length: 300 }, (_, n) => row(n + 1, n * 14.4, n === 3 ? PENDING : COMPLETED)));
    const examine = async () => {
      synced();
      return history.examine(await pendingTriage.now(), nowMs);
    };
    const kinds: string[] = [];
    for (let halfHours = 0; halfHours < 48; halfHours += 1) {
      kinds.push(...(await examine()));
      nowMs += 30 * MINUTE_MS;
    }
    expect(kinds).toEqual(['opened silence']);
    // After weeks of silence, and a restart, it is still the same silence.
    for (const days of [3, 20]) {
      nowMs += days * 24 * 60 * MINUTE_MS;
      pendingTriage = newTriage();
      kinds.push(...(await examine()));
      nowMs += 5 * MINUTE_MS;
      kinds.push(...(await examine()));
    }
    expect(kinds).toEqual(['opened silence']);
    const recovered = row(999, 0, COMPLETED, { created_at: JSON.stringify(new Date(nowMs).toISOString()) });
    await put(recovered);
    nowMs += 1000;
    expect(await examine()).toEqual([]);
    nowMs += 5 * MINUTE_MS;
    expect(await examine()).toEqual(['closed silence']);
  });

  it('a network that fell silent long before the first look is no incident', async () => {
    await put(...Array.from({ length: 300 }, (_, n) => row(n + 1, n * 14.4, COMPLETED)));
    nowMs += 31 * 24 * 60 * MINUTE_MS;
    synced();
    expect((await triage()).triage.incidents).toEqual([]);
  });

  it('drops the old rows after a reset', async () => {
    const pendingTriage = new PendingTriage(store, () => DEFAULT_PENDING_SETTINGS);
    await put(row(1, 30, PENDING));
    synced();
    expect((await pendingTriage.now()).triage.pending).toBe(1);
    await store.empty();
    await put(row(5, 1, COMPLETED));
    synced();
    expect((await pendingTriage.now()).triage.pending).toBe(0);
    expect(pendingTriage.cached()?.triage.pending).toBe(0);
  });

  it('is the last state if no new one can be computed, with the reason and its age', async () => {
    const pendingTriage = new PendingTriage(store, () => DEFAULT_PENDING_SETTINGS);
    expect(new PendingTriage(store, () => DEFAULT_PENDING_SETTINGS).cached()).toBeUndefined();
    await put(row(1, 30, PENDING));
    synced();
    const first = await pendingTriage.now().catch(() => pendingTriage.cached());
    expect(first?.triage.pending).toBe(1);
    await store.engine.write((session) => session.run('alter table requests rename to elsewhere'));
    nowMs += MINUTE_MS;
    expect(pendingTriage.cached()).toBe(first);
    const failingSince = () =>
      pendingTriage.now().then(
        () => undefined,
        () => pendingTriage.failure?.sinceMs,
      );
    await expect.poll(failingSince, { timeout: 10_000 }).toBe(BEGAN_MS + MINUTE_MS);
    expect(await pendingTriage.now().catch(() => pendingTriage.cached())).toBe(first);
    await store.engine.write((session) => session.run('alter table elsewhere rename to requests'));
    await expect
      .poll(async () => (await pendingTriage.now().catch(() => undefined))?.atMs, { timeout: 10_000 })
      .toBe(nowMs);
    expect(pendingTriage.failure).toBeUndefined();
  });
});

it('the number of stuck requests is one figure: those of incidents, young ones included, and those past the retry budget', async () => {
  const sender = (at: number) => ({ sender: `"0x${String(at % 4).repeat(40)}"` });
  const finished = Array.from({ length: 30 }, (_, index) =>
    row(100 + index, 60 + index, COMPLETED, sender(index)),
  );
  // None of this outage of the network exceeds the retry budget of five minutes.
  const outage = Array.from({ length: 9 }, (_, index) =>
    row(200 + index, 4 - index / 3, PENDING, sender(index)),
  );
  const alone = row(7, 30, PENDING, { network_id: '10' });
  const slow = row(8, 4, PENDING, { network_id: '137' });
  await put(...finished, ...outage, alone, slow);
  synced();
  const { triage: current, activity, stuckRows } = await triage();
  expect(current.incidents.map(({ size }) => size)).toEqual([9]);
  expect(current.singles).toHaveLength(1);
  expect(activity.map(({ networkId, stuck }) => [networkId, stuck]).sort()).toEqual([
    ['10', 1],
    ['137', 0],
    ['8453', 9],
  ]);
  const query = { view: defaultRequestsView(), keeperIds: [1] };
  const figures = await viewFigures(store.engine, query, stuckRows);
  expect(figures).toMatchObject({ pending: 11, stuck: 10 });
  const networks = await pendingByNetwork(store.engine, query, stuckRows);
  expect(networks.map(({ networkId, stuck }) => [networkId, stuck]).sort()).toEqual([
    ['10', 1],
    ['137', 0],
    ['8453', 9],
  ]);
});

describe('the number of stuck requests is one figure, however many young requests an incident has', () => {
  const address = (at: number) => `"0x${at.toString(16).padStart(40, '0')}"`;
  async function stuckBoth() {
    const { activity, stuckRows } = await triage();
    const query = { view: defaultRequestsView(), keeperIds: [1] };
    const figures = await pendingByNetwork(store.engine, query, stuckRows);
    const both = [activity, figures].map((networks) =>
      networks.map(({ networkId, pending, stuck }) => [networkId, pending, stuck]).sort(),
    );
    return { triage: both[0], figures: both[1] };
  }

  it('of a whole network', async () => {
    const finished = Array.from({ length: 300 }, (_, index) =>
      row(10_000 + index, 60 + index, COMPLETED, { sender: address(index) }),
    );
    const outage = Array.from({ length: 2600 }, (_, index) =>
      row(20_000 + index, 4 - index / 800, PENDING, { sender: address(index % 40) }),
    );
    await put(...finished, ...outage, row(8, 4, PENDING, { network_id: '137' }));
    synced();
    const stuck = await stuckBoth();
    expect(stuck.triage).toEqual([
      ['137', 1, 0],
      ['8453', 2600, 2600],
    ]);
    expect(stuck.figures).toEqual(stuck.triage);
  });

  it('of one sender, among younger ones of others', async () => {
    const others = Array.from({ length: 300 }, (_, index) =>
      row(10_000 + index, 0.5 + index / 50, COMPLETED, { sender: address(index % 40) }),
    );
    const fresh = Array.from({ length: 30 }, (_, index) =>
      row(15_000 + index, 0.1 + index / 100, PENDING, { sender: address(index) }),
    );
    const hashes = Array.from({ length: 2600 }, (_, index) =>
      row(20_000 + index, 4 - index / 700, PENDING, { sender: address(999) }),
    );
    await put(...others, ...fresh, ...hashes);
    synced();
    const stuck = await stuckBoth();
    expect(stuck.triage).toEqual([['8453', 2630, 2600]]);
    expect(stuck.figures).toEqual(stuck.triage);
  });
});

it('an old request by itself is parked: it counts as pending, and not as stuck; one of an incident stays stuck', async () => {
  const DAY = 24 * 60;
  const finished = Array.from({ length: 30 }, (_, index) => row(100 + index, 60 + index, COMPLETED));
  const orphans = Array.from({ length: 25 }, (_, index) => row(index + 1, (2 + index) * DAY, PENDING));
  // Three within a minute are an incident, however old.
  const together = [row(60, DAY + 30, PENDING), row(61, DAY + 30.5, PENDING), row(62, DAY + 31, PENDING)];
  const young = row(70, 30, PENDING, { network_id: '10' });
  await put(...finished, ...orphans, ...together, young);
  synced();
  const { triage: current, activity, status, stuckRows } = await triage();
  expect(current.incidents.map(({ size }) => size)).toEqual([3]);
  expect(current.singles.map(({ isParked }) => isParked).filter(Boolean)).toHaveLength(25);
  expect(status).toMatchObject({ kind: 'stuck', incidents: 1, singles: 1, requests: 4 });
  expect(
    activity.map((network) => [network.networkId, network.pending, network.stuck, network.parked]).sort(),
  ).toEqual([
    ['10', 1, 1, 0],
    ['8453', 28, 3, 25],
  ]);
  const query = { view: defaultRequestsView(), keeperIds: [1] };
  const figures = await viewFigures(store.engine, query, stuckRows);
  expect(figures).toMatchObject({ pending: 29, stuck: 4 });
});

it('nothing is stuck while all old requests are parked, and a new stuck one is reported', async () => {
  await put(...Array.from({ length: 25 }, (_, index) => row(index + 1, (2 + index) * 24 * 60, PENDING)));
  synced();
  expect((await triage()).status).toMatchObject({ kind: 'nothing-stuck' });
  await put(row(90, 8, PENDING));
  synced();
  expect((await triage()).status).toMatchObject({ kind: 'stuck', requests: 1 });
});

it('acknowledged requests are in no figure of stuck requests', async () => {
  await put(row(1, 30, PENDING), row(2, 40, PENDING, { network_id: '10' }));
  synced();
  const [first] = (await triage()).triage.singles;
  const acknowledgement = {
    kind: 'request',
    id: first?.key ?? '',
    atMs: 0,
    untilMs: null,
    note: '',
    by: null,
    size: 1,
  };
  const acknowledging = new PendingTriage(
    store,
    () => DEFAULT_PENDING_SETTINGS,
    () => [{ ...acknowledgement, cause: null }],
  );
  const { activity } = await acknowledging.now();
  expect(activity.map((network) => [network.networkId, network.stuck, network.acknowledged]).sort()).toEqual([
    ['10', 1, 0],
    ['8453', 0, 1],
  ]);
  const query = { view: defaultRequestsView(), keeperIds: [1] };
  expect(await viewFigures(store.engine, query, acknowledging.stuckRows as StuckRows)).toMatchObject({
    pending: 2,
    stuck: 1,
  });
});

describe('pending requests beyond those examined individually', () => {
  /** Pending forever, one per minute, each with answered twins under other transactions. */
  const flood = (count: number) => {
    const created = `${BEGAN_MS - 30 * MINUTE_MS} * 1000 - n * 60000000`;
    const columns = `id, keeper_id, network_id, chain_name, sequence, sequence64, created_us, state, provider, sender,
      request_tx, gas_limit, wire, first_seen_us, last_seen_us, visible_us, rev`;
    const insert = (of: string, state: string, kind: string) =>
      `insert into requests (${columns})
       select cast(md5('${kind}' || n) as uuid), 1, cast(n % 3 + 1 as text), 'chain', n, n, ${created} ${of}, '${state}',
         '0xab', '0x' || (n % 5000), '${kind}' || n, 100000, repeat('x', 1000), 0, 0, 0, 1
       from range(${count}) as made(n)`;
    return store.engine.write(async ({ run }) => {
      await run(insert('', 'pending', 'a'));
      await run(insert('- 3000000', 'completed', 'b'));
    });
  };

  it('are all counted, as stuck, with little memory', async () => {
    await store.close();
    const engine = await DuckDbEngine.open({ memoryMb: 96 });
    const keepers = [{ name: 'main', baseUrl: 'http://127.0.0.1:1/main' }];
    store = await IndexStore.open(engine, { keepers, storage: 'memory', now: () => nowMs });
    await flood(40_000);
    synced();
    const { triage: current, status, activity } = await triage();
    expect(current).toMatchObject({ pending: 40_000, unexamined: 20_000, missing: 0 });
    const ofDay = 24 * 60 - 30;
    expect(status.kind === 'stuck' && status.requests).toBeLessThanOrEqual(20_000);
    expect(activity.map(({ networkId, pending }) => [networkId, pending]).sort()).toEqual([
      ['1', 13_334],
      ['2', 13_333],
      ['3', 13_333],
    ]);
    const total = (of: 'stuck' | 'parked') => activity.reduce((sum, network) => sum + (network[of] ?? 0), 0);
    expect(total('stuck') + total('parked')).toBe(40_000);
    expect(total('stuck')).toBeGreaterThanOrEqual(ofDay);
    expect(engine.memoryFailures.count).toBe(0);
  });
});

it('rows newer than the last check of open requests lie before the moment up to which the answer is synced', async () => {
  await put(row(1, 0.1, PENDING), row(2, 20, COMPLETED));
  const [createdMs, checkedMs] = [BEGAN_MS - 6000, BEGAN_MS - 28_000];
  synced({ pendingAtMs: checkedMs });
  const settings = { networks: {}, pending: DEFAULT_PENDING_SETTINGS };
  const answer = async () => triageAnswer(await triage(), settings, []);
  expect(await answer()).toMatchObject({ checkedAtMs: checkedMs, syncedAtMs: BEGAN_MS, state: 'complete' });
  expect((await answer()).syncedAtMs).toBeGreaterThanOrEqual(createdMs);
  synced({ pendingAtMs: BEGAN_MS - 10 * MINUTE_MS });
  expect(await answer()).toMatchObject({ syncedAtMs: BEGAN_MS - 10 * MINUTE_MS, state: 'stale' });
});
