import type { Page } from '@playwright/test';
import { longestTaskMs, withBrowser, withPage } from './browser';
import { median } from './load';
import { type Figure, figure } from './report';

const RUNS = 7;
/** Gate: elements of the whole page with 1,000 rows on it. */
const MAX_ELEMENTS = 3000;
/** Gate: longest task while scrolling, ms of processor time. Browsers call more a long task. */
const MAX_TASK_MS = 50;
const SCROLL_STEPS = 60;

/** Scrolls from the first row to the last in steps, each after a frame has shown the one before. */
const scrollThrough = (page: Page) =>
  page.evaluate(async (steps) => {
    const scroller = document.querySelector('table[aria-label="Requests"]')?.parentElement;
    for (let step = 1; step <= steps; step++) {
      scroller?.scrollTo(0, (scroller.scrollHeight * step) / steps);
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 16)));
    }
  }, SCROLL_STEPS);

/** The weight of a table of 1,000 rows, and of scrolling it. */
export const measureTable = (origin: string): Promise<Figure[]> =>
  withBrowser(async (browser) => {
    const elements: number[] = [];
    const tasks: number[] = [];
    const scroll = async (page: Page) => {
      await page.goto(`${origin}/requests?range=all&size=1000`);
      await page.locator('table[aria-label="Requests"] tbody tr[data-row]').first().waitFor();
      await page.locator('main .recharts-surface path').first().waitFor();
      await page.waitForTimeout(1000);
      const count = () => page.evaluate(() => document.querySelectorAll('*').length);
      elements.push(await count());
      tasks.push(await longestTaskMs(page, () => scrollThrough(page)));
      elements.push(await count());
    };
    for (let run = 0; run < RUNS; run++) await withPage(browser, scroll);
    return [
      figure('elements of the page with 1,000 rows', Math.max(...elements), '', { atMost: MAX_ELEMENTS }),
      figure('longest task while scrolling 1,000 rows, median', median(tasks), 'ms', { atMost: MAX_TASK_MS }),
    ];
  });
