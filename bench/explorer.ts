import type { Browser, Page } from '@playwright/test';
import { type LongestTasks, longestTasks, withBrowser, withPage } from './browser';
import { median, medianOf } from './load';
import { type Figure, figure } from './report';

const RUNS = 7;
/** Gate: elements of the whole page with 1,000 rows on it. */
const MAX_ELEMENTS = 3000;
/**
 * What the browser calls a long task, milliseconds. Anything under it keeps scrolling smooth. Held to in processor time,
 * as a busy machine makes a long task of any.
 */
const LONG_TASK_MS = 50;
const SCROLL_STEPS = 60;

const firstRow = 'table[aria-label="Requests"] tbody tr[data-row]';

/** What the scripts of a measured page find there. */
type Measured = { painted: Promise<number>; whenPainted(isThere: () => boolean): Promise<number> };

/**
 * `whenPainted`: the time of the page at which something stands there and a frame has shown it. The compiler of these scripts
 * wraps functions in `__name`, which does not exist inside a page.
 */
const IN_PAGE = `globalThis.__name = (value) => value;
globalThis.whenPainted = (isThere) => new Promise((resolve) => {
  const look = () => requestAnimationFrame(() => {
    if (isThere()) requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
    else look();
  });
  look();
});`;

/** From the moment something is done to the frame in which other rows stand there, milliseconds. */
async function doneToPainted(page: Page, act: () => Promise<unknown>): Promise<number> {
  await page.evaluate((selector) => {
    const keys = () =>
      [...document.querySelectorAll(selector)].map((row) => row.getAttribute('data-key')).join();
    const before = keys();
    let begunAt = performance.now();
    for (const kind of ['pointerdown', 'input', 'change'])
      addEventListener(kind, () => (begunAt = performance.now()), { capture: true, once: true });
    const measured = window as unknown as Measured;
    measured.painted = measured.whenPainted(() => keys() !== before).then((at) => at - begunAt);
  }, firstRow);
  await act();
  return page.evaluate(() => (window as unknown as Measured).painted);
}

/** The table of all requests. */
function withTable<T>(
  browser: Browser,
  origin: string,
  run: (page: Page) => Promise<T>,
  more = '',
): Promise<T> {
  const measured = async (page: Page) => {
    await page.goto(`${origin}/requests?range=all${more}`);
    await page.locator(firstRow).first().waitFor();
    await page.getByRole('button', { name: 'Next page' }).waitFor();
    // Nobody chooses anything while the page still builds itself up.
    await page.locator('main .recharts-surface path').first().waitFor();
    await page.waitForTimeout(1000);
    return Promise.race([run(page), stopsDrawing(page)]);
  };
  const again = (error: unknown) => {
    if (!(error instanceof StoppedDrawing)) throw error;
    console.error('The browser stopped drawing: measured again.');
    return withPage(browser, measured, { script: IN_PAGE });
  };
  return withPage(browser, measured, { script: IN_PAGE }).catch(again);
}

class StoppedDrawing extends Error {}

/** No run takes so long, milliseconds. */
const LONG_MS = 20_000;

/**
 * Now and then Chromium 156 without a screen stops drawing a page for good: its scheduler waits for tiles that never become
 * ready, whether it is traced or not. That is no measure of the page. @throws StoppedDrawing
 */
async function stopsDrawing(page: Page): Promise<never> {
  for (;;) {
    await page.waitForTimeout(LONG_MS);
    const draws = await page.evaluate(
      (mostMs) =>
        new Promise((resolve) => {
          requestAnimationFrame(() => resolve(true));
          setTimeout(() => resolve(false), mostMs);
        }),
      LONG_MS / 4,
    );
    if (!draws) throw new StoppedDrawing();
  }
}

let hashPage = 100;
/** The transaction of a request of long ago, another one each time. */
async function oldHash(page: Page): Promise<string> {
  hashPage += 1;
  const { origin } = new URL(page.url());
  const answer = await page.request.get(`${origin}/api/view/requests?range=all&page=${hashPage}`);
  return JSON.parse((await answer.json()).rows[0].row).request_tx_hash;
}

type Deed = {
  what: string;
  aim?: number;
  prepare?: (page: Page) => Promise<unknown>;
  act: (page: Page, prepared: unknown) => Promise<unknown>;
};

/** What a browser does with all rows, after what prepares it, and how long its user may wait for it, milliseconds. */
const DEEDS: Deed[] = [
  {
    what: 'filter chosen',
    aim: 180,
    prepare: async (page) => {
      await page.getByRole('combobox', { name: 'State', exact: true }).click();
      // Nobody chooses from a list that is still opening.
      await page.waitForTimeout(300);
    },
    act: (page) => page.getByRole('option', { name: 'Failed', exact: true }).click(),
  },
  { what: 'next page', aim: 180, act: (page) => page.getByRole('button', { name: 'Next page' }).click() },
  {
    what: 'order chosen',
    aim: 180,
    act: (page) =>
      page
        .getByRole('columnheader', { name: /^Sequence/ })
        .getByRole('button')
        .click(),
  },
  {
    what: 'hash pasted',
    aim: 250,
    prepare: oldHash,
    act: (page, hash) => page.getByLabel('Search', { exact: true }).fill(String(hash)),
  },
  { what: '1,000 rows chosen', act: (page) => page.getByLabel('Rows per page').selectOption('1000') },
];

async function paintFigures(browser: Browser, origin: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { what, aim, prepare, act } of DEEDS) {
    const once = async (page: Page) => {
      const prepared = await prepare?.(page);
      return doneToPainted(page, () => act(page, prepared));
    };
    const value = await medianOf(RUNS, () => withTable(browser, origin, once));
    figures.push(figure(`${what} to rows painted, median`, value, 'ms', { aim }));
  }
  return figures;
}

/** From an address to what shows that its page is complete, as the page itself sees it. */
function entered(browser: Browser, address: string, isThere: () => boolean): Promise<number> {
  const script = `(() => {
    const isThere = ${isThere};
    const look = () => requestAnimationFrame(() => (isThere() ? setTimeout(() => (globalThis.thereMs = performance.now())) : look()));
    look();
  })()`;
  const once = async (page: Page) => {
    await page.goto(address, { waitUntil: 'commit' });
    const found = await page.waitForFunction(() => (globalThis as { thereMs?: number }).thereMs);
    return (await found.jsonValue()) ?? Number.NaN;
  };
  return medianOf(RUNS, () => withPage(browser, once, { script }));
}

async function enteredFigures(browser: Browser, origin: string): Promise<Figure[]> {
  const rows = await entered(
    browser,
    `${origin}/requests`,
    () => document.querySelector('table[aria-label="Requests"] tbody tr[data-row]') !== null,
  );
  const overview = await entered(
    browser,
    origin,
    () =>
      document.querySelector('table[aria-label="Most requests"]') !== null &&
      document.querySelector('main [aria-busy="true"]') === null &&
      document.querySelectorAll('main .recharts-surface').length === 2,
  );
  return [
    figure('address entered to first row, median', rows, 'ms'),
    figure('overview entered to its last panel, median', overview, 'ms', { aim: 1000 }),
  ];
}

async function panelFigure(page: Page): Promise<Figure> {
  const open = (index: number) =>
    page.evaluate(
      async ({ selector, index }) => {
        const row = document.querySelectorAll<HTMLElement>(selector)[index];
        const from = performance.now();
        row?.querySelector<HTMLElement>('td:nth-child(3)')?.click();
        const panel = `[data-open-request="${CSS.escape(row?.getAttribute('data-key') ?? '')}"]`;
        const { whenPainted } = window as unknown as Measured;
        return (await whenPainted(() => document.querySelector(panel) !== null)) - from;
      },
      { selector: firstRow, index },
    );
  // The first one loads the panel's own script.
  await open(0);
  const value = await medianOf(RUNS, (n) => open(n + 1));
  return figure('row chosen to panel painted, median', value, 'ms', { aim: 50 });
}

/** From the first row to the last in steps, each as soon as the one before is on screen. */
const scrollThrough = (page: Page) =>
  page.evaluate(async (steps) => {
    const scroller = document.querySelector('table[aria-label="Requests"]')?.parentElement;
    for (let step = 1; step <= steps; step++) {
      scroller?.scrollTo(0, (scroller.scrollHeight * step) / steps);
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 16)));
    }
  }, SCROLL_STEPS);

async function scrollFigures(browser: Browser, origin: string): Promise<Figure[]> {
  const tasks: LongestTasks[] = [];
  const elements: number[] = [];
  const once = async (page: Page) => {
    const count = () => page.evaluate(() => document.querySelectorAll('*').length);
    elements.push(await count());
    tasks.push(await longestTasks(page, () => scrollThrough(page)));
    elements.push(await count());
  };
  for (let run = 0; run < RUNS; run++) await withTable(browser, origin, once, '&size=1000');
  const longest = 'longest task while scrolling 1,000 rows, median';
  const most = Math.max(...elements);
  return [
    figure('elements of the page with 1,000 rows', most, '', { atMost: MAX_ELEMENTS }),
    figure(`${longest}: processor time`, median(tasks.map(({ processorMs }) => processorMs)), 'ms', {
      atMost: LONG_TASK_MS,
    }),
    figure(`${longest}: by the clock`, median(tasks.map(({ clockMs }) => clockMs)), 'ms', {
      aim: LONG_TASK_MS,
    }),
  ];
}

/** How soon rows are painted once the service has answered, and what a page of 1,000 rows weighs. */
export const measureExplorer = (origin: string): Promise<Figure[]> =>
  withBrowser(async (browser) => [
    ...(await enteredFigures(browser, origin)),
    ...(await paintFigures(browser, origin)),
    await withTable(browser, origin, panelFigure),
    ...(await scrollFigures(browser, origin)),
  ]);
