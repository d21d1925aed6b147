import { percentile } from './load';
import { startProbed, startProgram, temporaryFolder, untilSynced } from './processes';
import { type Figure, figure } from './report';
import { viewPages } from './viewers';

const MINUTES = Number(process.env.BENCH_MINUTES ?? 5);
const MAX_PRINTED = 20;

/** A million rows of a hostile keeper, default settings: ten viewers on all pages, and every export of all of it. */
export const measureLarge = () => measure(1_000_000, {});

/** Ten million rows, with the memory that the operations page names for that many. */
export const measureHuge = () => measure(10_000_000, { STORE_MEMORY_MB: '2048' });

async function measure(rows: number, settings: Record<string, string>): Promise<Figure[]> {
  const name = `hostile keeper, ${rows.toLocaleString('en')} rows`;
  const keeper = await startProgram(['bench/hostile-keeper.mjs', String(rows)]);
  // A budget that does not slow the reading of history.
  const logs = { LOGS_URL: keeper.origin, LOGS_CALLS_PER_S: '100000' };
  const data = { DATA_DIR: temporaryFolder(), LOG_LEVEL: 'warn' };
  const { origin, pid, lateMs } = await startProbed({ ...settings, ...logs, ...data });
  const seconds = await untilSynced(origin);
  await lateMs();
  const { pagesMs, refused, wholeExports, peakMb } = await viewPages(origin, pid, MINUTES * 60_000);
  const late = await lateMs();
  for (const refusal of refused.slice(0, MAX_PRINTED)) process.stderr.write(`${refusal}\n`);
  const whole = wholeExports.filter(Boolean).length / wholeExports.length;
  return [
    figure(`${name}: read`, seconds, 's'),
    figure(`${name}: answers other than 200`, refused.length, '', { atMost: 0 }),
    figure(`${name}: a page, p95`, percentile(pagesMs, 95), 'ms', { aim: 300 }),
    figure(`${name}: a page, longest`, Math.max(...pagesMs), 'ms', { aim: 2000 }),
    figure(`${name}: loop delay p99`, late, 'ms', { aim: 25 }),
    figure(`${name}: memory at most`, peakMb, 'MB', rows > 1_000_000 ? {} : { atMost: 1400 }),
    figure(`${name}: exports of all that are whole`, whole, '', { atLeast: 1 }),
  ];
}
