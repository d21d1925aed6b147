import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from './dashboard';

const PAGES = ['/', '/requests', '/pending', '/feeds', '/prices', '/services'];
const WIDTHS = [1440, 1024, 390];

/** Waits until a page shows its data. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  await expect(page.getByRole('main')).toBeVisible();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
}

for (const path of PAGES) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`${path} in ${colorScheme} has no accessibility violation`, async ({ page }) => {
      await page.emulateMedia({ colorScheme });
      await page.goto(path);
      await settle(page);
      const { violations } = await new AxeBuilder({ page }).analyze();
      const told = violations.map(
        (v) =>
          `${v.id}: ${v.nodes
            .map((node) => node.html)
            .slice(0, 3)
            .join(' | ')}`,
      );
      expect(told).toEqual([]);
    });
  }

  test(`${path} says nothing in the console and breaks no policy`, async ({ page }) => {
    const said: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') said.push(message.text());
    });
    page.on('pageerror', (error) => said.push(error.message));
    await page.goto(path);
    await settle(page);
    expect(said).toEqual([]);
  });

  for (const width of WIDTHS) {
    test(`${path} at ${width} px never scrolls sideways`, async ({ page }) => {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(path);
      await settle(page);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow).toBeLessThanOrEqual(0);
    });
  }

  test(`${path} carries a strict policy with a nonce of its own`, async ({ dashboard }) => {
    const policies = await Promise.all(
      [1, 2].map(async () => (await fetch(dashboard.origin + path)).headers.get('content-security-policy')),
    );
    const [first, second] = policies.map((policy) => policy ?? '');
    expect(first).toMatch(/script-src [^;]*'nonce-[^']+'/);
    expect(first).not.toMatch(/script-src[^;]*'unsafe-(inline|eval)'/);
    expect(first).toMatch(/frame-ancestors 'none'/);
    expect(first).not.toBe(second);
  });
}

test('nobody can mistake the sandbox for the real thing', async ({ page }) => {
  for (const path of PAGES) {
    await page.goto(path);
    await expect(page.getByRole('status', { name: 'Sandbox' })).toBeInViewport({ ratio: 1 });
  }
});

test('the theme can be light, dark, or the system’s, and is remembered', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto('/');
  const root = page.locator('html');
  await page
    .getByRole('radio', { name: /dark/i })
    .or(page.getByRole('button', { name: /dark/i }))
    .first()
    .click({ force: true });
  await expect(root).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await page.reload();
  await expect(root).toHaveAttribute('data-mantine-color-scheme', 'dark');
});

test('the first key press reaches a link that skips the navigation', async ({ page }) => {
  await page.goto('/requests');
  await settle(page);
  await page.keyboard.press('Tab');
  await expect(page.locator(':focus')).toHaveText(/skip/i);
});
