import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startProbed, startProgram, untilSynced } from './processes';
import { type Figure, figure } from './report';

type Latencies = { n: number; p50: number; p95: number; max: number };
/** Output of `viewers.mjs`. */
type Viewed = {
  statuses: Record<string, number>;
  pages: Latencies;
  exported: { format: string; status: number | string; end: string }[];
  failures: string[];
  memoryMb: { start: number; peak: number };
};

const run = promisify(execFile);
const MINUTES = Number(process.env.BENCH_MINUTES ?? 5);

/** A million rows of a hostile keeper, default settings: ten viewers on all pages, and every export of all of it. */
export const measureLarge = () => measure(1_000_000, {});

/** Ten million rows, with the memory that the operations page names for that many. */
export const measureHuge = () => measure(10_000_000, { STORE_MEMORY_MB: '2048' });

async function measure(rows: number, settings: Record<string, string>): Promise<Figure[]> {
  const name = `hostile keeper, ${rows.toLocaleString('en')} rows`;
  const folder = mkdtempSync(join(tmpdir(), 'keeperscope-large-'));
  const keeper = await startProgram(['bench/hostile-keeper.mjs', String(rows)]);
  // A budget that does not slow the reading of history.
  const dashboard = await startProbed({
    ...settings,
    LOGS_URL: keeper.origin,
    LOGS_CALLS_PER_S: '100000',
    DATA_DIR: folder,
    LOG_LEVEL: 'warn',
  });
  try {
    const seconds = await untilSynced(dashboard.origin);
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
    ];
  } finally {
    await dashboard.stop();
    await keeper.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Text formats have an end mark; a Parquet file without its end can't be read at all. */
const isWhole = (format: string, end: string) => format === 'parquet' || /complete"?: ?(yes|true)/.test(end);
