import type { Browser, Page } from '@playwright/test';
import { longestTaskMs, withBrowser, withPage } from './browser';
import { median, medianOf } from './load';
import { type Figure, figure } from './report';

const RUNS = 7;
/** Gate of the whole page with 1,000 rows. */
const MAX_ELEMENTS = 3000;
/** Processor time of a task while scrolling, ms. Browsers call more a long task. */
const MAX_TASK_MS = 50;
const SCROLL_STEPS = 60;
/** Gates: the first row over the same page without scripts, and an action over entering the address anew. */
const MAX_FIRST_ROW_RATIO = 1.3;
const MAX_ACTION_RATIO = 0.7;

const FIRST_ROW = 'table[aria-label="Requests"] tbody tr[data-row]';

type Measured = { painted: Promise<number>; whenPainted(isThere: () => boolean): Promise<number> };

/**
 * `whenPainted`: page time at which a condition holds and a frame has shown it. The compiler wraps functions in
 * `__name`, which a page lacks.
 */
const IN_PAGE = `globalThis.__name = (value) => value;
globalThis.whenPainted = (isThere) => new Promise((resolve) => {
  const check = () => requestAnimationFrame(() => {
    if (isThere()) requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
    else check();
  });
  check();
});`;

/** Time from the first input event of `act` to the frame that shows other rows, ms. */
async function inputToPainted(page: Page, act: () => Promise<unknown>): Promise<number> {
  await page.evaluate((selector) => {
    const keys = () =>
      [...document.querySelectorAll(selector)].map((row) => row.getAttribute('data-key')).join();
    const before = keys();
    let begunAt = performance.now();
    for (const kind of ['pointerdown', 'input', 'change'])
      addEventListener(kind, () => (begunAt = performance.now()), { capture: true, once: true });
    const measured = window as unknown as Measured;
    measured.painted = measured.whenPainted(() => keys() !== before).then((at) => at - begunAt);
  }, FIRST_ROW);
  await act();
  return page.evaluate(() => (window as unknown as Measured).painted);
}

/** Chromium without a screen sometimes stops drawing a page for good, so such a run is repeated once. */
const STALLED_MS = 60_000;
const STALLED = new Error('The browser stopped drawing.');

function withTable<T>(browser: Browser, origin: string, run: (page: Page) => Promise<T>, more = '') {
  const measured = async (page: Page) => {
    await page.goto(`${origin}/requests?range=all${more}`);
    await page.locator(FIRST_ROW).first().waitFor();
    await page.getByRole('button', { name: 'Next page' }).waitFor();
    await page.locator('main .recharts-surface path').first().waitFor();
    await page.waitForTimeout(1000);
    const stalled = page.waitForTimeout(STALLED_MS).then(() => Promise.reject(STALLED));
    return Promise.race([run(page), stalled]);
  };
  const attempt = () => withPage(browser, measured, { script: IN_PAGE });
  return attempt().catch((error: unknown) => {
    if (error !== STALLED) throw error;
    return attempt();
  });
}

let hashPage = 100;
/** Another old request each time. */
async function oldHash(page: Page): Promise<string> {
  hashPage += 1;
  const { origin } = new URL(page.url());
  const answer = await page.request.get(`${origin}/api/view/requests?range=all&page=${hashPage}`);
  return JSON.parse((await answer.json()).rows[0].row).request_tx_hash;
}

type Action = {
  name: string;
  aim: number;
  prepare?: (page: Page) => Promise<unknown>;
  act: (page: Page, prepared: unknown) => Promise<unknown>;
};

/** Each action has the ms to aim at. */
const ACTIONS: Action[] = [
  {
    name: 'filter chosen',
    aim: 180,
    prepare: async (page) => {
      await page.getByRole('combobox', { name: 'State', exact: true }).click();
      await page.waitForTimeout(300);
    },
    act: (page) => page.getByRole('option', { name: 'Failed', exact: true }).click(),
  },
  { name: 'next page', aim: 180, act: (page) => page.getByRole('button', { name: 'Next page' }).click() },
  {
    name: 'order chosen',
    aim: 180,
    act: (page) =>
      page
        .getByRole('columnheader', { name: /^Sequence/ })
        .getByRole('button')
        .click(),
  },
  {
    name: 'hash pasted',
    aim: 250,
    prepare: oldHash,
    act: (page, hash) => page.getByLabel('Search', { exact: true }).fill(String(hash)),
  },
];

async function actionFigures(
  browser: Browser,
  origin: string,
  firstRowMs: number,
  { name, aim, prepare, act }: Action,
): Promise<Figure[]> {
  const once = async (page: Page) => {
    const prepared = await prepare?.(page);
    return inputToPainted(page, () => act(page, prepared));
  };
  const value = await medianOf(RUNS, () => withTable(browser, origin, once));
  return [
    figure(`${name} to rows painted, median`, value, 'ms', { aim }),
    figure(`${name} / address entered`, value / firstRowMs, 'times', { atMost: MAX_ACTION_RATIO }),
  ];
}

/** `isBare`: the same page without its scripts, which no page can beat. */
function firstRowMs(browser: Browser, origin: string, isBare: boolean): Promise<number> {
  const once = async (page: Page) => {
    if (isBare) await page.route('**/*.js', (route) => route.abort());
    await page.goto(`${origin}/requests`, { waitUntil: 'commit' });
    return page.evaluate(
      (selector) =>
        (window as unknown as Measured).whenPainted(() => document.querySelector(selector) !== null),
      FIRST_ROW,
    );
  };
  return withPage(browser, once, { script: IN_PAGE });
}

async function firstRow(browser: Browser, origin: string): Promise<{ ms: number; figures: Figure[] }> {
  const ours: number[] = [];
  const bare: number[] = [];
  // In turns, so that other load meets both.
  for (let run = 0; run < RUNS; run++) {
    bare.push(await firstRowMs(browser, origin, true));
    ours.push(await firstRowMs(browser, origin, false));
  }
  const ms = median(ours);
  const ratio = ms / median(bare);
  return {
    ms,
    figures: [
      figure('address entered to first row painted, median', ms, 'ms'),
      figure('the same / the page without its scripts', ratio, 'times', { atMost: MAX_FIRST_ROW_RATIO }),
    ],
  };
}

/** Scrolls in steps, each after a frame has shown the one before. */
const scrollThrough = (page: Page) =>
  page.evaluate(async (steps) => {
    const scroller = document.querySelector('table[aria-label="Requests"]')?.parentElement;
    for (let step = 1; step <= steps; step++) {
      scroller?.scrollTo(0, (scroller.scrollHeight * step) / steps);
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 16)));
    }
  }, SCROLL_STEPS);

async function scrollFigures(browser: Browser, origin: string): Promise<Figure[]> {
  const elements: number[] = [];
  const tasks: number[] = [];
  const once = async (page: Page) => {
    const count = () => page.evaluate(() => document.querySelectorAll('*').length);
    elements.push(await count());
    tasks.push(await longestTaskMs(page, () => scrollThrough(page)));
    elements.push(await count());
  };
  for (let run = 0; run < RUNS; run++) await withTable(browser, origin, once, '&size=1000');
  return [
    figure('elements of the page with 1,000 rows', Math.max(...elements), '', { atMost: MAX_ELEMENTS }),
    figure('longest task while scrolling 1,000 rows, median', median(tasks), 'ms', { atMost: MAX_TASK_MS }),
  ];
}

export const measureTable = (origin: string): Promise<Figure[]> =>
  withBrowser(async (browser) => {
    const { ms, figures } = await firstRow(browser, origin);
    for (const action of ACTIONS) figures.push(...(await actionFigures(browser, origin, ms, action)));
    return [...figures, ...(await scrollFigures(browser, origin))];
  });
