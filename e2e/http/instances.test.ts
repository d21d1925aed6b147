import { expect } from 'vitest';
import { type Dashboard, startDashboard } from '@/e2e/dashboard';
import { startPostgres } from '@/e2e/postgres-harness';
import { test } from './server';
import { identityOf, untilAMinuteAgo, viewOf, wholeView } from './view';

const TAKEN_OVER = { timeout: 15_000 };

async function syncs({ origin }: Dashboard): Promise<boolean> {
  const metrics = await (await fetch(`${origin}/api/metrics`)).text();
  return /^keeperscope_index_leader 1$/m.test(metrics);
}

test('of two instances on one PostgreSQL one syncs, and the other continues when it is killed', async ({
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
    const until = untilAMinuteAgo();
    const other = await wholeView(second.origin, until);
    const ofFirst = await viewOf(first.origin, until);
    expect(Number(ofFirst.total)).toBeGreaterThan(1000);
    expect(other.total).toBe(ofFirst.total);
    expect(other.rows.map(identityOf)).toEqual(ofFirst.rows.map(identityOf));
    expect([await syncs(second), other.index[0]?.storage]).toEqual([false, 'postgres']);

    first.process.kill('SIGKILL');
    await expect.poll(() => syncs(second), TAKEN_OVER).toBe(true);
    expect((await viewOf(second.origin, until)).total).toBe(ofFirst.total);
    expect((await fetch(`${second.origin}/requests`)).status).toBe(200);
  } finally {
    await Promise.all(instances.map((instance) => instance.stop()));
    await server.stop();
  }
});
