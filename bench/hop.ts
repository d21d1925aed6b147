import { controlOf } from '@/e2e/control';
import { freePort, startDashboard } from '@/e2e/dashboard';
import { load, percentile } from './load';
import { end, startPrinting } from './processes';
import type { Figure } from './report';

const PREFIX = '/api/logs';
/** Budgets far above what the load asks for: the hop is measured, not the budget. The log is as usual, two lines per call. */
const NO_BUDGET = { LOGS_CALLS_PER_S: '100000' };
/** Gates: the hop costs at most so much more than a bare proxy at the median of 50 rows; with 1,000 the loop is hardly late. */
const MOST_HOP_MS = 5;
const MOST_LATE_MS = 20;

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
  const service = await startPrinting(['bench/replay-service.mjs', `${sandbox}/logs/main`, 'sandbox-key']);
  const bare = await startPrinting(['bench/bare-proxy.mjs', service.said, PREFIX]);
  const loopPort = await freePort();
  const dashboard = await startDashboard({
    ...NO_BUDGET,
    LOGS_URL: service.said,
    LOGS_API_KEY: 'bench',
    NODE_OPTIONS: '--import=./bench/loop-delay.mjs',
    BENCH_LOOP_PORT: String(loopPort),
  });
  const loop = async () => (await fetch(`http://127.0.0.1:${loopPort}`)).json() as Promise<{ p99: number }>;
  try {
    const figures: Figure[] = [];
    for (const setting of SETTINGS)
      figures.push(...(await compare(setting, dialect, dashboard.origin, bare.said, loop)));
    return figures;
  } finally {
    await dashboard.stop();
    await end(bare.child);
    await end(service.child);
  }
}

let unique = 0;

async function compare(
  setting: Setting,
  dialect: Dialect,
  ours: string,
  bare: string,
  loop: () => Promise<{ p99: number }>,
): Promise<Figure[]> {
  const { rows, connections, requests, rounds } = setting;
  const urlOf = (origin: string) => () => `${origin}${PREFIX}/v1/logs?limit=${rows}&offset=${unique++}`;
  await load(requests / 2, connections, urlOf(ours));
  await load(requests / 2, connections, urlOf(bare));
  const times = { ours: [] as number[], bare: [] as number[] };
  const late: number[] = [];
  for (let round = 0; round < rounds; round++) {
    times.bare.push(...(await load(requests, connections, urlOf(bare))));
    await loop();
    times.ours.push(...(await load(requests, connections, urlOf(ours))));
    late.push((await loop()).p99);
  }
  const name = `${rows} rows as ${dialect}, ${connections} connection${connections > 1 ? 's' : ''}`;
  const [p50, bareP50] = [percentile(times.ours, 0.5), percentile(times.bare, 0.5)];
  const isHeld = rows === 50 && connections === 1;
  return [
    { what: `gateway p50, ${name}`, value: p50, unit: 'ms' },
    { what: `gateway p99, ${name}`, value: percentile(times.ours, 0.99), unit: 'ms' },
    { what: `bare proxy p50, ${name}`, value: bareP50, unit: 'ms' },
    { what: `bare proxy p99, ${name}`, value: percentile(times.bare, 0.99), unit: 'ms' },
    {
      what: `gateway less bare proxy at p50, ${name}`,
      ...{ value: p50 - bareP50, unit: 'ms', atMost: isHeld ? MOST_HOP_MS : undefined },
    },
    {
      what: `event loop late p99, ${name}`,
      ...{ value: percentile(late, 0.5), unit: 'ms', atMost: rows === 1000 ? MOST_LATE_MS : undefined },
    },
  ];
}
