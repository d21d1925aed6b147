import type { CDPSession, Page } from '@playwright/test';
import { expect, test } from './dashboard';

test.use({ hasTouch: true, viewport: { width: 390, height: 844 } });
test.beforeEach(() => test.setTimeout(90_000));

const chartOf = (page: Page) => page.getByRole('slider', { name: /Chart of/ });

type Fingers = readonly number[];

/** Puts fingers on the chart at these distances from its left edge, leads them elsewhere, and lifts them. */
async function touch(page: Page, session: CDPSession, from: Fingers, to: Fingers): Promise<void> {
  const box = await chartOf(page).boundingBox();
  if (box === null) throw new Error('no chart');
  const y = box.y + box.height / 2;
  const points = (part: number) =>
    from.map((x, id) => ({ id, x: box.x + x + ((to[id] ?? x) - x) * part, y: y + id }));
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: points(0) });
  for (const part of [0.2, 0.4, 0.6, 0.8, 1]) {
    await session.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: points(part) });
  }
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

/** The length of the window and its end, seconds, as the address says them. */
function windowOf(page: Page): { spanS: number; toMs: number | undefined } {
  const query = new URL(page.url()).searchParams;
  const [, count = '5', unit = 'm'] = /^(\d+)([smhd])$/.exec(query.get('window') ?? '5m') ?? [];
  const to = query.get('to');
  return {
    spanS: Number(count) * { s: 1, m: 60, h: 3600, d: 86_400 }[unit as 's' | 'm' | 'h' | 'd'],
    toMs: to === null ? undefined : Date.parse(to),
  };
}

test('can I use the chart with my fingers? One moves it, two zoom it, and the page still scrolls past it', async ({
  page,
}) => {
  await page.goto('/feeds/Crypto.BTC/USD?window=15m');
  await expect(page.locator('.recharts-line-curve').first()).toBeAttached({ timeout: 30_000 });
  const session = await page.context().newCDPSession(page);
  await chartOf(page).scrollIntoViewIfNeeded();

  await touch(page, session, [60], [220]);
  await expect(page).toHaveURL(/to=2/);
  const moved = windowOf(page);
  expect(moved.spanS).toBe(900);
  expect(moved.toMs).toBeLessThan(Date.now() - 60_000);

  // Fingers that part look nearer at what is between them.
  await touch(page, session, [130, 190], [70, 250]);
  await expect.poll(() => windowOf(page).spanS).toBeLessThan(700);
  const near = windowOf(page).spanS;
  await touch(page, session, [60, 260], [140, 180]);
  await expect.poll(() => windowOf(page).spanS).toBeGreaterThan(near);

  expect(await chartOf(page).evaluate((chart) => getComputedStyle(chart).touchAction)).toBe('pan-y');
});
