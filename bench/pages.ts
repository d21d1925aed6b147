import { gzipSync } from 'node:zlib';
import type { Browser, Page } from '@playwright/test';
import { controlOf } from '@/e2e/control';
import type { Dashboard } from '@/e2e/dashboard';
import { withBrowser, withPage } from './browser';
import { medianOf } from './load';
import { type Figure, figure } from './report';

const PAGES = ['/', '/requests', '/pending', '/feeds'];
/** Gates: kB of script (gzip) that the HTML names, and that a page loads in its first seconds; layout shift of every page. */
const MAX_NAMED_KB = { requests: 340, others: 380 };
const MAX_SCRIPT_KB = 480;
const MAX_SHIFT = 0.01;
const RUNS = 5;

/** What the pages weigh, how soon the first row of data is there, and how much they jump while they load. */
export function measurePages(dashboard: Dashboard): Promise<Figure[]> {
  return withBrowser(async (browser) => {
    const figures: Figure[] = [];
    const add = async (measure: (page: Page) => Promise<Figure>) =>
      figures.push(await withPage(browser, measure));
    for (const path of PAGES) figures.push(await namedScripts(dashboard.origin, path));
    for (const path of PAGES) await add((page) => scriptWeight(page, dashboard.origin, path));
    figures.push(await firstRow(browser, dashboard.origin));
    for (const path of PAGES) await add((page) => layoutShift(page, dashboard, path));
    await add((page) => layoutShift(page, dashboard, '/requests', 1500));
    return figures;
  });
}

/** The scripts that the HTML names, without those for browsers that know no modules. */
async function namedScripts(origin: string, path: string): Promise<Figure> {
  const html = await (await fetch(origin + path, { headers: { accept: 'text/html' } })).text();
  const tags = [...html.matchAll(/<script[^>]* src="([^"]+)"[^>]*>/g)];
  const sources = new Set(tags.filter(([tag]) => !/nomodule/i.test(tag)).map(([, source = '']) => source));
  let bytes = 0;
  for (const source of sources) {
    bytes += gzipSync(await (await fetch(new URL(source, origin))).arrayBuffer()).length;
  }
  const atMost = path === '/requests' ? MAX_NAMED_KB.requests : MAX_NAMED_KB.others;
  return figure(`script named in the HTML of ${path} (gzip)`, bytes / 1000, 'kB', { atMost });
}

/** How long a page is watched for the scripts that it loads by itself, milliseconds. */
const LOADING_MS = 4000;

/** All scripts that the browser loads before anybody does anything, those named in the HTML and those loaded after. */
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

async function firstRow(browser: Browser, origin: string): Promise<Figure> {
  const once = async (page: Page) => {
    await page.goto(`${origin}/requests`, { waitUntil: 'commit' });
    await page.getByRole('table', { name: 'Requests' }).locator('tbody tr[data-row]').first().waitFor();
    return page.evaluate(() => performance.now());
  };
  const value = await medianOf(RUNS, () => withPage(browser, once));
  return figure('time to the first data row of /requests', value, 'ms');
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
