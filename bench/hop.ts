import { controlOf } from '@/e2e/control';
import { load, percentile } from './load';
import { KEY, type OpenDashboard, startOpen, startProgram } from './processes';
import { type Figure, figure } from './report';

const PREFIX = '/api/logs';
/** Budgets far above what the load asks for: the hop is measured, not the budget. The log is as usual, two lines per call. */
const NO_BUDGET = { LOGS_CALLS_PER_S: '100000' };
/** Gates: the hop costs at most so much more than a bare proxy at the median of 50 rows; with 1,000 the loop is hardly late. */
const MAX_HOP_MS = 5;
const MAX_LOOP_DELAY_MS = 20;

type Setting = { rows: number; connections: number; requests: number; rounds: number };
const SETTINGS: Setting[] = [
  { rows: 50, connections: 1, requests: 200, rounds: 5 },
  { rows: 50, connections: 10, requests: 400, rounds: 5 },
  { rows: 1000, connections: 1, requests: 40, rounds: 5 },
  { rows: 1000, connections: 10, requests: 60, rounds: 5 },
];

/** How the service writes `network_id` and `gas_limit`: as the contract has it, or as deployed ones do. */
export type Dialect = 'text' | 'number';

/**
 * The gateway and a bare proxy before the same service, in turn: latency of both, their ratio, and how late the loop was.
 * With numbers the gateway has two members of each row to rewrite, which a bare proxy does not.
 */
export async function measureHop(sandbox: string, dialect: Dialect): Promise<Figure[]> {
  await controlOf(sandbox).dialect(dialect);
  const service = await startProgram(['bench/replay-service.mjs', `${sandbox}/logs/main`, KEY]);
  const bare = await startProgram(['bench/bare-proxy.mjs', service.origin, PREFIX]);
  const settings = { ...NO_BUDGET, LOGS_URL: service.origin, LOGS_API_KEY: 'bench' };
  const dashboard = await startOpen(settings);
  try {
    const figures: Figure[] = [];
    for (const setting of SETTINGS) {
      figures.push(...(await compare(setting, dialect, dashboard, bare.origin)));
    }
    return figures;
  } finally {
    await dashboard.stop();
    await bare.end();
    await service.end();
  }
}

let unique = 0;

async function compare(
  { rows, connections, requests, rounds }: Setting,
  dialect: Dialect,
  dashboard: OpenDashboard,
  bare: string,
): Promise<Figure[]> {
  const ask = (origin: string, count = requests) =>
    load(count, connections, () => `${origin}${PREFIX}/v1/logs?limit=${rows}&offset=${unique++}`);
  await ask(dashboard.origin, requests / 2);
  await ask(bare, requests / 2);
  const times = { ours: [] as number[], bare: [] as number[] };
  const late: number[] = [];
  for (let round = 0; round < rounds; round++) {
    times.bare.push(...(await ask(bare)));
    await dashboard.lateMs();
    times.ours.push(...(await ask(dashboard.origin)));
    late.push(await dashboard.lateMs());
  }
  const name = `${rows} rows as ${dialect}, ${connections} connection${connections > 1 ? 's' : ''}`;
  const p50 = percentile(times.ours, 0.5);
  const bareP50 = percentile(times.bare, 0.5);
  const atMost = rows === 50 && connections === 1 ? MAX_HOP_MS : undefined;
  const mostLate = rows === 1000 ? MAX_LOOP_DELAY_MS : undefined;
  return [
    figure(`gateway p50, ${name}`, p50, 'ms'),
    figure(`gateway p99, ${name}`, percentile(times.ours, 0.99), 'ms'),
    figure(`bare proxy p50, ${name}`, bareP50, 'ms'),
    figure(`bare proxy p99, ${name}`, percentile(times.bare, 0.99), 'ms'),
    figure(`gateway less bare proxy at p50, ${name}`, p50 - bareP50, 'ms', { atMost }),
    figure(`event loop late p99, ${name}`, percentile(late, 0.5), 'ms', { atMost: mostLate }),
  ];
}
