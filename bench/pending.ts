import { type Browser, chromium, type Page } from '@playwright/test';
import { type Control, controlOf } from '@/e2e/control';
import { type Dashboard, startDashboard } from '@/e2e/dashboard';
import { type LongestTasks, longestTasks } from './main-thread';
import type { Figure } from './report';

/**
 * Gates: calls to the services for the first view of 10,000 pending on 14 networks, and the browser's longest task, in
 * processor time (on a busy machine the clock tells of the others as well).
 */
const MOST_CALLS = 60;
const LONGEST_TASK_MS = 100;
/** Aim: from the last answer of a service to all incidents on screen. */
const ON_SCREEN_AIM_MS = 3000;
const PATIENCE_MS = 60_000;
/** The page goes on being used: it asks again, and its figures change. */
const WATCHED_MS = 15_000;

type InPage = { seen: Promise<number> };

/**
 * Runs in the page, before its own scripts: notes when all incidents of a whole look stand there. A text, since the
 * runner gives functions names by a helper that the page does not have.
 */
const watchThePage = (incidents: number) => `
  window.seen = new Promise((resolve) => {
    const look = () => {
      const said = document.querySelector('[data-status="stuck"] [role="status"]')?.textContent ?? '';
      const shown = document.querySelectorAll('tr[data-incident]').length;
      if (shown < ${incidents} || !/^[\\d,]+ requests are stuck/.test(said)) requestAnimationFrame(look);
      else requestAnimationFrame(() => setTimeout(() => resolve(Date.now())));
    };
    requestAnimationFrame(look);
  });
`;

async function callsOf(control: Control): Promise<number> {
  const counts = await Promise.all(['logs:main', 'logs:test'].map((service) => control.calls(service)));
  return counts.reduce((sum, { total }) => sum + total, 0);
}

/** Unix ms: when a log service last answered, as the dashboard itself has it. */
async function lastAnswerMs(origin: string): Promise<number> {
  const { services } = (await (await fetch(`${origin}/api/health`)).json()) as {
    services: Record<string, { checkedAt: string | null }>;
  };
  const times = Object.entries(services).flatMap(([name, { checkedAt }]) =>
    name.startsWith('logs:') && checkedAt !== null ? Date.parse(checkedAt) : [],
  );
  return Math.max(...times);
}

/** Somebody opens the gravest incident, and leaves the page open. */
async function useThePage(page: Page): Promise<void> {
  await page.locator('tr[data-incident]').first().getByRole('button').click();
  await page
    .getByText(/oldest first|^The oldest/)
    .first()
    .waitFor();
  await page.waitForTimeout(WATCHED_MS);
}

/** Times in unix ms; `seenMs`: when all incidents stood there. */
type FirstView = LongestTasks & { begunMs: number; answeredMs: number; seenMs: number; calls: number };

async function firstView(browser: Browser, { origin, sandbox }: Dashboard): Promise<FirstView> {
  const control = controlOf(sandbox);
  const { incidents } = await control.scenario('flood');
  await control.forgetCalls();
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(PATIENCE_MS);
  await page.addInitScript({ content: watchThePage(incidents.length) });
  const begunMs = Date.now();
  let [seenMs, answeredMs, calls] = [0, 0, 0];
  const longest = await longestTasks(page, async () => {
    await page.goto(`${origin}/pending`);
    seenMs = await page.evaluate(() => (window as unknown as InPage).seen);
    [calls, answeredMs] = await Promise.all([callsOf(control), lastAnswerMs(origin)]);
    await useThePage(page);
  });
  await page.close();
  return { ...longest, begunMs, answeredMs, seenMs, calls };
}

function figuresOf({ calls, begunMs, seenMs, answeredMs, processorMs, clockMs }: FirstView): Figure[] {
  const what = '10,000 pending on 14 networks';
  return [
    { what: `${what}: calls to the services for the first view`, value: calls, unit: '', atMost: MOST_CALLS },
    { what: `${what}: first view, from nothing known`, value: seenMs - begunMs, unit: 'ms' },
    {
      what: `${what}: services’ last answer to incidents on screen`,
      value: Math.max(0, seenMs - answeredMs),
      unit: 'ms',
      aim: ON_SCREEN_AIM_MS,
    },
    {
      what: `${what}: longest task of the page, processor time`,
      value: processorMs,
      unit: 'ms',
      atMost: LONGEST_TASK_MS,
    },
    {
      what: `${what}: longest task of the page, by the clock`,
      value: clockMs,
      unit: 'ms',
      aim: LONGEST_TASK_MS,
    },
  ];
}

/** What the first view of an installation in deep trouble costs. */
export async function measurePending(): Promise<Figure[]> {
  const dashboard = await startDashboard({ SANDBOX_RECORDS: '50000', LOG_LEVEL: 'warn' });
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || undefined });
  try {
    return figuresOf(await firstView(browser, dashboard));
  } finally {
    await browser.close();
    await dashboard.stop();
  }
}
