import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import {
  boxOf,
  button,
  cells,
  header,
  keysOf,
  openRequests,
  panel,
  records,
  table,
  untilIndexed,
} from './requests-page';

const columnNames = (page: Page) =>
  table(page)
    .locator('th')
    .evaluateAll((all) => all.map((cell) => (cell as HTMLElement).dataset.column));

async function openColumns(page: Page): Promise<void> {
  await button(page, 'Columns').click();
  await expect(page.getByRole('list', { name: /^Visible columns/ })).toBeVisible();
}

test('columns, order, widths, pins and density are kept in the link and for the next visit', async ({
  page,
}) => {
  await openRequests(page, '/requests');
  await untilIndexed(page);
  const sender = header(page, /^Sender/);
  const before = (await boxOf(sender)).width;
  const edge = await boxOf(sender.locator('span').last());
  await page.mouse.move(edge.x + 3, edge.y + 5);
  await page.mouse.down();
  await page.mouse.move(edge.x + 63, edge.y + 5, { steps: 5 });
  await page.mouse.up();
  await expect.poll(async () => Math.round((await boxOf(sender)).width - before)).toBe(60);
  await expect(page).toHaveURL(/sender(~|%7E)\d+/);
  await sender.getByRole('button').focus();
  await page.keyboard.press('Shift+ArrowLeft');
  await expect.poll(async () => Math.round((await boxOf(sender)).width - before)).toBe(40);
  await page.keyboard.press('Delete');
  await expect.poll(async () => Math.round((await boxOf(sender)).width)).toBe(before);

  await openColumns(page);
  await page.getByLabel('Show Gas used').check();
  await page.getByLabel('Show Sender').uncheck();
  await page.getByRole('button', { name: 'Pin Sequence' }).click();
  await page.getByRole('button', { name: 'Move State up' }).click();
  await page.getByText('Comfortable', { exact: true }).click();
  await page.keyboard.press('Escape');
  const shown = await columnNames(page);
  expect(shown).toContain('gas-used');
  expect(shown).not.toContain('sender');
  expect(shown.indexOf('state')).toBeLessThan(shown.indexOf('created'));
  await expect(page).toHaveURL(/cols=network\*(%2C|,)sequence\*/);
  expect((await boxOf(records(page).first())).height).toBe(40);
  await openRequests(page, '/requests?state=completed');
  expect(await columnNames(page)).toEqual(shown);
  await openColumns(page);
  await page.getByRole('button', { name: 'Reset columns' }).click();
  expect(await columnNames(page)).toContain('sender');
});

test('of a thousand rows few are rendered, all can be reached, and header and pinned column stay visible', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1024, height: 700 });
  await openRequests(page, '/requests?range=all&size=1000');
  await untilIndexed(page);
  await expect(table(page)).toHaveAttribute('aria-rowcount', '1001');
  const area = page.getByRole('region', { name: 'Rows' });
  await area.evaluate((element) => element.scrollTo({ top: 900, left: 300 }));
  await expect(table(page).locator('tr[aria-rowindex="45"] td[data-column="network"]')).toBeInViewport({
    ratio: 1,
  });
  await expect(header(page, /^Network/)).toBeInViewport({ ratio: 1 });
  expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThanOrEqual(3000);
  await area.evaluate((element) => element.scrollTo({ top: 0, left: 0 }));
  await records(page).first().focus();
  await page.keyboard.press('End');
  await expect(table(page).locator('tr[aria-rowindex="1001"]')).toBeFocused();
});

test('the keyboard reaches the first row in ten stops, the headers, a request beside the table, and other rows from it', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 800 });
  await openRequests(page, '/requests');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  let stops = 0;
  const isRow = () => page.evaluate(() => document.activeElement?.matches('tr[data-row]') === true);
  while (stops < 12 && !(await isRow())) {
    await page.keyboard.press('Tab');
    stops += 1;
  }
  expect(stops).toBeLessThanOrEqual(10);
  await page.keyboard.press('ArrowUp');
  await expect(header(page, /^Network/).getByRole('button')).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/sort=sequence/);
  await page.keyboard.press('ArrowDown');
  await expect(page.locator('tbody :focus')).toHaveCount(1);

  await openRequests(page, '/requests?range=all');
  const keys = await keysOf(page);
  const requests: string[] = [];
  page.on('request', (request) => request.resourceType() === 'fetch' && requests.push(request.url()));
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(panel(page)).toBeFocused();
  await expect(table(page).locator('tr[aria-current="true"]')).toHaveAttribute('data-key', String(keys[1]));
  const tops = new Set<number>();
  for (let step = 0; step < 4; step++) {
    await expect(panel(page)).toHaveAttribute('data-open-request', String(keys[1 + step]));
    tops.add((await boxOf(panel(page).locator('[data-scrolls]'))).y);
    await page.keyboard.press('j');
  }
  expect([...tops]).toHaveLength(1);
  await expect(panel(page)).toHaveAttribute('data-open-request', String(keys[5]));
  await expect(panel(page).getByRole('heading', { name: 'Neighbours' })).toBeVisible();
  expect(requests.filter((url) => !/\/api\/|_rsc=/.test(url))).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(panel(page)).toHaveCount(0);
  await expect(page.locator(`tr[data-key="${keys[5]}"]`)).toBeFocused();
  await page.keyboard.press(']');
  await expect(page).toHaveURL(/page=2/);
  await page.keyboard.press('[');
  await expect(page).not.toHaveURL(/page=2/);
});

test('times are in UTC or relative, exact on hover, ISO on copy; a link opens a row on no page; a failed part says so', async ({
  context,
  page,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openRequests(page, '/requests?range=all&zone=utc&page=9');
  const cell = cells(page, 'created').nth(2);
  await expect(cell).toHaveText(/^\d\d-\d\d \d\d:\d\d:\d\d \d+ (s|min|h|d)$/);
  await expect(cell.locator('time')).toHaveAttribute('title', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
  await cell.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Copy' }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  const [key] = await keysOf(page);
  await openRequests(page, `/requests?range=all&zone=relative&open=${encodeURIComponent(String(key))}`);
  await expect(cell).toHaveText(/^\d+ (s|min|h|d) ago$/);
  await expect(panel(page)).toContainText(String(key).split('/')[3] ?? '');
  await page.waitForLoadState('networkidle');
  await page.route('**/_next/static/**', (route) => route.abort());
  await page.getByRole('button', { name: 'More filters' }).click();
  await expect(page.getByText('This part of the page failed to load')).toBeVisible();
  await expect(records(page)).toHaveCount(50);
  await page.getByLabel('Rows per page').selectOption('1000');
  await expect(records(page)).toHaveCount(1000);
});
