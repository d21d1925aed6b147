import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { controlOf } from '@/e2e/control';
import { type Dashboard, freePort, startDashboard } from '@/e2e/dashboard';
import { startPostgres } from '@/e2e/postgres-harness';
import { load, percentile } from './load';
import { end, residentMb, startSandbox } from './processes';
import type { Figure } from './report';

/** The sandbox as a service elsewhere: the dashboard keeps its rows in a file, as it does for a real keeper. */
type Live = {
  dashboard: Dashboard;
  sandbox: string;
  loopPort: number;
  dataDir: string;
  stop(): Promise<void>;
};

const QUERIES = 40;
const MINUTE_MS = 60_000;
const VIEWERS = 100;

/** The index with a million rows: each view beside the bare query of the same file, and what else it costs. */
export async function measureIndex(): Promise<Figure[]> {
  const live = await startLive(1_000_000, '100000');
  const figures: Figure[] = [];
  try {
    await loopDelay(live.loopPort);
    const seconds = await untilSynced(live.dashboard.origin);
    const reading = await loopDelay(live.loopPort);
    figures.push(
      { what: 'index: a million rows read', value: seconds, unit: 's' },
      { what: 'index: loop delay p99 while history is read', value: reading.p99, unit: 'ms', atMost: 20 },
      { what: 'index: memory of the process after it', value: memoryMb(live), unit: 'MB', atMost: 900 },
    );
    figures.push(...(await viewFigures(live)), ...(await insightFigures(live)));
    const idle = await loopDelay(live.loopPort);
    figures.push({
      what: 'index: loop delay p99 while views are asked',
      value: idle.p99,
      unit: 'ms',
      atMost: 20,
    });
    figures.push({
      what: 'index: memory of the process in the end',
      value: memoryMb(live),
      unit: 'MB',
      atMost: 900,
    });
    figures.push(...(await serviceFigures(live.sandbox)));
  } finally {
    await live.dashboard.stop();
  }
  figures.push(...(await bareFigures(live, figures)));
  await live.stop();
  return figures;
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

/** Rows of the smaller and of the larger index that both engines are measured with. */
const SIZES = [100_000, 1_000_000];

/** Both engines beside each other: how soon rows are read, and the views of a day and of all time. */
export async function measureEngines(): Promise<Figure[]> {
  const server = await startPostgres(['shared_buffers=512MB']);
  const figures: Figure[] = [];
  try {
    for (const size of SIZES) {
      for (const engine of ['duckdb', 'postgres']) {
        const url = engine === 'postgres' ? await server.database(`rows${size}`) : '';
        figures.push(...(await engineFigures(engine, size, url)));
      }
    }
  } finally {
    await server.stop();
  }
  return figures;
}

async function engineFigures(engine: string, size: number, storeUrl: string): Promise<Figure[]> {
  const live = await startLive(size, '100000', storeUrl);
  const name = `${engine}, ${size.toLocaleString('en')} rows`;
  try {
    const seconds = await untilSynced(live.dashboard.origin);
    const view = `${live.dashboard.origin}/api/view/requests`;
    const sinceMs = Date.now() - DAY_MS;
    const day = (n: number) => `from=${new Date(sinceMs + n * 1000).toISOString()}`;
    const p50 = async (what: string, urlOf: (n: number) => string, atMost?: number): Promise<Figure> => ({
      what: `${name}: ${what}, p50`,
      value: percentile(await load(QUERIES, 1, urlOf), 0.5),
      unit: 'ms',
      ...(engine === 'postgres' && atMost !== undefined ? { atMost } : {}),
    });
    return [
      { what: `${name}: read`, value: seconds, unit: 's' },
      await p50('newest page of 24 h', (n) => `${view}?${day(n)}`, 40),
      await p50('newest page of all time', (n) => `${view}?${other(n)}`),
      await p50('facets with histogram of 24 h', (n) => `${view}/summary?${day(n)}`, 500),
      await p50('facets with histogram of all time', (n) => `${view}/summary?${other(n)}`),
      { what: `${name}: memory of the process`, value: memoryMb(live), unit: 'MB' },
    ];
  } finally {
    await live.dashboard.stop();
    await live.stop();
  }
}

async function startLive(records: number, callsPerS: string, storeUrl = ''): Promise<Live> {
  const loopPort = await freePort();
  const { child, origin: sandbox } = await startSandbox(records);
  const dataDir = mkdtempSync(join(tmpdir(), 'keeperscope-bench-'));
  const dashboard = await startDashboard({
    LOGS_URL: `main=${sandbox}/logs/main,test=${sandbox}/logs/test`,
    LOGS_API_KEY: 'sandbox-key',
    LOGS_CALLS_PER_S: callsPerS,
    DATA_DIR: dataDir,
    STORE_URL: storeUrl,
    LOG_LEVEL: 'warn',
    BENCH_LOOP_PORT: String(loopPort),
    NODE_OPTIONS: '--import=./bench/loop-delay.mjs',
  });
  return {
    ...{ dashboard, sandbox, loopPort, dataDir },
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

async function loopDelay(port: number): Promise<{ p99: number }> {
  return (await (await fetch(`http://127.0.0.1:${port}`)).json()) as { p99: number };
}

/** Each address is another one, so that none is answered from memory. */
const other = (n: number) => `from=${new Date(Date.UTC(2020, 0, 1) + n * 1000).toISOString()}`;
/** The span that a page has unless asked for another. */
const day = (n: number) => `from=${new Date(Date.now() - DAY_MS - n * 1000).toISOString()}`;

async function viewFigures({ dashboard: { origin } }: Live): Promise<Figure[]> {
  const view = `${origin}/api/view/requests`;
  const first = (await (await fetch(`${view}?range=all`)).json()) as {
    rows: { row: string }[];
  };
  const hash: string = JSON.parse(first.rows[0]?.row ?? '{}').request_tx_hash ?? '';
  const p50 = async (urlOf: (n: number) => string) => percentile(await load(QUERIES, 1, urlOf), 0.5);
  return [
    { what: NEWEST, value: await p50((n) => `${view}?${other(n)}`), unit: 'ms', atMost: 25 },
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
      what: 'index: page /requests of 24 h from the server, p50',
      value: await p50((n) => `${origin}/requests?${day(n)}`),
      unit: 'ms',
      atMost: 60,
    },
  ];
}

const NEWEST = 'index: newest page, p50';
const DAY_MS = 86_400_000;

/** Each panel of the overview by itself, over a day and over thirty; each span is another one. */
async function insightFigures({ dashboard: { origin } }: Live): Promise<Figure[]> {
  const endMs = Date.now();
  const iso = (ms: number) => new Date(ms).toISOString();
  const figures: Figure[] = [];
  for (const days of [1, 30]) {
    for (const panel of ['figures', 'networks', 'failures', 'senders']) {
      const span = (n: number) =>
        `from=${iso(endMs - days * DAY_MS - n * 1000)}&to=${iso(endMs - n * 1000)}&panel=${panel}`;
      const times = await load(QUERIES, 1, (n) => `${origin}/api/view/insights?${span(n)}`);
      const what = `index: overview, ${panel} of ${days} d, p50`;
      figures.push({ what, value: percentile(times, 0.5), unit: 'ms', atMost: 300 });
    }
  }
  return figures;
}

/** The same questions asked of the service itself. */
async function serviceFigures(sandbox: string): Promise<Figure[]> {
  const ask = async (query: string) => {
    const times: number[] = [];
    for (let run = 0; run < 5; run += 1) {
      const begunMs = performance.now();
      const response = await fetch(`${sandbox}/logs/main/v1/logs?${query}`, {
        headers: { authorization: 'Bearer sandbox-key' },
      });
      await response.text();
      times.push(performance.now() - begunMs);
    }
    return percentile(times, 0.5);
  };
  return [
    { what: 'service: its newest 50 rows, p50', value: await ask('limit=50'), unit: 'ms' },
    { what: 'service: one count, p50 (a histogram takes hundreds)', value: await ask('limit=1'), unit: 'ms' },
  ];
}

/** The bare query on the same file, once the dashboard has let go of it. */
async function bareFigures({ dataDir }: Live, figures: readonly Figure[]): Promise<Figure[]> {
  const path = join(dataDir, 'index.duckdb');
  const instance = await DuckDBInstance.create(path, { memory_limit: '512MB', access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const times: number[] = [];
  for (let run = 0; run < QUERIES; run += 1) {
    const begunMs = performance.now();
    await connection.runAndReadAll(
      `select keeper_id, wire from requests where created_us >= ${run} order by created_us desc, id desc limit 50`,
    );
    await connection.runAndReadAll(`select count(*) from requests where created_us >= ${run}`);
    times.push(performance.now() - begunMs);
  }
  connection.closeSync();
  instance.closeSync();
  const bare = percentile(times, 0.5);
  const newest = figures.find(({ what }) => what === NEWEST)?.value ?? Number.NaN;
  return [
    { what: 'index: the bare query and its count, p50', value: bare, unit: 'ms' },
    { what: 'index: newest page / bare query', value: newest / bare, unit: 'times', atMost: 2 },
    { what: 'index: file of a million rows', value: statSync(path).size / 1e6, unit: 'MB' },
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
