import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Listing } from '@/lib/contract/codec/listing';
import { formatIsoMillis, unixMillis } from '@/lib/domain/units';
import type { RequestsView } from '@/lib/requests/view';
import { createHttpService, type HttpService } from '@/lib/upstream/http-service';
import { createRequestLogClient } from '@/lib/upstream/request-log';
import { type RunningSandbox, SANDBOX_KEY, startSandbox } from '@/sandbox/start';
import { type ListingSources, listingOf } from './listing';
import { viewOf } from './listing-fakes';
import { createLogSource, type SourcePage } from './log-source';
import { createPagingMemory } from './paging-memory';
import { type LogSources, type Part, partsOf } from './parts';

let sandbox: RunningSandbox;
let hosts: HttpService[];
let sources: LogSources;

beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, seed: 3, records: 14_000 });
  const connected = Object.entries(sandbox.addresses.logs).map(([keeper, baseUrl]) => {
    const options = {
      service: 'logs',
      label: keeper,
      apiKey: () => SANDBOX_KEY,
      callsPerSecond: 1000,
    } as const;
    return { keeper, http: createHttpService({ ...options, baseUrl }) };
  });
  hosts = connected.map(({ http }) => http);
  sources = new Map(
    connected.map(({ keeper, http }) => [keeper, createLogSource(keeper, createRequestLogClient(http))]),
  );
});

afterAll(async () => {
  await Promise.all(hosts.map((http) => http.close()));
  await sandbox.close();
});

/** Base, Arbitrum and Abstract, the busiest of the sandbox. */
const NETWORKS = ['8453', '42161', '2741'];
const given = (): ListingSources => {
  const nowMs = Date.now();
  return { sources, memory: createPagingMemory(), nowMs, elapsedMs: () => Date.now() - nowMs };
};
/** Requests of the last hour may still change their state. */
const HOUR_AGO = () => formatIsoMillis(unixMillis(Date.now() - 3_600_000));

async function listing(view: RequestsView, from: ListingSources, cursor?: string): Promise<Listing> {
  const outcome = await listingOf(view, from, cursor);
  if (!outcome.ok) throw new Error(outcome.failure.detail);
  return outcome.value;
}

async function allRows({ source, filter }: Part): Promise<SourcePage['rows']> {
  const page = await source.page(filter, 50_000, 0, 'background');
  if (!page.ok) throw new Error(page.failure.detail);
  return page.value.rows;
}

/** Keys of the whole list of these views: the rows of every part, sorted by the time that they show. */
async function wholeList(...views: RequestsView[]): Promise<string[]> {
  const parts = views.flatMap((view) => {
    const outcome = partsOf(view, Date.now(), sources);
    if (!outcome.ok) throw new Error(outcome.failure.detail);
    return outcome.value;
  });
  const rows = (await Promise.all(parts.map(allRows))).flat();
  const timeOf = (row: (typeof rows)[number]) => (row.kind === 'record' ? row.createdAt.text : '');
  return rows.toSorted((a, b) => timeOf(b).localeCompare(timeOf(a))).map(({ key }) => key);
}

describe('a merged listing of three networks and two states', () => {
  test('is, forty pages deep, what a full export filters to', async () => {
    const asof = HOUR_AGO();
    const view = viewOf({ networks: NETWORKS, states: ['completed', 'callback-failed'], size: 100, asof });
    const whole = await wholeList(view);
    const from = given();
    const walked: string[] = [];
    let cursor: string | undefined;
    for (let page = 1; page <= 40; page += 1) {
      const got = await listing(view, from, cursor);
      expect(got).toMatchObject({ total: String(whole.length), changed: 0, unserved: [] });
      walked.push(...got.rows.map(({ key }) => key));
      ({ cursor } = got);
    }
    expect(walked).toEqual(whole.slice(0, 4000));
    for (const page of [25, 41, Math.ceil(whole.length / 100)]) {
      const got = await listing({ ...view, page }, from);
      expect(got.rows.map(({ key }) => key)).toEqual(whole.slice((page - 1) * 100, page * 100));
      expect(got.offset).toBe(String((page - 1) * 100));
    }
  });

  test('can be read from its oldest row on', async () => {
    const view = viewOf({
      networks: NETWORKS,
      states: ['completed', 'failed'],
      size: 250,
      sort: 'created.asc',
      asof: HOUR_AGO(),
    });
    const whole = (await wholeList(view)).toReversed();
    for (const page of [1, 3, 15]) {
      const got = await listing({ ...view, page }, given());
      expect(got.rows.map(({ key }) => key)).toEqual(whole.slice((page - 1) * 250, page * 250));
    }
  });

  test('finds a deep page within a few rounds of calls, and the pages beside it without a search', async () => {
    const view = viewOf({ networks: NETWORKS, keepers: ['main'], size: 50, asof: HOUR_AGO() });
    const from = given();
    const calls = await countCalls();
    await listing({ ...view, page: 80 }, from);
    const searched = await countCalls();
    expect(searched - calls).toBeLessThanOrEqual(10 * NETWORKS.length);
    await listing({ ...view, page: 81 }, from);
    expect((await countCalls()) - searched).toBeLessThanOrEqual(2 * NETWORKS.length);
  });
});

test('networks of another keeper add no rows, and are named', async () => {
  const view = viewOf({ networks: ['8453', '84532'], keepers: ['main', 'test'], size: 25, asof: HOUR_AGO() });
  const got = await listing(view, given());
  expect(got.rows).toHaveLength(25);
  expect(got.unserved).toEqual([
    { keeper: 'main', networkId: '84532' },
    { keeper: 'test', networkId: '8453' },
  ]);
  const served = [
    { ...view, keepers: ['main'], networks: ['8453'] },
    { ...view, keepers: ['test'], networks: ['84532'] },
  ];
  expect(got.rows.map(({ key }) => key)).toEqual((await wholeList(...served)).slice(0, 25));
});

test('one row that is dated hours ahead moves neither the pin nor the range', async () => {
  const view = viewOf({ keepers: ['main', 'test'], time: { kind: 'last', range: '1h' } });
  const before = await listing(view, given());
  const rows = [
    JSON.stringify({
      network_id: 8453,
      sequence: 1,
      created_at: new Date(Date.now() + 10_800_000).toISOString(),
      state: { state: 'pending' },
    }),
  ];
  await control('POST', { keeper: 'main', rows });
  try {
    const after = await listing(view, given());
    expect(Number(after.total) - Number(before.total)).toBeLessThan(20);
    expect(Number(after.total)).toBeGreaterThanOrEqual(Number(before.total));
    expect(Date.parse(after.asof)).toBeLessThan(Date.now() + 3000);
    expect(after.rows.some(({ keeper }) => keeper === 'test')).toBe(true);
    expect(after.rows[0]?.kind === 'record' && after.rows[0].createdAt.ms > Date.now()).toBe(true);
  } finally {
    await control('DELETE');
  }
});

async function control(method: 'POST' | 'DELETE', body?: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
  const answer = await fetch(`${sandbox.addresses.control}/rows`, { method, ...sent });
  if (!answer.ok) throw new Error(await answer.text());
}

async function countCalls(): Promise<number> {
  const answer = await fetch(`${sandbox.addresses.control}/calls?service=logs:main`);
  const { total } = (await answer.json()) as { total: number };
  return total;
}
