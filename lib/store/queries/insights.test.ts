import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groupedBy } from '@/lib/core/grouped';
import { failureGroup } from '@/lib/core/request-failure';
import { stateWord } from '@/lib/core/request-record';
import type { ListedRecord } from '@/lib/requests/requests-response';
import {
  addRows,
  emptyLog,
  NOW_MS,
  type SampleLog,
  sampleRow,
  seededRandom,
} from '@/lib/requests/server/sample-log-fixture';
import { defaultRequestsView } from '@/lib/requests/view';
import { wireMicros } from '@/lib/store/record-row';
import {
  failedMembers,
  failuresByNetwork,
  failuresOverTime,
  failureTotals,
  finishedSince,
  groupsWithRows,
  networkBaselines,
  networksOverTime,
  pendingByNetwork,
  pendingFlow,
  topSenders,
  totals,
  totalsByNetwork,
  totalsOfSenders,
  totalsOverTime,
  withTime,
} from './insights';
import { longWaits } from './long-waits';
import type { RowQuery } from './view-filter';

/** Every figure is compared with a count over the rows themselves. */

const HOUR_US = 3_600_000_000;
const DAY_US = 24 * HOUR_US;
const NOW_US = NOW_MS * 1000;
const COUNT = 3000;

let log: SampleLog;
beforeAll(async () => {
  log = await emptyLog();
  const roll = seededRandom(7);
  // Ten days in bursts of one instant, most of them late.
  const rows = Array.from({ length: COUNT }, (_, index) => {
    const ago = Math.floor((index / COUNT) ** 2 * 10 * 86_400_000);
    return sampleRow(roll, index + 1, NOW_MS - ago - (ago % 977) - 1);
  });
  await addRows(log, 'main', rows.slice(0, 2200), 'history');
  await addRows(log, 'test', rows.slice(2200), 'history');
});
afterAll(() => log.store.close());

const query = (change: Partial<RowQuery> = {}): RowQuery => ({
  view: defaultRequestsView(),
  keeperIds: [1, 2],
  allKeeperIds: [1, 2],
  namedNetworks: [],
  ...change,
});
const snapshot: SampleLog['store']['engine']['snapshot'] = (work) => log.store.engine.snapshot(work);

const createdUs = (row: ListedRecord) => wireMicros(row.createdAt);
const updatedUs = (row: ListedRecord) =>
  row.updatedAt === undefined ? undefined : wireMicros(row.updatedAt);
const isFinished = (row: ListedRecord) => row.state.kind === 'completed' || row.state.kind === 'failed';
const inState = (state: string) => (row: ListedRecord) => stateWord(row.state) === state;
const keeperId = (row: ListedRecord) => (row.keeper === 'main' ? 1 : 2);
const networkKey = (row: ListedRecord) => `${keeperId(row)} ${row.networkId}`;
const inSpan = (fromUs: number, toUs = Number.POSITIVE_INFINITY) =>
  log.records.filter((row) => createdUs(row) >= fromUs && createdUs(row) <= toUs);

function grouped(
  rows: readonly ListedRecord[],
  key: (row: ListedRecord) => string,
): [string, ListedRecord[]][] {
  const groups = new Map<string, ListedRecord[]>();
  for (const row of rows) groups.set(key(row), [...(groups.get(key(row)) ?? []), row]);
  return [...groups];
}

/** Compares each result, identified by its named members, with a count over the rows. */
function expectEach<T extends object>(
  totals: readonly T[],
  names: (keyof T)[],
  rows: readonly ListedRecord[],
  key: (row: ListedRecord) => string,
  count: (rows: ListedRecord[]) => object,
): void {
  const figures = totals.map((total) => [
    names.map((name) => total[name]).join(' '),
    Object.fromEntries(Object.entries(total).filter(([name]) => !names.includes(name as keyof T))),
  ]);
  const counted = grouped(rows, key).map(([name, some]) => [name, count(some)]);
  expect(Object.fromEntries(figures)).toEqual(Object.fromEntries(counted));
}

/** Interpolates where the rank falls between two values. */
function percentile(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = share * (sorted.length - 1);
  const low = sorted[Math.floor(rank)];
  const high = sorted[Math.ceil(rank)];
  return low === undefined || high === undefined ? null : low + (high - low) * (rank % 1);
}

function called(rows: readonly ListedRecord[]): number[] {
  return rows.flatMap((row) => {
    const endUs = updatedUs(row);
    return row.state.kind !== 'completed' || endUs === undefined ? [] : [Math.max(0, endUs - createdUs(row))];
  });
}

function closeTo(value: number | null) {
  return value === null ? null : expect.closeTo(value, 3);
}

function countedTotals(rows: readonly ListedRecord[]) {
  const lengths = called(rows);
  const number = (state: string) => rows.filter(inState(state)).length;
  return {
    requests: rows.length,
    completed: number('completed'),
    callbackFailed: number('callback-failed'),
    failed: number('failed'),
    pending: number('pending'),
    pendingGone: 0,
    called: lengths.length,
    p50Us: closeTo(percentile(lengths, 0.5)),
    p95Us: closeTo(percentile(lengths, 0.95)),
    p99Us: closeTo(percentile(lengths, 0.99)),
  };
}

const SPANS: [string, number, number | undefined][] = [
  ['an hour', NOW_US - HOUR_US, undefined],
  ['the hour before', NOW_US - 2 * HOUR_US, NOW_US - HOUR_US - 1],
  ['a day', NOW_US - DAY_US, undefined],
  ['all', NOW_US - 30 * DAY_US, undefined],
  ['no rows', NOW_US + 1, undefined],
];

describe.each(SPANS)('%s', (_name, fromUs, toUs) => {
  const span = query({ fromUs, ...(toUs === undefined ? {} : { toUs }) });
  const buckets = { fromUs, bucketUs: HOUR_US, count: 5 };
  const bucketOf = (us: number) => Math.min(4, Math.floor((us - fromUs) / HOUR_US));

  it('is counted by state, with its percentiles', async () => {
    const rows = inSpan(fromUs, toUs);
    expect(await snapshot((all) => totals(all, span))).toEqual(countedTotals(rows));
    const view = { ...defaultRequestsView(), networks: ['8453'] };
    const ofMain = rows.filter(({ networkId, keeper }) => networkId === '8453' && keeper === 'main');
    const ofOne = await snapshot((all) => totals(all, { ...span, view, keeperIds: [1] }));
    expect(ofOne).toEqual(countedTotals(ofMain));
  });

  it('is counted by network and keeper', async () => {
    const totals = await snapshot((all) => totalsByNetwork(all, span));
    expectEach(totals, ['keeperId', 'networkId'], inSpan(fromUs, toUs), networkKey, countedTotals);
  });

  it('is counted over time, with later rows in the last bucket', async () => {
    const rows = inSpan(fromUs, toUs);
    const totals = await snapshot((all) => totalsOverTime(all, span, buckets));
    expectEach(totals, ['bucket'], rows, (row) => String(bucketOf(createdUs(row))), countedTotals);
    const cells = await snapshot((all) => networksOverTime(all, span, buckets));
    const cellOf = (row: ListedRecord) => `${networkKey(row)} ${bucketOf(createdUs(row))}`;
    const names = ['keeperId', 'networkId', 'bucket'] as const;
    expectEach(cells, [...names], rows, cellOf, ({ length }) => ({ requests: length }));
  });

  it('has its failures by group', async () => {
    const failures = inSpan(fromUs, toUs).filter((row) => failureGroup(row) !== undefined);
    const groupOf = (row: ListedRecord) => failureGroup(row) ?? '';
    const names = [...new Set(failures.map(groupOf))];
    const totals = await snapshot((all) => failureTotals(all, span, 200));
    expect(totals).toMatchObject({ groups: names.length, rows: failures.length });
    const groups = totals.totals.map(({ example: _text, ...rest }) => rest);
    expectEach(groups, ['group'], failures, groupOf, (rows) => ({
      rows: rows.length,
      callbacks: rows.filter(({ state }) => state.kind === 'completed').length,
      firstUs: Math.min(...rows.map(createdUs)),
      lastUs: Math.max(...rows.map(createdUs)),
      senders: new Set(rows.flatMap(({ sender }) => sender?.toLowerCase() ?? [])).size,
    }));
    const first = await snapshot((all) => failureTotals(all, span, 1));
    expect(first).toEqual({ ...totals, totals: totals.totals.slice(0, 1) });
    const size = ({ length }: ListedRecord[]) => ({ rows: length });
    const networks = await snapshot((all) => failuresByNetwork(all, span, names));
    const networkOf = (row: ListedRecord) => `${groupOf(row)} ${row.networkId}`;
    expectEach(networks, ['group', 'networkId'], failures, networkOf, size);
    const trend = await snapshot((all) => failuresOverTime(all, span, names, buckets));
    const timeOf = (row: ListedRecord) => `${groupOf(row)} ${bucketOf(createdUs(row))}`;
    expectEach(trend, ['group', 'bucket'], failures, timeOf, size);
    const members = await snapshot((all) => failedMembers(all, span, names));
    const byGroup = groupedBy(members, ({ group }) => group);
    for (const name of names) {
      const rows = failures.filter((row) => groupOf(row) === name && row.state.kind === 'failed');
      const senders = new Set(rows.map(({ sender }) => sender?.toLowerCase()));
      const wires = (byGroup.get(name) ?? []).map(({ wire }) => wire);
      expect(wires).toHaveLength(Math.min(20, senders.size));
      expect(rows.map(({ rawJson }) => rawJson)).toEqual(expect.arrayContaining(wires));
    }
    const groupsFound = await snapshot((all) => groupsWithRows(all, span, [...names, 'no such group']));
    expect(groupsFound).toEqual(new Set(names));
  });

  it('has the senders with most requests and with most failures', async () => {
    const rows = inSpan(fromUs, toUs).filter(({ sender }) => sender !== undefined);
    const senderOf = ({ sender }: ListedRecord) => sender?.toLowerCase() ?? '';
    const senders = grouped(rows, senderOf);
    const failures = (some: readonly ListedRecord[]) =>
      some.filter((row) => ['failed', 'callback-failed'].includes(stateWord(row.state))).length;
    const top = await snapshot((all) => topSenders(all, span, 3));
    expect(top.count).toBe(senders.length);
    const first = (rank: (some: ListedRecord[]) => number[]) =>
      [...senders]
        .sort(([a, rowsOfA], [b, other]) => {
          const x = rank(rowsOfA);
          const y = rank(other);
          const at = x.findIndex((value, index) => value !== y[index]);
          return at < 0 ? (a < b ? -1 : 1) : (y[at] ?? 0) - (x[at] ?? 0);
        })
        .slice(0, 3);
    expect(top.byRequests).toEqual(first((some) => [some.length]).map(([sender]) => sender));
    expect(top.byFailures).toEqual(
      first((some) => [failures(some), some.length])
        .filter(([, some]) => failures(some) > 0)
        .map(([sender]) => sender),
    );
    const names = top.byRequests;
    const figures = await snapshot((all) => totalsOfSenders(all, span, names));
    const shares = (some: readonly ListedRecord[]) =>
      some.flatMap(({ state, gasLimit }) =>
        state.kind !== 'completed' || state.gasUsed === undefined || gasLimit === undefined
          ? []
          : [Number(state.gasUsed) / Number(gasLimit)],
      );
    const ofSenders = rows.filter((row) => names.includes(senderOf(row)));
    expectEach(figures, ['sender'], ofSenders, senderOf, (some) => ({
      ...countedTotals(some),
      networks: new Set(some.map(({ networkId }) => networkId)).size,
      lastUs: Math.max(...some.map(createdUs)),
      p50GasShare: closeTo(percentile(shares(some), 0.5)),
      p95GasShare: closeTo(percentile(shares(some), 0.95)),
    }));
  });
});

describe('pending requests', () => {
  it('are counted by network, with stuck ones by the network’s threshold', async () => {
    const upTo = (days: number) => ({ fromUs: 0, toUs: NOW_US - days * DAY_US });
    const stuck = { fallback: upTo(1), networks: [{ networkId: '1', spans: [upTo(7)] }] };
    const totals = await snapshot((all) => pendingByNetwork(all, query({ fromUs: NOW_US }), stuck));
    const pending = log.records.filter(inState('pending'));
    const isStuck = (row: ListedRecord) =>
      createdUs(row) <= NOW_US - (row.networkId === '1' ? 7 : 1) * DAY_US;
    expectEach(totals, ['keeperId', 'networkId'], pending, networkKey, (rows) => ({
      pending: rows.length,
      stuck: rows.filter(isStuck).length,
      oldestUs: Math.min(...(rows.some(isStuck) ? rows.filter(isStuck) : rows).map(createdUs)),
    }));
  });

  it('come and go, and add up to the current ones', async () => {
    const sinceUs = NOW_US - DAY_US;
    const buckets = { fromUs: sinceUs, bucketUs: HOUR_US, count: 24 };
    const flow = await snapshot((all) => pendingFlow(all, query(), sinceUs, buckets));
    const pendingAt = (us: number) =>
      log.records.filter((row) => {
        const endUs = updatedUs(row);
        const isOpen = inState('pending')(row) || (isFinished(row) && endUs !== undefined && endUs >= us);
        return isOpen && createdUs(row) < us;
      }).length;
    expect(flow.atStart).toBe(pendingAt(sinceUs));
    let left = flow.atStart;
    for (let bucket = 0; bucket < 23; bucket += 1) {
      left += flow.came.find((flow) => flow.bucket === bucket)?.rows ?? 0;
      left -= flow.went.find((flow) => flow.bucket === bucket)?.rows ?? 0;
      expect(left).toBe(pendingAt(sinceUs + (bucket + 1) * HOUR_US));
    }
    const sum = (rows: readonly { rows: number }[]) => rows.reduce((all, flow) => all + flow.rows, 0);
    const now = log.records.filter(inState('pending')).length;
    expect(flow.atStart + sum(flow.came) - sum(flow.went)).toBe(now);
  });
});

it('baselines of a network are counted by hour, whatever the time range of the query', async () => {
  const { hours, latency, past } = await snapshot((all) =>
    networkBaselines(all, query({ fromUs: NOW_US }), NOW_US),
  );
  const hourOf = (row: ListedRecord) => Math.max(0, Math.floor((NOW_US - createdUs(row)) / HOUR_US));
  const lately = log.records.filter((row) => hourOf(row) < 192);
  const network = ['keeperId', 'networkId'] as const;
  const hourKey = (row: ListedRecord) => `${networkKey(row)} ${hourOf(row)}`;
  const ofAll = hours.filter(({ hour }) => hour < 192);
  expectEach(ofAll, [...network, 'hour'], lately, hourKey, (rows) => ({
    requests: rows.length,
    finished: rows.filter(isFinished).length,
    failed: rows.filter(inState('failed')).length,
    callbackFailed: rows.filter(inState('callback-failed')).length,
  }));
  const week = log.records.filter((row) => hourOf(row) <= 168);
  const figures = (name: string, all: readonly ListedRecord[], isOf: (hour: number) => boolean) => {
    const lengths = called(all.filter((row) => isOf(hourOf(row))));
    return { [`${name}Called`]: lengths.length, [`${name}P95Us`]: closeTo(percentile(lengths, 0.95)) };
  };
  expectEach(latency, [...network], week, networkKey, (rows) => ({
    ...figures('now', rows, (hour) => hour === 0),
    ...figures('hour', rows, (hour) => hour > 0 && hour % 24 === 0),
    ...figures('week', rows, (hour) => hour > 0),
  }));
  expectEach(past, [...network], log.records, networkKey, (rows) => ({
    firstUs: Math.min(...rows.map(createdUs)),
    lastUs: Math.max(...rows.map(createdUs)),
  }));
});

it('the baseline of a silent network reaches back over the days before its silence', async () => {
  const laterUs = NOW_US + 12 * DAY_US;
  const { hours } = await snapshot((all) => networkBaselines(all, query(), laterUs));
  const lastUs = new Map<string, number>();
  for (const row of log.records)
    lastUs.set(networkKey(row), Math.max(createdUs(row), lastUs.get(networkKey(row)) ?? 0));
  const hourOf = (row: ListedRecord) => Math.floor((laterUs - createdUs(row)) / HOUR_US);
  // Each network is judged by itself, however long another one is silent.
  const expected = log.records.filter(
    (row) => createdUs(row) >= (lastUs.get(networkKey(row)) ?? 0) - 192 * HOUR_US,
  );
  expect(expected.length).toBeGreaterThan(0);
  const hourKey = (row: ListedRecord) => `${networkKey(row)} ${hourOf(row)}`;
  expectEach(hours, ['keeperId', 'networkId', 'hour'], expected, hourKey, (rows) => ({
    requests: rows.length,
    finished: rows.filter(isFinished).length,
    failed: rows.filter(inState('failed')).length,
    callbackFailed: rows.filter(inState('callback-failed')).length,
  }));
});

it('a time range is replaced, or removed', () => {
  const span = query({ fromUs: 1, toUs: 2 });
  expect(withTime(span, { fromUs: 3 })).toEqual(query({ fromUs: 3 }));
  expect(withTime(span)).toEqual(query());
});

it('finished requests are counted by network and state, with callbacks within each given time', async () => {
  const sinceUs = NOW_US - 3 * DAY_US;
  const edgesS = [1, 10, 60];
  const endUs = (row: ListedRecord) => Math.max(createdUs(row), updatedUs(row) ?? 0);
  const rows = log.records.filter((row) => isFinished(row) && endUs(row) >= sinceUs);
  const stateKey = (row: ListedRecord) => `${networkKey(row)} ${stateWord(row.state)}`;
  const totals = await snapshot((all) => finishedSince(all, [1, 2], sinceUs, edgesS));
  expectEach(totals, ['keeperId', 'networkId', 'state'], rows, stateKey, (rows) => {
    const lengths = called(rows);
    const within = edgesS.map((edge) => lengths.filter((us) => us <= edge * 1_000_000).length);
    const seconds = lengths.reduce((sum, us) => sum + us, 0) / 1_000_000;
    return { rows: rows.length, called: lengths.length, seconds: closeTo(seconds), within };
  });
  expect(totals.length).toBeGreaterThan(5);
});

it('finds requests that waited longer than a limit, pending ones too, of a span and of the day before it', async () => {
  const span = { fromUs: NOW_US - 3 * DAY_US, toUs: NOW_US - DAY_US };
  const minUs = 20_000_000;
  const chosen = { keeperIds: [1, 2], networks: [], minUs, limit: 10_000 };
  const waited = (row: ListedRecord) => Math.max(0, (updatedUs(row) ?? 0) - createdUs(row));
  const rows = inSpan(span.fromUs - DAY_US, span.toUs).filter((row) =>
    isFinished(row)
      ? updatedUs(row) !== undefined && waited(row) > minUs
      : row.state.kind === 'pending' && !row.gone,
  );
  const waits = await snapshot((from) => longWaits(from, chosen, span));
  expect(waits.length).toBe(rows.length);
  expect(waits.map(({ durationUs }) => durationUs ?? 0).sort()).toEqual(
    rows.map((row) => (isFinished(row) ? waited(row) : 0)).sort(),
  );
  const [newest, oldest] = [waits[0], waits.at(-1)];
  expect(newest?.createdUs).toBeGreaterThan(oldest?.createdUs ?? Number.NaN);
  const ofNetwork = { ...chosen, networks: [newest?.networkId ?? ''], limit: 2 };
  const [first, second, third] = await snapshot((from) => longWaits(from, ofNetwork, span));
  expect([first?.networkId, second?.networkId, third]).toEqual([
    newest?.networkId,
    newest?.networkId,
    undefined,
  ]);
});
