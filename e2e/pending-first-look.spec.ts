import type { Page } from '@playwright/test';
import { expect, test } from './fresh-dashboard';
import { incidentOf, NEXT_LOOK_MS } from './pending-page';

/** A dashboard of its own takes time to start. Every call takes seconds, so that the first look can be watched. */
test.describe.configure({ timeout: 120_000 });

const SLOW = { service: 'logs:main', route: 'logs', fault: { kind: 'delay', ms: 3000 } };

/** Layout shifts of the page, all of them, as it was opened and never touched. */
async function watchShifts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const seen = { shift: 0 };
    Object.assign(window, { seen });
    const add = ({ value }: PerformanceEntry & { value?: number }) => {
      seen.shift += value ?? 0;
    };
    new PerformanceObserver((list) => list.getEntries().forEach(add)).observe({
      type: 'layout-shift',
      buffered: true,
    });
  });
  return () => page.evaluate(() => (window as unknown as { seen: { shift: number } }).seen.shift);
}

test('is it settled? A cause that the first look has not settled is called an estimate, on both pages', async ({
  context,
  control,
  page,
}) => {
  const { incidents: made } = await control.scenario('rpc-outage');
  await control.fault(SLOW);
  const overview = await context.newPage();
  const network = made[0]?.network_id ?? '';
  const early = page.locator(`[data-incident][data-network="${network}"]`, { hasText: 'Estimate' });
  await Promise.all([
    page.goto('/pending'),
    overview.goto('/'),
    expect(early).toContainText('not known yet: what else happened on this network', {
      timeout: NEXT_LOOK_MS,
    }),
    expect(overview.locator('li[data-incident]', { hasText: '(estimate)' })).toBeVisible({
      timeout: NEXT_LOOK_MS,
    }),
  ]);
  await expect(incidentOf(page, 'R6', network)).toBeVisible({ timeout: 2 * NEXT_LOOK_MS });
  await expect(early).toHaveCount(0);
  await expect(overview.locator('li[data-incident]')).toContainText('Whole network');
  await expect(overview.locator('li[data-incident]')).not.toContainText('(estimate)');
});

for (const width of [390, 1440]) {
  test(`does the overview jump when the first look brings incidents? Not at ${width} pixels`, async ({
    control,
    page,
  }) => {
    await page.setViewportSize({ width, height: 900 });
    await control.scenario('mixed-outage-and-contract');
    await control.fault(SLOW);
    const shifts = await watchShifts(page);
    await page.goto('/');
    await expect(page.locator('[data-standing="looking"]')).toBeVisible();
    await expect(page.locator('li[data-incident]').first()).toContainText('Critical', {
      timeout: 2 * NEXT_LOOK_MS,
    });
    await expect(page.locator('li[data-incident]')).toHaveCount(2);
    expect(await shifts()).toBeLessThanOrEqual(0.01);
  });
}
