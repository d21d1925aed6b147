import { type Browser, chromium, type Page } from '@playwright/test';
import { type Control, controlOf } from '@/e2e/control';
import { startDashboard } from '@/e2e/dashboard';
import { startLargeDirectory } from '@/e2e/large-directory';
import { longestTasks } from './main-thread';
import type { Figure } from './report';

const FEEDS = 100;
/** At the services' usual limit of 3 calls a second, a call per feed takes half a minute. */
const PATIENCE_MS = 120_000;
/** The moment that is asked for: every service has it by then. */
const AGO_S = 60;
/** Gate: what the browser calls a long task, in processor time. */
const LONG_TASK_MS = 50;

/** The routes that give prices, by the sandbox’s names; each is asked once for all feeds but the last, which takes one. */
const ROUTES = {
  updates: 'at-time',
  upgraded: 'at-time',
  router: 'price',
  deprecated: 'deprecated',
} as const;
type Source = keyof typeof ROUTES;

/** Looking prices up in all sources, and the symbol directory with as many symbols as there may be. */
export async function measurePrices(): Promise<Figure[]> {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || undefined });
  try {
    return [...(await measureLookups(browser)), ...(await measureDirectory(browser))];
  } finally {
    await browser.close();
  }
}

async function measureLookups(browser: Browser): Promise<Figure[]> {
  const dashboard = await startDashboard({ LOG_LEVEL: 'warn' });
  try {
    const control = controlOf(dashboard.sandbox);
    const ids = await feedIds(dashboard.origin);
    const lookup = (sources: readonly Source[]) =>
      measureLookup(browser, dashboard.origin, control, ids, sources);
    return [
      ...(await lookup(['updates', 'upgraded', 'router'])),
      ...(await lookup(['updates', 'upgraded', 'deprecated', 'router'])),
    ];
  } finally {
    await dashboard.stop();
  }
}

/** Feeds that all services serve. */
async function feedIds(origin: string): Promise<string[]> {
  const response = await fetch(`${origin}/api/view/symbols`);
  const { symbols }: { symbols: { feedId?: string; listedBy: string; state?: string }[] } =
    await response.json();
  const ids = symbols
    .filter(({ listedBy, state }) => listedBy === 'both' && state === 'stable')
    .flatMap(({ feedId }) => feedId ?? []);
  if (ids.length < FEEDS) throw new Error(`Only ${ids.length} feeds are served by all services.`);
  return ids.slice(0, FEEDS);
}

async function measureLookup(
  browser: Browser,
  origin: string,
  control: Control,
  ids: readonly string[],
  sources: readonly Source[],
): Promise<Figure[]> {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  // The browser forgets the times of requests beyond the first 250.
  await page.addInitScript(() => performance.setResourceTimingBufferSize(2_000));
  await control.forgetCalls();
  const at = Math.floor(Date.now() / 1000) - AGO_S;
  await page.goto(`${origin}/prices?ids=${ids.join(',')}&at=${at}&sources=${sources.join(',')}`);
  await page.locator('[data-phase="idle"], [data-phase="running"], [data-phase="ended"]').waitFor();
  const begin = page.locator('[data-phase="idle"]').getByRole('button', { name: 'Look up', exact: true });
  // A lookup of many calls waits to be told.
  if (sources.includes('deprecated')) await begin.click();
  const { totalMs, slowestMs } = await timesOf(page);
  const calls = await callsOf(control);
  await page.close();
  const fewest = sources.reduce((sum, source) => sum + (source === 'deprecated' ? ids.length : 1), 0);
  const what = `${ids.length} feeds × ${sources.length} sources`;
  return [
    { what: `${what}: service calls`, value: calls, unit: '', atMost: fewest, atLeast: fewest },
    { what: `${what}: time of the slowest source`, value: slowestMs, unit: 'ms' },
    { what: `${what}: time beyond the slowest source`, value: totalMs - slowestMs, unit: 'ms' },
  ];
}

async function callsOf(control: Control): Promise<number> {
  const totals = Object.entries(ROUTES).map(async ([source, route]) => {
    const service = source === 'deprecated' ? 'updates' : source;
    return (await control.calls(service, route)).total;
  });
  return (await Promise.all(totals)).reduce((sum, total) => sum + total, 0);
}

/** From the first request of a lookup until its table is complete, and the span of the source that took longest, ms. */
function timesOf(page: Page): Promise<{ totalMs: number; slowestMs: number }> {
  return page
    .waitForFunction(() => {
      if (document.querySelector('[data-phase="ended"]') === null) return undefined;
      // The last answer is there a moment before its column is drawn.
      if (document.querySelector('td [data-kind="waiting"]') !== null) return undefined;
      const endedMs = performance.now();
      const spans = new Map<string, { from: number; to: number }>();
      for (const { name, startTime, responseEnd } of performance.getEntriesByType(
        'resource',
      ) as PerformanceResourceTiming[]) {
        const [, source] =
          /\/api\/(updates\/api|updates|upgraded|router)\//.exec(new URL(name).pathname) ?? [];
        if (source === undefined) continue;
        const span = spans.get(source) ?? { from: startTime, to: responseEnd };
        spans.set(source, { from: Math.min(span.from, startTime), to: Math.max(span.to, responseEnd) });
      }
      const all = [...spans.values()];
      const firstMs = Math.min(...all.map(({ from }) => from));
      return { totalMs: endedMs - firstMs, slowestMs: Math.max(...all.map(({ from, to }) => to - from)) };
    })
    .then((handle) => handle.jsonValue())
    .then((times) => times ?? { totalMs: Number.NaN, slowestMs: Number.NaN });
}

async function measureDirectory(browser: Browser): Promise<Figure[]> {
  const service = await startLargeDirectory();
  const dashboard = await startDashboard({
    ROUTER_URL: service.origin,
    UPDATES_URL: service.origin,
    LOG_LEVEL: 'warn',
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${dashboard.origin}/prices?view=symbols`);
    await page.getByRole('rowheader').first().waitFor();
    const table = page.getByRole('table', { name: 'Symbols' });
    await table.hover();
    const scrolled = await longestTasks(page, async () => {
      for (let turn = 0; turn < 30; turn++) {
        await page.mouse.wheel(0, 1_500);
        await page.evaluate(() => new Promise(requestAnimationFrame));
      }
    });
    const field = page.getByRole('searchbox', { name: 'Find a symbol' });
    const typed = await longestTasks(page, async () => {
      await field.pressSequentially('crypto.c29', { delay: 60 });
      await page.getByText(/^\d+ of 3,000 symbols$/).waitFor();
    });
    const what = 'directory of 3,000 symbols';
    return [
      {
        what: `${what}, scrolled: longest task, processor time`,
        value: scrolled.processorMs,
        unit: 'ms',
        atMost: LONG_TASK_MS,
      },
      {
        what: `${what}, scrolled: longest task, by the clock`,
        value: scrolled.clockMs,
        unit: 'ms',
        aim: LONG_TASK_MS,
      },
      {
        what: `${what}, searched: longest task, processor time`,
        value: typed.processorMs,
        unit: 'ms',
        atMost: LONG_TASK_MS,
      },
      {
        what: `${what}, searched: longest task, by the clock`,
        value: typed.clockMs,
        unit: 'ms',
        aim: LONG_TASK_MS,
      },
    ];
  } finally {
    await dashboard.stop();
    service.stop();
  }
}
