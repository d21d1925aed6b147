import type { Page } from '@playwright/test';
import { expect, test } from './dashboard';
import {
  button,
  cells,
  choose,
  count,
  countOfService,
  hourAgo,
  openRequests,
  records,
  rowsOfService,
  totalOf,
  untilIndexed,
} from './requests-page';

const dialog = (page: Page) => page.getByRole('dialog', { name: 'More filters' });

test('several networks and states at once: each with its count, and their sum; Back takes them off together', async ({
  dashboard,
  page,
}) => {
  const to = hourAgo();
  await openRequests(page, `/requests?to=${to}`);
  const ofService = (query: string) => countOfService(dashboard.origin, `max_timestamp=${to}&${query}`);
  await page.getByRole('combobox', { name: 'State', exact: true }).click();
  const failed = page.getByRole('option', { name: 'Failed', exact: true });
  await expect(failed).toContainText((await ofService('state=Failed')).toLocaleString('en-US'));
  await failed.click();
  await page.getByRole('option', { name: 'Callback failed', exact: true }).click();
  await page.keyboard.press('Escape');
  await choose(page, 'Network', 'Base', 'Blast');
  await expect(page).toHaveURL(/network=8453&network=81457&state=failed&state=callback-failed/);
  const queries = ['8453', '81457'].flatMap((network) =>
    ['Failed', 'CallbackErrored'].map((state) => `network_id=${network}&state=${state}`),
  );
  const sum = (await Promise.all(queries.map(ofService))).reduce((a, b) => a + b, 0);
  await expect.poll(() => totalOf(page)).toBe(sum);
  await page.goBack();
  await expect(page).not.toHaveURL(/network=/);
  await expect(page).toHaveURL(/state=failed&state=callback-failed/);
  await page.goBack();
  await expect(page).not.toHaveURL(/state=/);
  await expect(page.getByRole('combobox', { name: 'State', exact: true })).toHaveText('State');
});

test('one keeper or all: the rows of both, with the sum of their counts', async ({ dashboard, page }) => {
  const to = hourAgo();
  await openRequests(page, `/requests?to=${to}`);
  const of = (keeper: string) => countOfService(dashboard.origin, `max_timestamp=${to}&keeper=${keeper}`);
  await expect.poll(() => totalOf(page)).toBe(await of('main'));
  await choose(page, 'Keeper', 'All keepers');
  await expect.poll(() => totalOf(page)).toBe((await of('main')) + (await of('test')));
});

test('only this, not that: by the menu of a cell, with the pointer and by keyboard', async ({ page }) => {
  await openRequests(page, '/requests?range=all&size=100');
  await untilIndexed(page);
  const all = await totalOf(page);
  await cells(page, 'network').first().click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Filter out' }).click();
  await expect(page).toHaveURL(/not=network/);
  await expect.poll(() => totalOf(page)).toBeLessThan(all);
  const without = await totalOf(page);
  // A menu that closes gives the focus back to where it was.
  await expect(page.getByRole('menu')).toHaveCount(0);
  await records(page).first().focus();
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight'])
    await page.keyboard.press(key);
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Filter for' }).press('Enter');
  await expect(page).toHaveURL(/sender=0x[0-9a-f]{40}/);
  await expect.poll(() => totalOf(page)).toBeLessThan(without);
  // The focus is in the table again, not at the top of the page.
  await expect(page.locator('tbody :focus, tbody tr:focus')).toHaveCount(1);
  await button(page, 'Clear').click();
  await expect(page).not.toHaveURL(/not=|sender=/);
});

test('who, why, how much and how long: filters on every column, over all rows', async ({
  dashboard,
  page,
}) => {
  const to = hourAgo();
  await openRequests(page, `/requests?to=${to}`);
  const rows = await rowsOfService(dashboard.origin, `max_timestamp=${to}&limit=1000`);
  const senders = new Map<string, number>();
  for (const { sender = '' } of rows) senders.set(sender, (senders.get(sender) ?? 0) + 1);
  const most = [...senders].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '';
  await page.getByRole('button', { name: 'More filters' }).click();
  await dialog(page).getByLabel('Sender').first().fill(most.slice(0, 12));
  await page.getByRole('option').filter({ visible: true }).first().click();
  await dialog(page).getByRole('button', { name: 'Done' }).click();
  await expect(page).toHaveURL(new RegExp(`sender=${most.toLowerCase()}`));
  await expect
    .poll(() => totalOf(page))
    .toBe(await countOfService(dashboard.origin, `max_timestamp=${to}&query=${most}`));
  await page.getByRole('button', { name: /^Remove: Sender/ }).click();
  await expect(page).not.toHaveURL(/sender=/);

  await page.getByRole('button', { name: 'More filters' }).click();
  const lowest = dialog(page).getByLabel('Gas limit, lowest');
  await lowest.fill('500,000');
  await lowest.press('Enter');
  await expect(page).toHaveURL(/gas_limit=500000\.\./);
  await dialog(page).getByLabel('Latency, s, lowest').fill('soon');
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByText(/lowest and a highest value/)).toBeVisible();
  await page.keyboard.press('Escape');
  await openRequests(page, `/requests?to=${to}&gas_limit=500000..&sort=gas-limit.asc&cols=network,gas-limit`);
  const first = String(await cells(page, 'gas-limit').first().textContent()).replaceAll(',', '');
  expect(Number(first)).toBeGreaterThanOrEqual(500_000);
});

test('when? A range that ends now, all time, or from one moment to another, as typed', async ({
  dashboard,
  page,
}) => {
  await openRequests(page, '/requests');
  const range = page.getByLabel('Time range');
  await range.selectOption('7d');
  await expect(count(page)).toContainText('in the last 7 d');
  await range.selectOption('all');
  await expect(count(page)).toContainText('in all time');
  await range.selectOption('custom');
  const [from, to] = [new Date(Date.now() - 5 * 86_400_000), new Date(Date.now() - 4 * 86_400_000)].map(
    (date) => date.toISOString().slice(0, 16),
  );
  await page.getByLabel('From', { exact: true }).fill(String(from?.replace('T', ' ')));
  await page.keyboard.press('Enter');
  await page.getByLabel('To', { exact: true }).fill(String(to));
  await page.keyboard.press('Enter');
  await expect
    .poll(() => totalOf(page))
    .toBe(await countOfService(dashboard.origin, `min_timestamp=${from}:00Z&max_timestamp=${to}:00Z`));
  await page.getByLabel('To', { exact: true }).fill('yesterday');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Use YYYY-MM-DD HH:mm')).toBeVisible();
  await page.getByLabel('From', { exact: true }).fill('45m');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/range=45m/);
  await expect(count(page)).toContainText('in the last 45 min');
});

test('typed by the clock of this computer, it is asked for as that moment', async ({
  browser,
  dashboard,
}) => {
  const context = await browser.newContext({ timezoneId: 'Asia/Tokyo', baseURL: dashboard.origin });
  await context.addCookies([{ name: 'ks-zone', value: 'local:Asia/Tokyo', url: dashboard.origin }]);
  const page = await context.newPage();
  await openRequests(page, '/requests?range=all');
  await page.getByLabel('Time range').selectOption('custom');
  await page.getByLabel('From', { exact: true }).fill('2026-11-01 09:00');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/from=2026-11-01[T+ ]09(%3A|:)00%2B09(%3A|:)00/);
  await context.close();
});

test('nothing matches? It says so, and which filter to take off, with how many that would show', async ({
  page,
}) => {
  await openRequests(page, '/requests?range=all');
  await page.goto('/requests?range=all&network=8453&gas_limit=1..2');
  await expect(page.getByRole('heading', { name: 'No requests match' })).toBeVisible();
  await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toHaveCount(0);
  const way = page.getByRole('button', { name: /^Without bounds · [\d,]+ requests?$/ });
  await expect(way).toBeVisible();
  await way.click();
  await expect(page).not.toHaveURL(/gas_limit/);
});
