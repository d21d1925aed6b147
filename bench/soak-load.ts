import { get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser } from '@playwright/test';
import type { Control } from '@/e2e/control';
import { withBrowser } from './browser';

/** Actions so far, by kind. */
export type Tally = Record<string, number>;

export type SoakWorld = { origin: string; ids: readonly string[]; control: Control; tally: Tally };

const PAGES = [
  '/',
  '/requests?state=pending',
  '/requests?size=100',
  '/pending',
  '/feeds',
  '/services',
  '/prices',
];
const EXPORTS = ['csv', 'ndjson', 'json'];

/** One after the other. */
const FAULTS: { service: string; route?: string; fault: Record<string, unknown> }[] = [
  { service: '*', fault: { kind: 'status', status: 503 } },
  { service: 'updates', route: 'stream', fault: { kind: 'reset-stream' } },
  { service: 'logs:main', fault: { kind: 'hang' } },
  { service: 'updates', route: 'stream', fault: { kind: 'close-stream' } },
  { service: 'logs:main', fault: { kind: 'truncate' } },
  { service: '*', fault: { kind: 'drop' } },
  { service: 'updates', route: 'latest', fault: { kind: 'html' } },
  { service: 'router', fault: { kind: 'status', status: 429, retryAfter: '2' } },
  { service: 'logs:main', fault: { kind: 'delay', ms: 3_000 } },
];
const FAULT_MS = 3_000;
const BETWEEN_FAULTS_MS = 8_000;

const oneOf = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T;

function count({ tally }: SoakWorld, what: string): void {
  tally[what] = (tally[what] ?? 0) + 1;
}

/** Reads for a time, or to the end, over a new connection. Returns the status, 0 for none. */
function read(url: string, forMs: number): Promise<number> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, (answer: IncomingMessage) => {
      answer.resume();
      answer.on('error', () => {});
      answer.on('close', () => resolve(answer.statusCode ?? 0));
    });
    const timer = setTimeout(() => request.destroy(), forMs);
    request.on('error', () => resolve(0));
    request.on('close', () => clearTimeout(timer));
  });
}

/** Opened in batches; each stream lasts for seconds. */
async function streams(world: SoakWorld, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const crowd = Array.from({ length: 25 }, () => {
      const sample = world.ids.filter(() => Math.random() < 0.3).slice(0, 12);
      const ids = sample.length > 0 ? sample : world.ids.slice(0, 1);
      const page = `/api/feeds/stream?ids=${ids.join(',')}`;
      const program = `/api/updates/v2/updates/price/stream?${ids.map((id) => `ids[]=${id}`).join('&')}`;
      count(world, 'streams');
      return read(world.origin + (Math.random() < 0.8 ? page : program), 300 + Math.random() * 3_000);
    });
    await Promise.all(crowd);
    await pause(200);
  }
}

/** Some calls are aborted early. */
async function pages(world: SoakWorld, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const paths = [
      ...PAGES,
      `/feeds/${oneOf(world.ids)}`,
      `/api/view/feeds/history?ids=${oneOf(world.ids)}&from=${Math.floor(Date.now() / 1000) - 60}`,
      `/api/logs/v1/logs?limit=100&query=${Math.random().toString(16).slice(2, 6)}`,
      `/api/updates/v2/updates/price/latest?ids[]=${oneOf(world.ids)}`,
      '/api/view/requests?q=a',
      '/api/view/pending',
    ];
    const impatient = Math.random() < 0.2;
    const status = await read(world.origin + oneOf(paths), impatient ? 30 : 30_000);
    count(world, 'pages and calls');
    if (status !== 200) count(world, status === 0 ? 'aborted calls' : 'calls that met a fault');
    await pause(50);
  }
}

/** Some exports are aborted. */
async function exports(world: SoakWorld, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const path = `/api/view/requests/export?format=${oneOf(EXPORTS)}`;
    const status = await read(world.origin + path, Math.random() < 0.5 ? 500 : 60_000);
    count(world, status === 200 ? 'exports' : 'exports not begun');
    await pause(3_000);
  }
}

async function faults(world: SoakWorld, signal: AbortSignal): Promise<void> {
  for (let n = 0; !signal.aborted; n += 1) {
    const fault = FAULTS[n % FAULTS.length];
    if (fault) await world.control.fault({ ...fault, forMs: FAULT_MS });
    count(world, 'faults');
    await pause(BETWEEN_FAULTS_MS, undefined, { signal }).catch(() => {});
  }
  await world.control.noFaults();
}

/** A user who opens a new session now and then. */
async function user(world: SoakWorld, signal: AbortSignal, browser: Browser): Promise<void> {
  while (!signal.aborted) {
    const context = await browser.newContext();
    const page = await context.newPage();
    for (let n = 0; n < 6 && !signal.aborted; n += 1) {
      const path = oneOf([...PAGES, `/feeds/${oneOf(world.ids)}`]);
      await page.goto(world.origin + path, { waitUntil: 'load', timeout: 30_000 }).catch(() => {});
      count(world, 'pages in Chromium');
      await pause(1_500 + Math.random() * 2_500, undefined, { signal }).catch(() => {});
    }
    await context.close();
  }
}

export function soak(world: SoakWorld, forMs: number): Promise<unknown> {
  return withBrowser((browser) => {
    const signal = AbortSignal.timeout(forMs);
    const all = [streams, streams, pages, pages, exports, faults].map((run) => run(world, signal));
    return Promise.all([...all, user(world, signal, browser)]);
  });
}
