import { type Browser, chromium, type Page } from '@playwright/test';
import { percentile } from './load';
import { type LongestTasks, longestTasks } from './main-thread';
import type { Figure } from './report';

const RUNS = 7;
/** Gate: elements of the whole page with 1,000 rows on it. */
const MOST_ELEMENTS = 3000;
/**
 * What the browser calls a long task, milliseconds. Anything under it keeps scrolling smooth. Held to in processor time,
 * as a busy machine makes a long task of any.
 */
const LONG_TASK_MS = 50;
const SCROLL_STEPS = 60;

const firstRow = 'table[aria-label="Requests"] tbody tr[data-row]';

/** From the moment something is done to the frame in which other rows stand there, milliseconds. */
async function doneToPainted(page: Page, act: () => Promise<unknown>): Promise<number> {
  await page.evaluate((selector) => {
    const keys = () =>
      [...document.querySelectorAll(selector)].map((row) => row.getAttribute('data-key')).join();
    const before = keys();
    const page = window as unknown as { painted: Promise<number>; begunAt: number };
    page.begunAt = performance.now();
    for (const kind of ['pointerdown', 'input', 'change'])
      addEventListener(kind, () => (page.begunAt = performance.now()), { capture: true, once: true });
    page.painted = new Promise((resolve) => {
      const look = () => {
        if (keys() === before) requestAnimationFrame(look);
        else requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - page.begunAt)));
      };
      requestAnimationFrame(look);
    });
  }, firstRow);
  await act();
  return page.evaluate(() => (window as unknown as { painted: Promise<number> }).painted);
}

async function medianOf(run: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < RUNS; index++) times.push(await run());
  return percentile(times, 0.5);
}

async function opened(browser: Browser, address: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  // The compiler of this script wraps functions in a helper, which does not exist inside the page.
  await page.addInitScript('globalThis.__name = (value) => value;');
  await page.goto(address);
  await page.locator(firstRow).first().waitFor();
  await page.getByRole('button', { name: 'Next page' }).waitFor();
  return page;
}

/** What a browser does with one view, and how long a user waits for it at the median of several pages. */
async function waitFor(
  browser: Browser,
  address: string,
  prepare: (page: Page) => Promise<unknown>,
  act: (page: Page) => Promise<unknown>,
): Promise<number> {
  return medianOf(async () => {
    const page = await opened(browser, address);
    await prepare(page);
    const ms = await doneToPainted(page, () => act(page));
    await page.close();
    return ms;
  });
}

async function paintFigures(browser: Browser, origin: string): Promise<Figure[]> {
  const all = `${origin}/requests?range=all`;
  const nothing = async () => undefined;
  const filter = await waitFor(
    browser,
    all,
    (page) => page.getByRole('combobox', { name: 'State', exact: true }).click(),
    (page) => page.getByRole('option', { name: 'Failed', exact: true }).click(),
  );
  const nextPage = await waitFor(browser, all, nothing, (page) =>
    page.getByRole('button', { name: 'Next page' }).click(),
  );
  const order = await waitFor(browser, all, nothing, (page) =>
    page
      .getByRole('columnheader', { name: /^Sequence/ })
      .getByRole('button')
      .click(),
  );
  const thousand = await waitFor(browser, all, nothing, (page) =>
    page.getByLabel('Rows per page').selectOption('1000'),
  );
  const answer = await (
    await fetch(`${origin}/api/logs/v1/logs?limit=${RUNS}&offset=500&state=Completed`)
  ).json();
  const hashes: string[] = answer.requests.map((row: { request_tx_hash: string }) => row.request_tx_hash);
  const pasted = await waitFor(browser, all, nothing, async (page) => {
    await page.getByLabel('Search', { exact: true }).focus();
    await page.keyboard.insertText(hashes.pop() ?? '');
  });
  const first = await medianOf(async () => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const begunMs = performance.now();
    await page.goto(`${origin}/requests`, { waitUntil: 'commit' });
    await page.locator(firstRow).first().waitFor();
    const ms = performance.now() - begunMs;
    await page.close();
    return ms;
  });
  return [
    { what: 'address entered to first row, median', value: first, unit: 'ms' },
    { what: 'filter chosen to rows painted, median', value: filter, unit: 'ms', aim: 180 },
    { what: 'next page to rows painted, median', value: nextPage, unit: 'ms', aim: 180 },
    { what: 'order chosen to rows painted, median', value: order, unit: 'ms', aim: 180 },
    { what: 'hash pasted to its row painted, median', value: pasted, unit: 'ms', aim: 250 },
    { what: '1,000 rows chosen to rows painted, median', value: thousand, unit: 'ms' },
  ];
}

async function panelFigure(browser: Browser, origin: string): Promise<Figure> {
  const page = await opened(browser, `${origin}/requests?range=all`);
  const open = (index: number) =>
    page.evaluate(
      ({ selector, index }) =>
        new Promise<number>((resolve) => {
          const row = document.querySelectorAll<HTMLElement>(selector)[index];
          const from = performance.now();
          row?.querySelector<HTMLElement>('td:nth-child(3)')?.click();
          const key = row?.getAttribute('data-key') ?? '';
          const look = () => {
            const panel = document.querySelector('[data-open-request]');
            if (panel?.getAttribute('data-open-request') !== key) requestAnimationFrame(look);
            else requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - from)));
          };
          requestAnimationFrame(look);
        }),
      { selector: firstRow, index },
    );
  // The first one loads the panel's own script.
  await open(0);
  let index = 0;
  const value = await medianOf(() => open(++index));
  await page.close();
  return { what: 'row chosen to panel painted, median', value, unit: 'ms', aim: 50 };
}

/** From the first row to the last in steps, each as soon as the one before is on screen. */
async function scrollThrough(page: Page): Promise<void> {
  await page.evaluate(
    async ({ steps }) => {
      const scroller = document.querySelector('table[aria-label="Requests"]')?.parentElement;
      for (let step = 1; step <= steps; step++) {
        scroller?.scrollTo(0, (scroller.scrollHeight * step) / steps);
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 16)));
      }
    },
    { steps: SCROLL_STEPS },
  );
}

async function scrollFigures(browser: Browser, origin: string): Promise<Figure[]> {
  const tasks: LongestTasks[] = [];
  const elements: number[] = [];
  for (let index = 0; index < RUNS; index++) {
    const page = await opened(browser, `${origin}/requests?range=all&size=1000`);
    const count = () => page.evaluate(() => document.querySelectorAll('*').length);
    elements.push(await count());
    tasks.push(await longestTasks(page, () => scrollThrough(page)));
    elements.push(await count());
    await page.close();
  }
  const median = (of: (task: LongestTasks) => number) => percentile(tasks.map(of), 0.5);
  const longest = 'longest task while scrolling 1,000 rows, median';
  return [
    {
      what: 'elements of the page with 1,000 rows',
      value: Math.max(...elements),
      unit: '',
      atMost: MOST_ELEMENTS,
    },
    {
      what: `${longest}: processor time`,
      value: median(({ processorMs }) => processorMs),
      unit: 'ms',
      atMost: LONG_TASK_MS,
    },
    {
      what: `${longest}: by the clock`,
      value: median(({ clockMs }) => clockMs),
      unit: 'ms',
      aim: LONG_TASK_MS,
    },
  ];
}

/** From the address of the overview to its last panel. */
async function overviewFigure(browser: Browser, origin: string): Promise<Figure> {
  const value = await medianOf(async () => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const begunMs = performance.now();
    await page.goto(origin, { waitUntil: 'commit' });
    await page.getByRole('table', { name: 'Most requests' }).waitFor();
    await page.waitForFunction(
      () =>
        document.querySelector('main [aria-busy="true"]') === null &&
        document.querySelectorAll('main .recharts-surface').length === 2,
    );
    const ms = performance.now() - begunMs;
    await page.close();
    return ms;
  });
  return { what: 'overview entered to its last panel, median', value, unit: 'ms', aim: 1000 };
}

/** How soon rows are painted once the service has answered, and what a page of 1,000 rows weighs. */
export async function measureExplorer(origin: string): Promise<Figure[]> {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || undefined });
  try {
    return [
      ...(await paintFigures(browser, origin)),
      await overviewFigure(browser, origin),
      await panelFigure(browser, origin),
      ...(await scrollFigures(browser, origin)),
    ];
  } finally {
    await browser.close();
  }
}
