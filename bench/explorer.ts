import type { Browser, Page } from '@playwright/test';
import { type LongestTasks, longestTasks, withBrowser } from './browser';
import { percentile } from './load';
import { type Figure, figure } from './report';

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

const newPage = (browser: Browser) => browser.newPage({ viewport: { width: 1440, height: 900 } });

async function opened(browser: Browser, address: string): Promise<Page> {
  const page = await newPage(browser);
  // The compiler of this script wraps functions in a helper, which does not exist inside the page.
  await page.addInitScript('globalThis.__name = (value) => value;');
  await page.goto(address);
  await page.locator(firstRow).first().waitFor();
  await page.getByRole('button', { name: 'Next page' }).waitFor();
  // Nobody chooses anything while the page still builds itself up.
  await page.locator('main .recharts-surface path').first().waitFor();
  await page.waitForTimeout(1000);
  return page;
}

type Deed = (page: Page) => Promise<unknown>;

/** The transaction of a request of long ago, another one each time. */
const hashes = {
  page: 100,
  hash: '',
  async next(page: Page) {
    this.page += 1;
    const answer = await page.request.get(
      `${new URL(page.url()).origin}/api/view/requests?range=all&page=${this.page}`,
    );
    this.hash = JSON.parse((await answer.json()).rows[0].row).request_tx_hash;
  },
};

/** What a browser does with all rows, after what prepares it, and how long its user may wait for it, milliseconds. */
const DEEDS: { what: string; aim?: number; prepare?: Deed; act: Deed }[] = [
  {
    what: 'filter chosen',
    aim: 180,
    prepare: (page) => page.getByRole('combobox', { name: 'State', exact: true }).click(),
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
    prepare: (page) => hashes.next(page),
    act: (page) => page.getByLabel('Search', { exact: true }).fill(hashes.hash),
  },
  { what: '1,000 rows chosen', act: (page) => page.getByLabel('Rows per page').selectOption('1000') },
];

async function paintFigures(browser: Browser, origin: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { what, aim, prepare, act } of DEEDS) {
    const value = await medianOf(async () => {
      const page = await opened(browser, `${origin}/requests?range=all`);
      await prepare?.(page);
      const ms = await doneToPainted(page, () => act(page));
      await page.close();
      return ms;
    });
    figures.push(figure(`${what} to rows painted, median`, value, 'ms', { aim }));
  }
  return figures;
}

/** From an address to what shows that its page is complete, as the page itself sees it. */
function entered(browser: Browser, address: string, isThere: () => boolean): Promise<number> {
  return medianOf(async () => {
    const page = await newPage(browser);
    await page.addInitScript(`(() => {
      const isThere = ${isThere};
      const look = () => requestAnimationFrame(() => (isThere() ? setTimeout(() => (globalThis.thereMs = performance.now())) : look()));
      look();
    })()`);
    await page.goto(address, { waitUntil: 'commit' });
    const found = await page.waitForFunction(() => (globalThis as { thereMs?: number }).thereMs);
    const ms = (await found.jsonValue()) ?? Number.NaN;
    await page.close();
    return ms;
  });
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
  for (let index = 0; index < RUNS; index++) {
    const page = await opened(browser, `${origin}/requests?range=all&size=1000`);
    const count = () => page.evaluate(() => document.querySelectorAll('*').length);
    elements.push(await count());
    tasks.push(await longestTasks(page, () => scrollThrough(page)));
    elements.push(await count());
    await page.close();
  }
  const median = (of: keyof LongestTasks) =>
    percentile(
      tasks.map(({ [of]: ms }) => ms),
      0.5,
    );
  const longest = 'longest task while scrolling 1,000 rows, median';
  const most = Math.max(...elements);
  return [
    figure('elements of the page with 1,000 rows', most, '', { atMost: MOST_ELEMENTS }),
    figure(`${longest}: processor time`, median('processorMs'), 'ms', { atMost: LONG_TASK_MS }),
    figure(`${longest}: by the clock`, median('clockMs'), 'ms', { aim: LONG_TASK_MS }),
  ];
}

/** How soon rows are painted once the service has answered, and what a page of 1,000 rows weighs. */
export const measureExplorer = (origin: string): Promise<Figure[]> =>
  withBrowser(async (browser) => [
    ...(await enteredFigures(browser, origin)),
    ...(await paintFigures(browser, origin)),
    await panelFigure(browser, origin),
    ...(await scrollFigures(browser, origin)),
  ]);
