import { gzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { controlOf } from '@/e2e/control';
import type { Dashboard } from '@/e2e/dashboard';
import { withBrowser, withPage } from './browser';
import { median } from './load';
import { processorMs } from './processes';
import { type Figure, figure } from './report';

const PAGES = ['/', '/requests', '/pending', '/feeds'];
/** Gates: kB of script (gzip) in the HTML, and loaded in the first seconds; layout shift. */
const MAX_NAMED_KB = 300;
const MAX_SCRIPT_KB = 480;
const MAX_SHIFT = 0.01;
/** Gates of `/requests`: kB of HTML, and processor time over a page of ours that shows nothing but the frame. */
const MAX_HTML_KB = 185;
const MAX_PROCESSOR_RATIO = 3.5;
const PROCESSOR_PAGES = 60;
const PROCESSOR_ROUNDS = 5;

export function measurePages(dashboard: Dashboard): Promise<Figure[]> {
  return withBrowser(async (browser) => {
    const figures = await requestsPageFigures(dashboard);
    const add = async (measure: (page: Page) => Promise<Figure>) =>
      figures.push(await withPage(browser, measure));
    for (const path of PAGES) figures.push(await namedScripts(dashboard.origin, path));
    for (const path of PAGES) await add((page) => scriptWeight(page, dashboard.origin, path));
    for (const path of PAGES) await add((page) => layoutShift(page, dashboard, path));
    await add((page) => layoutShift(page, dashboard, '/requests', 1500));
    return figures;
  });
}

const fetchHtml = async (url: string): Promise<string> =>
  (await fetch(url, { headers: { accept: 'text/html' } })).text();

async function requestsPageFigures({ origin, process }: Dashboard): Promise<Figure[]> {
  const html = await fetchHtml(`${origin}/requests`);
  const pageMs = async (path: string) => {
    const before = processorMs(process.pid ?? 0);
    for (let n = 0; n < PROCESSOR_PAGES; n++) await fetchHtml(origin + path);
    return (processorMs(process.pid ?? 0) - before) / PROCESSOR_PAGES;
  };
  const ratios: number[] = [];
  for (let round = 0; round < PROCESSOR_ROUNDS; round++) {
    const frameMs = await pageMs('/no-such-page');
    ratios.push((await pageMs('/requests')) / frameMs);
  }
  return [
    figure('HTML of /requests', Buffer.byteLength(html) / 1000, 'kB', { atMost: MAX_HTML_KB }),
    figure('processor time of /requests / a page with the frame alone', median(ratios), 'times', {
      atMost: MAX_PROCESSOR_RATIO,
    }),
  ];
}

/** Scripts that the page names, without those for browsers that lack modules. */
async function namedScripts(origin: string, path: string): Promise<Figure> {
  const html = await fetchHtml(origin + path);
  const tags = [...html.matchAll(/<script[^>]* src="([^"]+)"[^>]*>/g)];
  const sources = new Set(tags.filter(([tag]) => !/nomodule/i.test(tag)).map(([, source = '']) => source));
  let bytes = 0;
  for (const source of sources) {
    bytes += gzipSync(await (await fetch(new URL(source, origin))).arrayBuffer()).length;
  }
  return figure(`script named in the HTML of ${path} (gzip)`, bytes / 1000, 'kB', { atMost: MAX_NAMED_KB });
}

const LOADING_MS = 4000;

/** All scripts that the browser loads without user input. */
async function scriptWeight(page: Page, origin: string, path: string): Promise<Figure> {
  const weights: Promise<number>[] = [];
  page.on('response', (response) => {
    if (response.request().resourceType() !== 'script') return;
    weights.push(response.body().then((body) => gzipSync(body).length));
  });
  await page.goto(origin + path);
  await page.waitForTimeout(LOADING_MS);
  const bytes = (await Promise.all(weights)).reduce((sum, weight) => sum + weight, 0);
  return figure(`first-load script of ${path} (gzip)`, bytes / 1000, 'kB', { atMost: MAX_SCRIPT_KB });
}

function shiftSoFar(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += (entry as PerformanceEntry & { value: number }).value;
        }).observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => resolve(sum), 500);
      }),
  );
}

async function layoutShift(page: Page, dashboard: Dashboard, path: string, delayMs = 0): Promise<Figure> {
  const control = controlOf(dashboard.sandbox);
  if (delayMs > 0)
    await control.fault({ service: 'logs:main', fault: { kind: 'delay', ms: delayMs }, forMs: 30_000 });
  await page.goto(dashboard.origin + path);
  await page.waitForLoadState('load');
  await page.waitForTimeout(2000);
  const value = await shiftSoFar(page);
  await control.noFaults();
  const slow = delayMs > 0 ? `, service answers after ${delayMs} ms` : '';
  return figure(`layout shift of ${path}${slow}`, value, '', { atMost: MAX_SHIFT });
}
