import { setTimeout } from 'node:timers/promises';
import { chromium, type Page } from '@playwright/test';
import { controlOf } from './control';
import { startDashboard } from './dashboard';

/** Pictures of the README, from the production build on its sandbox: `npm run screenshots`. */
const PICTURES: [string, string, 'light' | 'dark', (page: Page) => Promise<void>][] = [
  [
    'docs/requests.png',
    '/requests?range=24h',
    'light',
    async (page) => {
      await page.getByText(/^All since/).waitFor({ timeout: 60_000 });
      await page.getByRole('region', { name: 'Requests over time' }).locator('svg path').first().waitFor();
      // Nothing is unknown once the badge counts.
      const badge = page.getByRole('link', { name: /^Pending/ }).filter({ hasText: /\d/ });
      await badge.waitFor({ timeout: 60_000 });
    },
  ],
  [
    'docs/feeds.png',
    '/feeds',
    'dark',
    async (page) => {
      const chart = page
        .getByRole('region', { name: /BTC\/USD/ })
        .getByRole('img', { name: /updates in [45] min/ });
      await chart.waitFor({ timeout: 60_000 });
    },
  ],
];

const dashboard = await startDashboard({ SANDBOX_RECORDS: '50000' });
// The default rate, as a newcomer sees it.
await controlOf(dashboard.sandbox).live(null);
// Rows, badge and figures of the whole history.
for (let isWhole = false; !isWhole; ) {
  await setTimeout(500);
  const { index } = await (await fetch(`${dashboard.origin}/api/view/requests?range=1h`)).json();
  isWhole = index.length > 0 && index.every(({ coversAll }: { coversAll: boolean }) => coversAll);
}
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || undefined });
for (const [file, path, colorScheme, ready] of PICTURES) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 860 }, colorScheme });
  await page.goto(dashboard.origin + path);
  await ready(page);
  await page.screenshot({ path: file });
  await page.close();
}
await browser.close();
await dashboard.stop();
