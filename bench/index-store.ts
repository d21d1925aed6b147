import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { controlOf } from '@/e2e/control';
import { type Dashboard, startDashboard } from '@/e2e/dashboard';
import { load, percentile } from './load';
import { end, inside, loopLateMs, residentMb, startSandbox } from './processes';
import type { Figure } from './report';

/** The sandbox as a service elsewhere: the dashboard keeps its rows in a file, as it does for a real keeper. */
type Live = {
  dashboard: Dashboard;
  sandbox: string;
  insidePort: number;
  dataDir: string;
  stop(): Promise<void>;
};

const QUERIES = 40;
const MINUTE_MS = 60_000;
const VIEWERS = 100;

/** The index with a million rows: how soon each view is there, and what else it costs. */
export async function measureIndex(): Promise<Figure[]> {
  const live = await startLive(1_000_000, '100000');
  const figures: Figure[] = [];
  try {
    await loopLateMs(live.insidePort);
    const seconds = await untilSynced(live.dashboard.origin);
    const reading = await loopLateMs(live.insidePort);
    figures.push(
      { what: 'index: a million rows read', value: seconds, unit: 's' },
      { what: 'index: loop delay p99 while history is read', value: reading, unit: 'ms', atMost: 20 },
      { what: 'index: memory of the process after it', value: memoryMb(live), unit: 'MB', atMost: 900 },
    );
    figures.push(...(await viewFigures(live)));
    const idle = await loopLateMs(live.insidePort);
    figures.push({
      what: 'index: loop delay p99 while views are asked',
      value: idle,
      unit: 'ms',
      atMost: 20,
    });
    figures.push({
      what: 'index: memory of the process in the end',
      value: memoryMb(live),
      unit: 'MB',
      atMost: 900,
    });
    return figures;
  } finally {
    await live.dashboard.stop();
    await live.stop();
  }
}

/** How soon 100,000 rows are read, and what a keeper is asked in a minute by how many look. */
export async function measureSync(): Promise<Figure[]> {
  const live = await startLive(100_000, '100000');
  try {
    const seconds = await untilSynced(live.dashboard.origin);
    const path = join(live.dataDir, 'index.duckdb');
    const figures: Figure[] = [
      { what: 'sync: 100,000 rows, no budget', value: seconds, unit: 's', atMost: 30 },
      { what: 'sync: file of 100,000 rows', value: statSync(path).size / 1e6, unit: 'MB' },
    ];
    const calls = [];
    for (const viewers of [0, 1, VIEWERS]) calls.push(await callsPerMinute(live, viewers));
    const [none = 0, one = 0, many = 0] = calls;
    figures.push(
      { what: 'sync: calls to a keeper in a minute, nobody looks', value: none, unit: '', atMost: 20 },
      { what: 'sync: the same with one viewer', value: one, unit: '', atMost: 70 },
      { what: `sync: the same with ${VIEWERS} viewers`, value: many, unit: '', atMost: 70 },
      { what: 'sync: a hundred viewers beside one', value: Math.abs(many - one), unit: 'calls', atMost: 5 },
    );
    return figures;
  } finally {
    await live.dashboard.stop();
    await live.stop();
  }
}

async function startLive(records: number, callsPerS: string): Promise<Live> {
  const { port: insidePort, settings } = await inside();
  const { child, origin: sandbox } = await startSandbox(records);
  const dataDir = mkdtempSync(join(tmpdir(), 'keeperscope-bench-'));
  const dashboard = await startDashboard({
    LOGS_URL: `main=${sandbox}/logs/main,test=${sandbox}/logs/test`,
    LOGS_API_KEY: 'sandbox-key',
    LOGS_CALLS_PER_S: callsPerS,
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    ...settings,
  });
  return {
    ...{ dashboard, sandbox, insidePort, dataDir },
    stop: async () => {
      await end(child);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

type Status = { coversAll: boolean };

/** Seconds until every keeper is read to its beginning. */
export async function untilSynced(origin: string): Promise<number> {
  const begunMs = performance.now();
  for (;;) {
    const answer = await fetch(`${origin}/api/view/requests?size=25`);
    const { index } = (await answer.json()) as { index: Status[] };
    if (index.length > 0 && index.every(({ coversAll }) => coversAll))
      return (performance.now() - begunMs) / 1000;
    if (performance.now() - begunMs > 15 * MINUTE_MS) throw new Error('the index was not read in 15 minutes');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

const memoryMb = ({ dashboard }: Live) => residentMb(dashboard.process.pid ?? 0);

/** Each address is another one, so that none is answered from memory. */
const other = (n: number) => `from=${new Date(Date.UTC(2020, 0, 1) + n * 1000).toISOString()}`;

async function viewFigures({ dashboard: { origin } }: Live): Promise<Figure[]> {
  const view = `${origin}/api/view/requests`;
  const first = (await (await fetch(`${view}?range=all`)).json()) as {
    rows: { row: { request_tx_hash: string } }[];
  };
  const hash = first.rows[0]?.row.request_tx_hash ?? '';
  const p50 = async (urlOf: (n: number) => string) => percentile(await load(QUERIES, 1, urlOf), 0.5);
  return [
    {
      what: 'index: newest page, p50',
      value: await p50((n) => `${view}?${other(n)}`),
      unit: 'ms',
      atMost: 25,
    },
    {
      what: 'index: facets with histogram, p50',
      value: await p50((n) => `${view}/summary?${other(n)}`),
      unit: 'ms',
      atMost: 150,
    },
    {
      what: 'index: one transaction, p50',
      value: await p50((n) => `${view}?q=${hash}&${other(n)}`),
      unit: 'ms',
      atMost: 80,
    },
    {
      what: 'index: page /requests from the server, p50',
      value: await p50((n) => `${origin}/requests?${other(n)}`),
      unit: 'ms',
      atMost: 60,
    },
  ];
}

/** Calls to one keeper in a minute while so many listen for revisions. */
async function callsPerMinute({ dashboard, sandbox }: Live, viewers: number): Promise<number> {
  const streams = Array.from({ length: viewers }, () =>
    get(`${dashboard.origin}/api/view/revisions`, { agent: false }, (response) => response.resume()).on(
      'error',
      () => {},
    ),
  );
  await new Promise((resolve) => setTimeout(resolve, 5000));
  const control = controlOf(sandbox);
  await control.forgetCalls();
  await new Promise((resolve) => setTimeout(resolve, MINUTE_MS));
  const { total } = await control.everyCall('logs:main');
  for (const stream of streams) stream.destroy();
  return total;
}
