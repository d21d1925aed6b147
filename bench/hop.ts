import { controlOf } from '@/e2e/control';
import { startDashboard } from '@/e2e/dashboard';
import { load, percentile } from './load';
import { end, inside, loopLateMs, startPrinting } from './processes';
import type { Figure } from './report';

/** Gates: the hop at the median with 50 rows over one connection, and how late the loop may be with 1,000. */
const MOST_HOP_MS = 5;
const MOST_LATE_MS = 20;
const ROUNDS = 5;

const SETTINGS = [
  { rows: 50, connections: 1, requests: 200 },
  { rows: 50, connections: 10, requests: 400 },
  { rows: 1000, connections: 1, requests: 40 },
  { rows: 1000, connections: 10, requests: 60 },
];

/** How the service writes `network_id` and `gas_limit`: as the contract has it, or as deployed ones do. */
export type Dialect = 'text' | 'number';

/**
 * The gateway and the service itself, in turn: latency of both, what the hop adds, and how late the loop was. With
 * numbers the gateway has two members of each row to rewrite.
 */
export async function measureHop(sandbox: string, dialect: Dialect): Promise<Figure[]> {
  await controlOf(sandbox).dialect(dialect);
  const service = await startPrinting(['bench/replay-service.mjs', `${sandbox}/logs/main`, 'sandbox-key']);
  const { port, settings: told } = await inside();
  // A budget far above what the load asks for. The log is as usual, two lines per call.
  const settings = { LOGS_CALLS_PER_S: '100000', LOGS_URL: service.said, LOGS_API_KEY: 'bench' };
  const dashboard = await startDashboard({ ...settings, ...told });
  let unique = 0;
  try {
    const figures: Figure[] = [];
    for (const { rows, connections, requests } of SETTINGS) {
      // Each differs from all others, so that no call is shared.
      const urlOf = (origin: string) => () => `${origin}/v1/logs?limit=${rows}&offset=${unique++}`;
      const ask = {
        ours: (count: number) => load(count, connections, urlOf(`${dashboard.origin}/api/logs`)),
        direct: (count: number) => load(count, connections, urlOf(service.said)),
      };
      await ask.ours(requests / 2);
      const times = { ours: [] as number[], direct: [] as number[] };
      const late: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        times.direct.push(...(await ask.direct(requests)));
        await loopLateMs(port);
        times.ours.push(...(await ask.ours(requests)));
        late.push(await loopLateMs(port));
      }
      const name = `${rows} rows as ${dialect}, ${connections} connection${connections > 1 ? 's' : ''}`;
      const [p50, direct] = [percentile(times.ours, 0.5), percentile(times.direct, 0.5)];
      const hopAtMost = rows === 50 && connections === 1 ? MOST_HOP_MS : undefined;
      const lateAtMost = rows === 1000 ? MOST_LATE_MS : undefined;
      figures.push(
        { what: `gateway p50, ${name}`, value: p50, unit: 'ms' },
        { what: `gateway p99, ${name}`, value: percentile(times.ours, 0.99), unit: 'ms' },
        { what: `the hop itself at p50, ${name}`, value: p50 - direct, unit: 'ms', atMost: hopAtMost },
        {
          what: `event loop late p99, ${name}`,
          value: percentile(late, 0.5),
          unit: 'ms',
          atMost: lateAtMost,
        },
      );
    }
    return figures;
  } finally {
    await dashboard.stop();
    await end(service.child);
  }
}
