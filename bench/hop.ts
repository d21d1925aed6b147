import { controlOf } from '@/e2e/control';
import { load, median } from './load';
import { KEY, type ProbedDashboard, startProbed, startProgram } from './processes';
import { type Figure, figure } from './report';

const PREFIX = '/api/logs';
/** Far above the load, so that only the hop is measured. */
const NO_BUDGET = { LOGS_CALLS_PER_S: '100000' };
/** Gates: median overhead over a bare proxy with 50 rows, and event loop delay with 1,000 rows. */
const MAX_HOP_MS = 5;
const MAX_LOOP_DELAY_MS = 20;

type Setting = { rows: number; connections: number; requests: number; rounds: number };
const SETTINGS: Setting[] = [
  { rows: 50, connections: 1, requests: 200, rounds: 5 },
  { rows: 1000, connections: 1, requests: 40, rounds: 5 },
  { rows: 1000, connections: 10, requests: 60, rounds: 5 },
];

/** Spelling of `network_id` and `gas_limit`: as in the contract, or as deployed services write them. */
type Dialect = 'text' | 'number';

/**
 * The gateway and a bare proxy before the same service, in turn: difference of latency, and event loop delay. With numbers the
 * gateway rewrites two members of each row, which a bare proxy does not.
 */
export async function measureHop(sandbox: string, dialect: Dialect): Promise<Figure[]> {
  await controlOf(sandbox).dialect(dialect);
  const service = await startProgram(['bench/replay-service.mjs', `${sandbox}/logs/main`, KEY]);
  const bare = await startProgram(['bench/bare-proxy.mjs', service.origin, PREFIX]);
  const settings = { ...NO_BUDGET, LOGS_URL: service.origin, LOGS_API_KEY: 'bench' };
  const dashboard = await startProbed(settings);
  const figures: Figure[] = [];
  for (const setting of SETTINGS) figures.push(...(await compare(setting, dialect, dashboard, bare.origin)));
  return figures;
}

let unique = 0;

async function compare(
  { rows, connections, requests, rounds }: Setting,
  dialect: Dialect,
  dashboard: ProbedDashboard,
  bare: string,
): Promise<Figure[]> {
  const send = (origin: string, count = requests) =>
    load(count, connections, () => `${origin}${PREFIX}/v1/logs?limit=${rows}&offset=${unique++}`);
  await send(dashboard.origin, requests / 2);
  await send(bare, requests / 2);
  const times = { ours: [] as number[], bare: [] as number[] };
  const late: number[] = [];
  for (let round = 0; round < rounds; round++) {
    times.bare.push(...(await send(bare)));
    await dashboard.lateMs();
    times.ours.push(...(await send(dashboard.origin)));
    late.push(await dashboard.lateMs());
  }
  const name = `${rows} rows as ${dialect}, ${connections} connection${connections > 1 ? 's' : ''}`;
  const overheadMs = median(times.ours) - median(times.bare);
  return rows === 50
    ? [figure(`gateway less bare proxy at p50, ${name}`, overheadMs, 'ms', { atMost: MAX_HOP_MS })]
    : [figure(`event loop delay p99, ${name}`, median(late), 'ms', { atMost: MAX_LOOP_DELAY_MS })];
}
