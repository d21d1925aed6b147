import { afterEach, expect, test } from 'vitest';
import { MINUTE_MS } from '@/lib/core/time';
import { configure } from '@/lib/gateway/gateway-harness';
import { triageOf } from '@/lib/pending/server/triage';
import { closeServices, services } from '@/lib/services/services';
import { FakeKeeper } from '@/lib/store/sync/keeper-fixture';
import { problemsNow } from './problems';

const HOUR_MS = 60 * MINUTE_MS;
let keeper: FakeKeeper | undefined;
afterEach(async () => {
  await closeServices();
  await keeper?.stop();
});

/** Eight days of rows, the newest from the keeper's current minute. */
async function watched(aheadMs: number, newest: 'pending' | 'completed' = 'pending'): Promise<void> {
  const fakeKeeper = await new FakeKeeper(() => Date.now() + aheadMs).start();
  keeper = fakeKeeper;
  for (let ms = 8 * 24 * HOUR_MS; ms > 0; ms -= 5 * MINUTE_MS) fakeKeeper.add(fakeKeeper.nowMs() - ms);
  fakeKeeper.add(fakeKeeper.nowMs() - 5000, newest);
  await configure({ LOGS_URL: fakeKeeper.url, LOGS_CALLS_PER_S: '100' });
  services().sync.start();
  await services().sync.caughtUp();
}

const networks = async () =>
  (await problemsNow())?.problems.map(({ level, about, text }) => `${level} ${about}: ${text}`);

test.each([
  ['5 hours behind', -5 * HOUR_MS, 'clock is 5 h 00 min behind'],
  ['5 hours ahead', 5 * HOUR_MS, 'clock is 5 h 00 min ahead'],
])(
  'a keeper whose clock is %s does not appear to have silent networks or stuck requests',
  async (_, aheadMs, text) => {
    await watched(aheadMs);
    const { triage, activity } = await triageOf(services().index).now();
    expect(triage.incidents).toEqual([]);
    expect(triage.singles).toEqual([]);
    expect(activity[0]).toMatchObject({ quiet: { holds: 'no' } });
    expect(await networks()).toEqual([`warning Keeper main: ${text}`]);
    const { checkedAtMs = 0 } = triage;
    expect(Math.abs(checkedAtMs - Date.now())).toBeLessThan(MINUTE_MS);
  },
);

/** A proxy dates the answers by another clock. */
async function watchedThroughProxy(datedAheadMs: number): Promise<FakeKeeper> {
  const fakeKeeper = await new FakeKeeper(Date.now).start();
  keeper = fakeKeeper;
  fakeKeeper.instead = (response) => {
    response.setHeader('date', new Date(Date.now() + datedAheadMs).toUTCString());
    return false;
  };
  for (let ms = 2 * HOUR_MS; ms > 20 * MINUTE_MS; ms -= 5 * MINUTE_MS)
    fakeKeeper.add(fakeKeeper.nowMs() - ms);
  fakeKeeper.add(fakeKeeper.nowMs() - 15 * MINUTE_MS, 'pending');
  fakeKeeper.add(fakeKeeper.nowMs() - 5000);
  await configure({ LOGS_URL: fakeKeeper.url, LOGS_CALLS_PER_S: '100' });
  services().sync.start();
  await services().sync.caughtUp();
  return fakeKeeper;
}

test('answers dated hours behind hide no stuck request', async () => {
  await watchedThroughProxy(-5 * HOUR_MS);
  const { triage } = await triageOf(services().index).now();
  expect(triage.singles).toHaveLength(1);
  expect(await networks()).toContain('warning Keeper main: answers are dated 5 h 00 min behind');
});

test('answers that are dated hours ahead make no young request stuck, once a request has appeared', async () => {
  const fakeKeeper = await watchedThroughProxy(5 * HOUR_MS);
  fakeKeeper.rows = fakeKeeper.rows.filter(({ state }) => state !== 'pending');
  fakeKeeper.add(fakeKeeper.nowMs(), 'pending');
  const { index } = services();
  await expect.poll(() => index.status()[0]?.clockAheadMs, { timeout: 30_000 }).toBe(0);
  const { triage } = await triageOf(index).now();
  expect(triage.singles.filter(({ sinceMs }) => Date.now() - sinceMs < MINUTE_MS)).toEqual([]);
});

test('rows dated hours ahead of correct answers have their age by the keeper’s own clock', async () => {
  const fakeKeeper = await new FakeKeeper(Date.now).start();
  keeper = fakeKeeper;
  const rowsMs = () => Date.now() + 5 * HOUR_MS;
  for (let ms = 2 * HOUR_MS; ms > 20 * MINUTE_MS; ms -= 5 * MINUTE_MS) fakeKeeper.add(rowsMs() - ms);
  fakeKeeper.add(rowsMs() - 15 * MINUTE_MS, 'pending');
  await configure({ LOGS_URL: fakeKeeper.url, LOGS_CALLS_PER_S: '100' });
  services().sync.start();
  await services().sync.caughtUp();
  const { index } = services();
  index.addViewer();
  for (let count = 0; count < 3; count += 1) {
    fakeKeeper.add(rowsMs());
    const { rows = 0 } = index.status()[0] ?? {};
    await expect.poll(() => index.status()[0]?.rows, { timeout: 30_000 }).toBeGreaterThan(rows);
  }
  await expect
    .poll(async () => (await triageOf(index).now()).triage.singles.length, { timeout: 30_000 })
    .toBe(1);
  expect(await networks()).toContain('warning Keeper main: rows are dated 5 h 00 min ahead');
});

test('a network is silent if it is silent by the clock of its keeper', async () => {
  await watched(-5 * HOUR_MS, 'completed');
  const fakeKeeper = keeper as FakeKeeper;
  const { nowMs } = fakeKeeper;
  fakeKeeper.nowMs = () => nowMs() + 3 * HOUR_MS;
  await expect.poll(async () => (await networks())?.join(), { timeout: 30_000 }).toMatch(/no requests/);
});
