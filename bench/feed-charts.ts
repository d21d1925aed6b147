import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from '@playwright/test';
import { type Control, controlOf } from '@/e2e/control';
import { longestTaskMs, mainThreadShare, withBrowser } from './browser';
import { type Figure, figure, type Limits } from './report';

const CHARTS = 8;
const LISTED = 60;
/** Share of the main thread in percent, and longest task in ms, both of processor time. */
const SHARE_OF_CHARTS: Limits = { atMost: 12 };
const SHARE_OF_LIST: Limits = { atMost: 15 };
const SHARE_OF_PAGE: Limits = { atMost: 8 };
/** Percent of the frames of the page of one feed. */
const DROPPED_OF_PAGE: Limits = { aim: 1 };
const FRAME_MS = 1000 / 60;
const LONG_TASK_MS = 50;
/** Relative to the beginning of the measured hour. */
const MAX_HEAP_GROWTH = 1.1;
/** Minimum updates in each of the eight charts. */
const MIN_POINTS = 300;
const POINTS_TIMEOUT_MS = 90_000;

const SETTLE_MS = 3000;
const WATCHED_MS = 8000;

/** A board keeps half an hour, so it evicts by the time the measured hour begins. */
const SPEED = 120;
const FILLED_MS = (40 * 60_000) / SPEED;
const HOUR_MS = 3_600_000 / SPEED;

async function opened(
  browser: Browser,
  origin: string,
  ids: readonly string[],
  size: 'list' | 'm',
): Promise<Page> {
  // Tall enough for the whole board, because charts off screen are not drawn.
  const page = await browser.newPage({
    viewport: { width: 1440, height: ids.length > CHARTS ? 7000 : 1400 },
  });
  page.setDefaultTimeout(POINTS_TIMEOUT_MS);
  await page.goto(`${origin}/feeds?ids=${ids.join(',')}&size=${size}`);
  await page.waitForFunction(
    (count) => document.querySelectorAll('[role="img"][aria-label^="Chart of"] svg').length >= count,
    ids.length,
  );
  return page;
}

/** Points that the label of each chart tells; the fewest of any. */
function minPoints(page: Page): Promise<number> {
  return page.evaluate(() => {
    const labels = [...document.querySelectorAll('[role="img"][aria-label^="Chart of"]')];
    const counts = labels.map(
      (label) => /([\d,]+) updates? in/.exec(label.getAttribute('aria-label') ?? '')?.[1],
    );
    return Math.min(...counts.map((digits) => Number((digits ?? '0').replaceAll(',', ''))));
  });
}

async function untilPoints(page: Page, wanted: number): Promise<number> {
  const deadline = performance.now() + POINTS_TIMEOUT_MS;
  for (;;) {
    const points = await minPoints(page);
    if (points >= wanted || performance.now() > deadline) return points;
    await sleep(500);
  }
}

type Use = { share: number; longestMs: number };

async function watched(page: Page): Promise<Use> {
  await sleep(SETTLE_MS);
  const share = await mainThreadShare(page, () => sleep(WATCHED_MS));
  return { share, longestMs: await longestTaskMs(page, () => sleep(WATCHED_MS / 2)) };
}

function figuresOf(what: string, use: Use, share: Limits, longest?: number): Figure[] {
  return [
    figure(`${what}: share of the main thread`, use.share * 100, '%', share),
    figure(`${what}: longest task`, use.longestMs, 'ms', { atMost: longest }),
  ];
}

/** Returns percent. On a busy machine it includes frames that other processes cause. */
function droppedFrames(page: Page): Promise<number> {
  return page.evaluate(
    async ([watchedMs, frameMs]) => {
      // No function with a name: the compiler of these tools wraps it in a helper that the page lacks.
      const first = await new Promise(requestAnimationFrame);
      let [last, dropped] = [first, 0];
      while (last - first < watchedMs) {
        const ms = await new Promise(requestAnimationFrame);
        dropped += Math.max(0, Math.round((ms - last) / frameMs) - 1);
        last = ms;
      }
      return (100 * dropped * frameMs) / (last - first);
    },
    [WATCHED_MS, FRAME_MS] as const,
  );
}

async function pageFigures(browser: Browser, origin: string, id: string): Promise<Figure[]> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 1000 } });
  await page.goto(`${origin}/feeds/${id}?window=5m`);
  await page.locator('.line-price path').first().waitFor({ state: 'attached', timeout: POINTS_TIMEOUT_MS });
  const what = 'page of one feed';
  const use = await watched(page);
  const dropped = await droppedFrames(page);
  await page.close();
  return [
    ...figuresOf(what, use, SHARE_OF_PAGE, LONG_TASK_MS),
    figure(`${what}: dropped frames`, dropped, '%', DROPPED_OF_PAGE),
  ];
}

/** Heap after a garbage collection. */
async function heapMb(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1e6;
}

async function heapFigures(page: Page, control: Control): Promise<Figure[]> {
  await control.clock({ speed: SPEED });
  await sleep(FILLED_MS);
  const mbBefore = await heapMb(page);
  await sleep(HOUR_MS);
  const mbAfter = await heapMb(page);
  await control.clock({ speed: 1 });
  const what = `heap of a list of ${LISTED} feeds, an hour of the sandbox’s clock`;
  return [
    figure(`${what}: before`, mbBefore, 'MB'),
    figure(`${what}: after`, mbAfter, 'MB'),
    figure(`${what}: after / before`, mbAfter / mbBefore, 'times', { atMost: MAX_HEAP_GROWTH }),
  ];
}

/** `ids`: at least 60 feeds with an update in every slot; the first eight have been watched for two minutes. */
export function measureFeedCharts(
  origin: string,
  sandbox: string,
  ids: readonly string[],
): Promise<Figure[]> {
  return withBrowser(async (browser) => {
    const eight = await opened(browser, origin, ids.slice(0, CHARTS), 'm');
    const points = await untilPoints(eight, MIN_POINTS);
    const charts = `${CHARTS} charts`;
    const eightUses = await watched(eight);
    await eight.close();
    const ofPage = await pageFigures(browser, origin, ids[0] ?? '');
    const board = await opened(browser, origin, ids.slice(0, LISTED), 'list');
    const boardUses = await watched(board);
    return [
      figure(`${charts}: updates that each spans`, points, '', { atLeast: MIN_POINTS }),
      ...figuresOf(charts, eightUses, SHARE_OF_CHARTS, LONG_TASK_MS),
      ...ofPage,
      ...figuresOf(`list of ${LISTED} feeds`, boardUses, SHARE_OF_LIST),
      ...(await heapFigures(board, controlOf(sandbox))),
    ];
  });
}
