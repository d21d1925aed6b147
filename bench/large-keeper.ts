import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { medianOf } from './load';
import { startOpen, startProgram } from './processes';
import { type Figure, figure } from './report';

type Latencies = { n: number; p50: number; p95: number; max: number };
/** As `viewers.mjs` prints it. */
type Viewed = {
  statuses: Record<string, number>;
  pages: Latencies;
  exported: { format: string; status: number | string; end: string }[];
  failures: string[];
  memoryMb: { start: number; peak: number };
};

const run = promisify(execFile);
const QUERIES = 9;
/** All of the hostile keeper. */
const NETWORKS = [
  8453, 42161, 2741, 33139, 146, 80094, 10, 81457, 1329, 130, 143, 999, 84532, 421614, 10143, 11155420, 1301,
  11124, 57073, 1000007,
]
  .map((id) => `&network=${id}`)
  .join('');
const MINUTES = Number(process.env.BENCH_MINUTES ?? 5);

/** A million rows of a hostile keeper, default settings: ten viewers on all pages, and every export of all of it. */
export const measureLarge = () => measure(1_000_000, {});

/** Ten million rows, with the memory that the operations page names for that many. */
export const measureHuge = () => measure(10_000_000, { STORE_MEMORY_MB: '2048' });

async function measure(rows: number, settings: Record<string, string>): Promise<Figure[]> {
  const name = `hostile keeper, ${rows.toLocaleString('en')} rows`;
  const folder = mkdtempSync(join(tmpdir(), 'keeperscope-large-'));
  const keeper = await startProgram(['bench/hostile-keeper.mjs', String(rows)]);
  // History is read at once. All that follows asks the keeper as seldom as by default.
  const dashboard = await startOpen({
    ...settings,
    LOGS_URL: keeper.origin,
    LOGS_CALLS_PER_S: '100000',
    DATA_DIR: folder,
    LOG_LEVEL: 'warn',
  });
  try {
    const began = performance.now();
    await untilRead(dashboard.origin);
    const seconds = (performance.now() - began) / 1000;
    await dashboard.lateMs();
    const args = [
      'bench/viewers.mjs',
      dashboard.origin,
      String(dashboard.pid),
      String(MINUTES * 60),
      '10',
      '300',
    ];
    const { stdout } = await run(process.execPath, args, { maxBuffer: 10_000_000 });
    const { statuses, pages, exported, failures, memoryMb } = JSON.parse(stdout) as Viewed;
    const lateMs = await dashboard.lateMs();
    for (const failure of failures) process.stderr.write(`${failure}\n`);
    const answers = Object.entries(statuses);
    const refused = answers.reduce((sum, [kind, count]) => sum + (kind.endsWith(' 200') ? 0 : count), 0);
    const whole = exported.filter(({ format, status, end }) => status === 200 && isWhole(format, end));
    return [
      figure(`${name}: read`, seconds, 's'),
      figure(`${name}: answers other than 200`, refused, '', { atMost: 0 }),
      figure(`${name}: a page, p95`, pages.p95, 'ms', { aim: 300 }),
      figure(`${name}: a page, longest`, pages.max, 'ms', { aim: 2000 }),
      figure(`${name}: loop delay p99`, lateMs, 'ms', { aim: 25 }),
      figure(`${name}: memory at most`, memoryMb.peak, 'MB', rows > 1_000_000 ? {} : { atMost: 1400 }),
      figure(`${name}: exports of all that are whole`, whole.length / Math.max(1, exported.length), '', {
        atLeast: 1,
      }),
      figure(`${name}: newest page`, await asked(dashboard.origin, '/api/view/requests?range=all'), 'ms', {
        aim: 100,
      }),
      figure(
        `${name}: facets and histogram`,
        await asked(dashboard.origin, '/api/view/requests/summary?range=all'),
        'ms',
        {
          aim: 1500,
        },
      ),
      figure(
        `${name}: overview of 24 h`,
        await asked(dashboard.origin, '/api/view/insights?range=24h'),
        'ms',
        {
          aim: 1000,
        },
      ),
    ];
  } finally {
    await dashboard.stop();
    await keeper.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A text file says so at its end; a Parquet file without its end can't be read at all. */
const isWhole = (format: string, end: string) => format === 'parquet' || /complete"?: ?(yes|true)/.test(end);

async function untilRead(origin: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${origin}/api/view/requests?size=1`);
    const { index } = (await answer.json()) as { index?: { coversAll: boolean }[] };
    if (index?.every(({ coversAll }) => coversAll)) return;
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
}

/** The median of questions that nobody has asked before, ms. */
function asked(origin: string, path: string): Promise<number> {
  return medianOf(QUERIES, async (at) => {
    const began = performance.now();
    // A network that no row has makes it another question, with the same rows.
    const answer = await fetch(`${origin}${path}${NETWORKS}&network=${at}`);
    await answer.arrayBuffer();
    return performance.now() - began;
  });
}
