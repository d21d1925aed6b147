import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from './dashboard';
import {
  boxOf,
  button,
  choose,
  openRequests,
  panel,
  records,
  shiftSoFar,
  table,
  totalOf,
} from './requests-page';

const chart = (page: Page) => page.getByRole('region', { name: 'Requests over time' });
const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

async function violations(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).slice(0, 3)}`);
}

test('rows first: at 1440 × 900 the first one within 220 pixels, and 22 of them', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await openRequests(page, '/requests?range=all');
  const first = await boxOf(records(page).first());
  expect(first.y).toBeLessThanOrEqual(220);
  expect(first.height).toBe(28);
  const end = (await boxOf(page.getByRole('navigation', { name: 'Pages' }))).y;
  expect(Math.floor((end - first.y) / first.height)).toBeGreaterThanOrEqual(22);
});

test('on a phone the first row is within 300 pixels, and what is tapped is large enough', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openRequests(page, '/requests?range=all');
  expect((await boxOf(records(page).first())).y).toBeLessThanOrEqual(300);
  expect(await overflow(page)).toBe(0);
  for (const name of ['Filters', 'Live', 'Columns', 'Export', 'Share']) {
    expect((await boxOf(page.getByRole('button', { name }).first())).height).toBeGreaterThanOrEqual(44);
  }
  await page.getByRole('button', { name: 'Filters' }).click();
  const drawer = page.getByRole('dialog', { name: 'Filters' });
  await drawer.getByRole('combobox', { name: 'State' }).click();
  await page.getByRole('option', { name: 'Failed', exact: true }).click();
  await expect(page).toHaveURL(/state=failed/);
  await page.keyboard.press('Escape');
  await drawer.getByRole('button', { name: 'Show requests' }).click();
  await expect(drawer).toBeHidden();
});

test('on a tablet rows are cards in two columns', async ({ page }) => {
  await page.setViewportSize({ width: 768, height: 1024 });
  await openRequests(page, '/requests?range=all');
  const [one, other] = [await boxOf(records(page).nth(0)), await boxOf(records(page).nth(1))];
  expect(other.y).toBe(one.y);
  expect(other.x).toBeGreaterThanOrEqual(one.x + one.width - 1);
  expect(await overflow(page)).toBe(0);
});

test('nothing jumps: loading, filtering, paging, sorting and live rows move nothing', async ({
  control,
  page,
}) => {
  await openRequests(page, '/requests?range=all');
  await expect(chart(page).getByRole('slider')).toBeAttached();
  await choose(page, 'State', 'Completed');
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(page).toHaveURL(/page=2/);
  await button(page, 'Live').click();
  await page.mouse.move(2, 2);
  await control.clock({ speed: 10 });
  await expect(table(page).locator('tr[data-mark]').first()).toBeVisible();
  expect(await shiftSoFar(page)).toBeLessThanOrEqual(0.01);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`in ${colorScheme} an open list, a menu, a panel and an empty result are accessible`, async ({
    page,
  }) => {
    await page.emulateMedia({ colorScheme });
    // Few rows: each look goes over every element of the page.
    await openRequests(page, '/requests?range=all&size=20');
    await page.getByRole('combobox', { name: 'State' }).click();
    await expect(page.getByRole('listbox').getByRole('option').first()).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await records(page).first().locator('td').nth(1).click({ button: 'right' });
    await expect(page.getByRole('menuitem').first()).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More filters' }).click();
    await expect(page.getByRole('dialog', { name: 'More filters' })).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await records(page).nth(2).click();
    await expect(panel(page)).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await page.goto('/requests?range=1h&q=0x0000000000000000000000000000000000000001&bogus=1');
    await expect(page.getByRole('heading', { name: 'No requests match' })).toBeVisible();
    expect(await violations(page)).toEqual([]);
  });
}

test('when did they come? The chart counts every match; dragging over bars shows their rows', async ({
  page,
}) => {
  await openRequests(page, '/requests?range=7d');
  const total = await totalOf(page);
  await expect(chart(page).locator('p.sr-only')).toContainText(`${total.toLocaleString('en-US')} requests`);
  const { x, y, width } = await boxOf(chart(page).locator('svg'));
  await page.mouse.click(x + width / 3, y + 30);
  await expect(page).not.toHaveURL(/from=/);
  await page.mouse.move(x + width / 3, y + 30);
  await page.mouse.down();
  await page.mouse.move(x + width / 2, y + 30, { steps: 5 });
  await page.mouse.up();
  await expect(page).toHaveURL(/from=.*to=/);
  await expect.poll(() => totalOf(page)).toBeLessThan(total);
  await expect(records(page).first()).toBeVisible();
  await page.getByRole('button', { name: 'Zoom out' }).click();
  await expect(page).toHaveURL(/from=.*to=/);
  await page.goBack();
  await page.goBack();
  await expect(page).not.toHaveURL(/from=/);
});

test('by keyboard: along the chart, select, and into it', async ({ page }) => {
  await openRequests(page, '/requests?range=24h');
  const cursor = chart(page).getByRole('slider', { name: /Enter zooms in/ });
  await cursor.focus();
  for (const key of ['ArrowLeft', 'ArrowLeft', 'Shift+ArrowLeft', 'Shift+ArrowLeft'])
    await page.keyboard.press(key);
  await expect(cursor).toHaveAttribute('aria-valuetext', /^\d{4}-\d\d-\d\d .+: [\d,]+ requests?/);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/from=.*to=/);
});

test('rows of the view before stay, dimmed, until the new ones are there', async ({ page }) => {
  await openRequests(page, '/requests?range=all');
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**/api/view/requests?*', async (route) => {
    await held;
    await route.continue();
  });
  await choose(page, 'State', 'Failed');
  await expect(table(page)).toHaveAttribute('data-standing', 'outdated');
  await expect(records(page)).toHaveCount(50);
  answer();
  await expect(table(page)).toHaveAttribute('data-standing', 'current');
});

test('the dashboard’s own server fails? What failed is said, the rows stay, and it goes on by itself', async ({
  page,
}) => {
  await openRequests(page, '/requests?range=all');
  await page.route('**/api/view/requests?*', (route) => route.abort());
  await choose(page, 'State', 'Failed');
  const alert = page.getByRole('alert').filter({ hasText: /\S/ });
  await expect(alert).toContainText('server does not answer');
  await expect(records(page)).toHaveCount(50);
  await expect(page.getByText('No requests match')).toHaveCount(0);
  await page.unroute('**/api/view/requests?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(alert).toHaveCount(0);
  await expect(records(page).first()).toHaveAttribute('data-state', 'failed');
});
