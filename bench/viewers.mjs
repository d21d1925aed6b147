import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Viewers who visit all pages of a dashboard with the requests of their scripts, and concurrent exports.
 * Usage: node viewers.mjs ORIGIN PID SECONDS [VIEWERS] [EXPORT_EVERY_S]
 * Prints one JSON object: answers by status, latencies by kind (ms), exports, the process's memory (MB).
 */
const [origin, pid, seconds, viewers = '10', exportEveryS = '0'] = process.argv.slice(2);
const endMs = performance.now() + Number(seconds) * 1000;

const PAGES = [
  '/',
  '/requests',
  '/requests?range=30d',
  '/requests?state=pending&range=30d',
  '/requests?state=failed&range=7d&size=100',
  '/pending',
  '/pending/history',
  '/pending/alerts',
  '/feeds',
  '/prices',
  '/services',
];
/** Requests of the scripts of a page. */
const REQUESTS = {
  '/': ['/api/view/insights?range=24h', '/api/view/insights?range=7d', '/api/view/insights/problems'],
  '/requests': ['/api/view/requests?range=24h&page=2', '/api/view/requests/summary?range=24h'],
  '/requests?range=30d': [
    '/api/view/requests?range=30d&sort=duration.desc',
    '/api/view/requests/summary?range=30d',
    '/api/view/requests/values?column=sender&range=30d',
    '/api/view/requests/values?column=failure&range=30d',
  ],
  '/pending': ['/api/view/pending', '/api/view/acknowledgements'],
  '/services': ['/api/view/services'],
};

const times = new Map();
const statuses = new Map();
const failures = [];

async function ask(kind, path) {
  const sinceMs = performance.now();
  let status = 0;
  try {
    const answer = await fetch(origin + path, {
      headers: { accept: path.startsWith('/api') ? '*/*' : 'text/html' },
    });
    status = answer.status;
    const text = await answer.text();
    if (status !== 200 && failures.length < 20) failures.push(`${status} ${path} ${text.slice(0, 160)}`);
    return text;
  } catch (error) {
    if (failures.length < 20) failures.push(`${path} ${error}`);
  } finally {
    const own = times.get(kind) ?? [];
    own.push(performance.now() - sinceMs);
    times.set(kind, own);
    const key = `${kind.startsWith('/api') ? 'api' : kind.startsWith('export') ? 'export' : 'page'} ${status}`;
    statuses.set(key, (statuses.get(key) ?? 0) + 1);
  }
}

async function viewer(number) {
  for (let at = number; performance.now() < endMs; at += 1) {
    const page = PAGES[at % PAGES.length];
    await ask(page, page);
    for (const path of REQUESTS[page] ?? []) await ask(path.split('&')[0], path);
    await pause(700 + Math.random() * 600);
  }
}

const exported = [];
async function exports() {
  if (Number(exportEveryS) === 0) return;
  const formats = ['csv', 'json', 'ndjson', 'parquet'];
  while (performance.now() < endMs) {
    const began = performance.now();
    for (const format of formats) {
      const since = performance.now();
      let bytes = 0;
      let end = '';
      const answer = await fetch(`${origin}/api/view/requests/export?format=${format}&range=all`).catch(
        (error) => error,
      );
      if (!(answer instanceof Error)) {
        try {
          for await (const piece of answer.body) {
            bytes += piece.length;
            if (format !== 'parquet') end = (end + Buffer.from(piece).toString('latin1')).slice(-300);
          }
        } catch (error) {
          end = String(error);
        }
      }
      exported.push({
        format,
        status: answer.status ?? String(answer),
        s: Math.round((performance.now() - since) / 100) / 10,
        mb: Math.round(bytes / 1e6),
        expected: answer.headers?.get('x-expected-rows') ?? undefined,
        end: end.slice(-120),
      });
    }
    const nextMs = Math.min(began + Number(exportEveryS) * 1000, endMs);
    await pause(Math.max(0, nextMs - performance.now()));
  }
}

let peakMb = 0;
const residentMb = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000;
const watching = setInterval(() => {
  peakMb = Math.max(peakMb, residentMb());
}, 1000);
const startMb = residentMb();
await Promise.all([...Array.from({ length: Number(viewers) }, (_, at) => viewer(at)), exports()]);
clearInterval(watching);

const round = (ms) => Math.round(ms);
const share = (sorted, part) => round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]);
const summary = (list) => {
  const sorted = list.toSorted((a, b) => a - b);
  return { n: sorted.length, p50: share(sorted, 0.5), p95: share(sorted, 0.95), max: round(sorted.at(-1)) };
};
const pages = [...times].filter(([kind]) => !kind.startsWith('/api')).flatMap(([, list]) => list);
console.log(
  JSON.stringify(
    {
      statuses: Object.fromEntries(statuses),
      pages: summary(pages),
      byKind: Object.fromEntries([...times].map(([kind, list]) => [kind, summary(list)])),
      exported,
      failures,
      memoryMb: { start: round(startMb), peak: round(peakMb) },
    },
    undefined,
    1,
  ),
);
