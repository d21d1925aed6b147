import { expect } from 'vitest';
import { type Dashboard, startDashboard } from '@/e2e/dashboard';
import { startPostgres } from '@/e2e/postgres-harness';
import { test } from './server';

const ALL_TIME = 'size=100&from=2000-01-01T00:00:00.000Z';
const TAKEN_OVER = { timeout: 15_000 };

type Answer = { total: string; rows: unknown[]; index: { coversAll: boolean; storage: string }[] };

async function viewOf({ origin }: Dashboard, until: string): Promise<Answer> {
  const answer = await fetch(`${origin}/api/view/requests?${ALL_TIME}&to=${until}`);
  expect(answer.status).toBe(200);
  return answer.json();
}

async function syncs({ origin }: Dashboard): Promise<boolean> {
  const metrics = await (await fetch(`${origin}/api/metrics`)).text();
  return /^keeperscope_index_leader 1$/m.test(metrics);
}

test('two instances have one index in PostgreSQL; one syncs, and the other goes on when it is killed', async ({
  dashboard: { sandbox },
}) => {
  const server = await startPostgres();
  const instances: Dashboard[] = [];
  try {
    const settings = {
      LOGS_URL: `main=${sandbox}/logs/main,test=${sandbox}/logs/test`,
      LOGS_API_KEY: 'sandbox-key',
      LOGS_CALLS_PER_S: '1000',
      STORE_URL: server.url,
    };
    const first = await startDashboard(settings);
    instances.push(first);
    await expect.poll(() => syncs(first), TAKEN_OVER).toBe(true);
    const second = await startDashboard(settings);
    instances.push(second);
    const until = new Date().toISOString();
    const isWhole = async () => (await viewOf(second, until)).index.every(({ coversAll }) => coversAll);
    await expect.poll(isWhole, { timeout: 60_000 }).toBe(true);
    const [one, other] = [await viewOf(first, until), await viewOf(second, until)];
    expect(Number(one.total)).toBeGreaterThan(1000);
    expect([other.total, other.rows]).toEqual([one.total, one.rows]);
    expect([await syncs(second), other.index[0]?.storage]).toEqual([false, 'postgres']);

    first.process.kill('SIGKILL');
    await expect.poll(() => syncs(second), TAKEN_OVER).toBe(true);
    expect((await viewOf(second, until)).total).toBe(one.total);
    expect((await fetch(`${second.origin}/requests`)).status).toBe(200);
  } finally {
    await Promise.all(instances.map((instance) => instance.stop()));
    await server.stop();
  }
});
