import { expect, vi } from 'vitest';
import { controlOf } from '@/e2e/control';
import { test, withDashboard } from './server';

type Row = {
  keeper: string;
  network_id: string;
  sequence: number;
  created_at: string;
  request_tx_hash: string;
};
type Listing = {
  rows: { keeper: string; row: Row }[];
  total: string;
  asof: string;
  cursor?: string;
  index: { coversAll: boolean }[];
};

/** Everything that makes a request one: its number alone repeats between networks and providers. */
const identity = ({ keeper, row }: Listing['rows'][number]) =>
  [keeper, row.network_id, row.sequence, row.request_tx_hash].join('/');

async function ask(origin: string, params: URLSearchParams | string): Promise<Listing> {
  const response = await fetch(`${origin}/api/view/requests?${params}`);
  expect(response.status).toBe(200);
  const { rows, ...rest } = await response.json();
  const parsed = rows.map((listed: { keeper: string; row: string }) => ({
    ...listed,
    row: JSON.parse(listed.row),
  }));
  return { ...rest, rows: parsed };
}

/** Every row of the sandbox is in the index. */
async function untilRead(origin: string): Promise<void> {
  const isRead = async () => (await ask(origin, 'range=all')).index.every(({ coversAll }) => coversAll);
  await expect.poll(isRead, { timeout: 60_000 }).toBe(true);
}

/** All rows of a view from its own export, newest first. */
async function exported(origin: string, params: string): Promise<Listing['rows']> {
  const response = await fetch(`${origin}/api/view/requests/export?${params}&format=ndjson`);
  const lines = (await response.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.at(-1).meta).toMatchObject({ complete: true, problem: null });
  return lines.slice(0, -1).map((row: Row & { keeper: string }) => ({ keeper: row.keeper, row }));
}

test('walking through fifty pages while rows arrive shows every row of the snapshot once', async ({
  control,
  dashboard,
}) => {
  // Forty times as fast: about twenty new rows a second.
  await control.clock({ speed: 40 });
  await untilRead(dashboard.origin);
  // Its clock runs away from ours. While one row alone is ahead, that row counts as odd and not as the service's clock.
  const aheadMs = async () =>
    Date.parse((await ask(dashboard.origin, 'range=all&size=50')).asof) - Date.now();
  await expect.poll(aheadMs).toBeGreaterThan(10_000);
  const first = await ask(dashboard.origin, 'range=all&size=50');
  const seen = first.rows.map(identity);
  let cursor = first.cursor;
  for (let page = 2; page <= 50; page++) {
    const params = new URLSearchParams({ range: 'all', size: '50', page: String(page), asof: first.asof });
    if (cursor !== undefined) params.set('cursor', cursor);
    const next = await ask(dashboard.origin, params);
    expect(next.total).toBe(first.total);
    seen.push(...next.rows.map(identity));
    cursor = next.cursor;
  }
  expect(seen).toHaveLength(2500);
  expect(new Set(seen).size).toBe(2500);
  // An index that is read every second is behind by 40 s of such a clock: slower it is up to date again.
  await control.clock({ speed: 1 });
  let all: Listing['rows'] = [];
  await vi.waitFor(
    async () => {
      all = await exported(dashboard.origin, `range=all&asof=${first.asof}`);
    },
    { timeout: 60_000, interval: 500 },
  );
  expect(all.slice(0, 2500).map(identity)).toEqual(seen);
});

test('three networks and two states, a hundred pages deep, are what filtering everything gives', () =>
  withDashboard({ SANDBOX_RECORDS: '20000' }, async ({ origin, sandbox }) => {
    await controlOf(sandbox).clock({ stopped: true });
    await untilRead(origin);
    const everything = await exported(origin, 'range=all');
    const counts = new Map<string, number>();
    for (const { row } of everything) counts.set(row.network_id, (counts.get(row.network_id) ?? 0) + 1);
    const most = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 3);
    const networks = most.map(([network]) => network);
    const states = ['completed', 'failed'];
    const wanted = everything.filter(
      ({ row }) => networks.includes(row.network_id) && states.includes(wordOf(row)),
    );
    const filters = [...networks.map((one) => `network=${one}`), ...states.map((one) => `state=${one}`)];
    const query = `range=all&size=50&${filters.join('&')}`;
    const pages = Math.ceil(wanted.length / 50);
    expect(pages).toBeGreaterThan(100);
    for (const page of [1, 2, 57, 100, pages]) {
      const listing = await ask(origin, `${query}&page=${page}`);
      expect(listing.total).toBe(String(wanted.length));
      expect(listing.rows.map(identity)).toEqual(wanted.slice((page - 1) * 50, page * 50).map(identity));
    }
    const oldest = await ask(origin, `${query}&sort=created.asc`);
    expect(oldest.rows.map(identity)).toEqual(wanted.slice(-50).reverse().map(identity));
  }));

function wordOf(row: Row): string {
  const { state } = row as unknown as { state: { state: string; callback_failed?: boolean } };
  return state.callback_failed === true ? 'callback-failed' : state.state;
}
