import type { Dashboard } from '@/e2e/dashboard';
import { residentMb } from './processes';
import type { Figure } from './report';

/** Rows of the two exports that are compared. A sandbox of 1,000,000 rows has enough of them. */
const SMALL = 20_000;
const LARGE = 200_000;
/** Gate: the process at its largest during the large export, compared with the small one. */
const MOST_GROWTH = 1.25;
const SAMPLE_MS = 50;

type Peak = { rows: number; complete: boolean; peakMb: number; seconds: number; bytes: number };

/** Exports two amounts of rows, one ten times the other, and tells what that costs the process in memory. */
export async function measureExport(dashboard: Dashboard): Promise<Figure[]> {
  const pid = dashboard.process.pid ?? 0;
  // Everything is loaded and compiled by a first run, and the heap has the size that it keeps.
  await measureOne(dashboard.origin, pid, SMALL);
  const beforeMb = residentMb(pid);
  const small = await measureOne(dashboard.origin, pid, SMALL);
  const large = await measureOne(dashboard.origin, pid, LARGE);
  const missing = [small, large].filter(({ complete }) => !complete).length;
  return [
    { what: 'exports that were not complete', value: missing, unit: '', atMost: 0 },
    { what: 'memory before an export', value: beforeMb, unit: 'MB' },
    { what: `memory at most, exporting ${small.rows} rows`, value: small.peakMb, unit: 'MB' },
    { what: `memory at most, exporting ${large.rows} rows`, value: large.peakMb, unit: 'MB' },
    { what: 'memory after both', value: residentMb(pid), unit: 'MB' },
    {
      what: `memory, ${large.rows} rows / ${small.rows} rows`,
      value: large.peakMb / small.peakMb,
      unit: 'times',
      atMost: MOST_GROWTH,
    },
    { what: `export of ${large.rows} rows`, value: large.seconds, unit: 's' },
    { what: `size of ${large.rows} rows as NDJSON`, value: large.bytes / 1e6, unit: 'MB' },
  ];
}

async function measureOne(origin: string, pid: number, rows: number): Promise<Peak> {
  const query = await viewOf(origin, rows);
  let peakMb = residentMb(pid);
  const sampling = setInterval(() => {
    peakMb = Math.max(peakMb, residentMb(pid));
  }, SAMPLE_MS);
  const started = performance.now();
  const response = await fetch(`${origin}/api/view/requests/export?${query}&format=ndjson`);
  if (!response.ok || response.body === null) throw new Error(`the export answered ${response.status}`);
  let bytes = 0;
  let lines = 0;
  let tail = '';
  for await (const chunk of response.body) {
    const text = Buffer.from(chunk).toString('latin1');
    bytes += chunk.length;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
    tail = (tail + text).slice(-20_000);
  }
  clearInterval(sampling);
  const { meta } = JSON.parse(tail.trimEnd().split('\n').at(-1) ?? '{}');
  const complete = meta?.complete === true && meta.written === lines - 1 && meta.expected === lines - 1;
  return { rows: lines - 1, complete, peakMb, seconds: (performance.now() - started) / 1000, bytes };
}

/** Parameters of a view of the past with about so many rows: its end lies an hour back, its beginning is searched for. */
async function viewOf(origin: string, rows: number): Promise<string> {
  const to = Date.now() - 3_600_000;
  let [tooFew, enough] = [to, to - 30 * 86_400_000];
  for (let step = 0; step < 24; step++) {
    const middle = Math.round((tooFew + enough) / 2);
    if ((await countBetween(origin, middle, to)) >= rows) enough = middle;
    else tooFew = middle;
  }
  return `from=${new Date(enough).toISOString()}&to=${new Date(to).toISOString()}`;
}

async function countBetween(origin: string, from: number, to: number): Promise<number> {
  const bounds = `min_timestamp=${new Date(from).toISOString()}&max_timestamp=${new Date(to).toISOString()}`;
  const answer = await fetch(`${origin}/api/logs/v1/logs?limit=1&${bounds}`);
  return (await answer.json()).total_results;
}
