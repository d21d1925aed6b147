import { test as base } from '@playwright/test';
import { controlOf } from './control';
import { type Dashboard, startDashboard } from './dashboard';
import { expect, test as fresh } from './fresh-dashboard';
import { diagnosisOf, incidents, NEXT_LOOK_MS, singleOf, standing } from './pending-page';

/** A dashboard of its own takes time to start, on a busy machine much of it. */
const TIMEOUT_MS = 240_000;
base.describe.configure({ timeout: TIMEOUT_MS });

/** A dashboard with these settings, for as long as a test lasts. */
const dashboardWith = async (
  settings: Record<string, string>,
  work: (dashboard: Dashboard) => Promise<void>,
) => {
  const dashboard = await startDashboard(settings);
  try {
    await work(dashboard);
  } finally {
    await dashboard.stop();
  }
};

for (const seed of ['31', '4711']) {
  base(`all is well? Then no page says otherwise (world ${seed})`, async ({ page }) => {
    await dashboardWith({ SANDBOX_SEED: seed }, async ({ origin, sandbox }) => {
      await controlOf(sandbox).scenario('healthy');
      await page.goto(`${origin}/pending`);
      await expect(standing(page)).toContainText('Nothing is stuck', { timeout: NEXT_LOOK_MS });
      await expect(incidents(page)).toHaveCount(0);
      await expect(singleOf(page, '')).toHaveCount(0);
      await expect(page.locator('tr[data-network]').first()).toBeVisible();
      await expect(page.locator('tr[data-quiet="yes"]')).toHaveCount(0);
      await expect(page.locator('[data-count="stuck"]')).toContainText('0');
      const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Pending/ });
      await expect(link).toHaveAccessibleName('Pending');
      await page.goto(origin);
      await expect(page.locator('[data-standing="calm"]')).toContainText('Nothing is stuck');
    });
  });
}

base(
  'no log service? Then nothing is known to be asked, and the navigation has no mark',
  async ({ page }) => {
    await dashboardWith({ UPDATES_URL: 'http://127.0.0.1:9', SANDBOX: 'off' }, async ({ origin }) => {
      await page.goto(`${origin}/feeds`);
      const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Pending/ });
      await expect(link).toHaveAccessibleName('Pending');
      await expect(link).toHaveText('Pending');
      await page.goto(`${origin}/pending`);
      await expect(page.getByText('No request log service is configured.')).toBeVisible();
    });
  },
);

fresh(
  'another world at the same address? Nothing of the one before is left in what is said',
  async ({ control, page }) => {
    fresh.setTimeout(TIMEOUT_MS);
    await control.scenario('silence');
    await page.goto('/pending');
    await expect(page.locator('tr[data-incident][data-rule="R9"]')).toBeVisible({ timeout: NEXT_LOOK_MS });
    const { incidents: made } = await control.scenario('overtaken');
    const diagnosis = await diagnosisOf(page, made[0]?.requests[0]?.request_tx_hash ?? '');
    await expect(diagnosis).toHaveAttribute('data-top-rule', 'R8');
    await expect(diagnosis.locator('li[data-rule="R9"][data-holds="yes"]')).toHaveCount(0);
    await expect(incidents(page)).toHaveCount(0);
    await control.scenario('healthy');
    await expect(standing(page)).toContainText('Nothing is stuck', { timeout: NEXT_LOOK_MS });
    await expect(page.locator('tr[data-quiet="yes"]')).toHaveCount(0);
  },
);
