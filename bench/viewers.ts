import { setTimeout as pause } from 'node:timers/promises';
import { residentMb } from './processes';

const VIEWERS = 10;
const EXPORT_EVERY_MS = 300_000;
const FORMATS = ['csv', 'json', 'ndjson', 'parquet'];

/** Requests of its scripts, by page. */
const PAGES: Record<string, string[]> = {
  '/': ['/api/view/insights?range=24h', '/api/view/insights?range=7d', '/api/view/insights/problems'],
  '/requests': ['/api/view/requests?range=24h&page=2', '/api/view/requests/summary?range=24h'],
  '/requests?range=30d': [
    '/api/view/requests?range=30d&sort=duration.desc',
    '/api/view/requests/summary?range=30d',
    '/api/view/requests/values?column=sender&range=30d',
    '/api/view/requests/values?column=failure&range=30d',
  ],
  '/requests?state=pending&range=30d': [],
  '/requests?state=failed&range=7d&size=100': [],
  '/pending': ['/api/view/pending', '/api/view/acknowledgements'],
  '/pending/history': [],
  '/pending/alerts': [],
  '/feeds': [],
  '/prices': [],
  '/services': ['/api/view/services'],
};

export type ViewingResult = {
  pagesMs: number[];
  refused: string[];
  /** Whether each export is complete. */
  wholeExports: boolean[];
  peakMb: number;
};

export async function viewPages(origin: string, pid: number, forMs: number): Promise<ViewingResult> {
  const endMs = performance.now() + forMs;
  const result: ViewingResult = { pagesMs: [], refused: [], wholeExports: [], peakMb: 0 };
  const fetchPath = async (path: string) => {
    const headers = { accept: path.startsWith('/api') ? '*/*' : 'text/html' };
    try {
      const answer = await fetch(origin + path, { headers });
      const text = await answer.text();
      if (answer.status !== 200) result.refused.push(`${answer.status} ${path} ${text.slice(0, 160)}`);
    } catch (error) {
      result.refused.push(`${path} ${error}`);
    }
  };
  const paths = Object.keys(PAGES);
  const viewer = async (first: number) => {
    for (let turn = first; performance.now() < endMs; turn += 1) {
      const page = paths[turn % paths.length] ?? '/';
      const sinceMs = performance.now();
      await fetchPath(page);
      result.pagesMs.push(performance.now() - sinceMs);
      for (const path of PAGES[page] ?? []) await fetchPath(path);
      await pause(700 + Math.random() * 600);
    }
  };
  const exporter = async () => {
    while (performance.now() < endMs) {
      const nextMs = Math.min(performance.now() + EXPORT_EVERY_MS, endMs);
      for (const format of FORMATS) result.wholeExports.push(await isExportWhole(origin, format));
      await pause(Math.max(0, nextMs - performance.now()));
    }
  };
  const watching = setInterval(() => {
    result.peakMb = Math.max(result.peakMb, residentMb(pid));
  }, 1000);
  await Promise.all([...Array.from({ length: VIEWERS }, (_, index) => viewer(index)), exporter()]);
  clearInterval(watching);
  return result;
}

/** Text formats have an end mark; a Parquet file without its end can't be read at all. */
async function isExportWhole(origin: string, format: string): Promise<boolean> {
  try {
    const answer = await fetch(`${origin}/api/view/requests/export?format=${format}&range=all`);
    let end = '';
    for await (const piece of answer.body ?? []) {
      if (format !== 'parquet') end = (end + Buffer.from(piece).toString('latin1')).slice(-300);
    }
    return answer.status === 200 && (format === 'parquet' || /complete"?: ?(yes|true)/.test(end));
  } catch {
    return false;
  }
}
