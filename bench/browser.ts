import { type Browser, chromium, type Page } from '@playwright/test';

export async function withBrowser<T>(run: (browser: Browser) => Promise<T>): Promise<T> {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || undefined });
  try {
    return await run(browser);
  } finally {
    await browser.close();
  }
}

/** `script` runs before all scripts of the page. */
export async function withPage<T>(
  browser: Browser,
  run: (page: Page) => Promise<T>,
  { height = 900, script = '' } = {},
): Promise<T> {
  const page = await browser.newPage({ viewport: { width: 1440, height } });
  try {
    await page.addInitScript(script);
    return await run(page);
  } finally {
    await page.close();
  }
}

/** `tdur` is the thread's processor time in microseconds. */
type TraceEvent = {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  tdur?: number;
  args?: { name?: string };
};

const threadOf = ({ pid, tid }: TraceEvent) => `${pid}/${tid}`;

/**
 * Longest task in ms of processor time, which other load does not lengthen, from the browser's trace. No other page may
 * be open.
 */
export async function longestTaskMs(page: Page, act: () => Promise<unknown>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    for (const event of value) events.push(event as unknown as TraceEvent);
  });
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['disabled-by-default-lighthouse'] },
  });
  await act();
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  const isMain = ({ name, args }: TraceEvent) => name === 'thread_name' && args?.name === 'CrRendererMain';
  const mains = new Set(events.filter(isMain).map(threadOf));
  const tasks = events.filter((event) => event.name.endsWith('RunTask') && mains.has(threadOf(event)));
  // If there were no task, the result would seem to be the best.
  if (tasks.length === 0) throw new Error('The browser’s trace holds no task of a page.');
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}

/** Processor time, 0 to 1. Measured without tracing, which costs a live page nearly as much again. */
export async function mainThreadShare(page: Page, act: () => Promise<unknown>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const threadS = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'ThreadTime')?.value ?? Number.NaN;
  };
  const beforeS = await threadS();
  const begunMs = performance.now();
  await act();
  const afterS = await threadS();
  const endedMs = performance.now();
  await session.detach();
  return (afterS - beforeS) / ((endedMs - begunMs) / 1000);
}
