import type { Locator, Page } from '@playwright/test';
import { controlOf } from './control';
import { expect, startDashboard, test } from './dashboard';
import {
  boxOf,
  button,
  cells,
  count,
  header,
  hourAgo,
  keysOf,
  openRequests,
  panel,
  records,
  table,
} from './requests-page';

const histogram = (page: Page) => page.getByRole('region', { name: 'Requests over time' });

/** Refreshes as a timer would: without taking the focus from where it is. */
const refreshUnseen = (page: Page) =>
  button(page, 'Refresh').evaluate((element) =>
    element instanceof HTMLElement ? element.click() : undefined,
  );

const focusedKey = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('data-key'));

for (const zone of ['utc', 'local', 'relative']) {
  test(`times shown as ${zone}: the exact value on hover, ISO text on copy`, async ({
    baseURL,
    context,
    page,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await context.addCookies([{ name: 'ks-zone', value: `${zone}:Europe/Berlin`, url: baseURL }]);
    await openRequests(page, `/requests?to=${hourAgo()}`);
    const cell = cells(page, 'created').first();
    const time = cell.locator('time');
    const iso = String(await time.getAttribute('datetime'));
    await expect(time).toHaveText(
      { utc: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/, local: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, relative: /ago$/ }[
        zone
      ] ?? '',
    );
    const title = String(await time.getAttribute('title'));
    expect(title).toMatch(/\d\d:\d\d:\d\d\.\d{3}/);
    await cell.hover();
    await page.getByRole('button', { name: 'Copy the value of this cell' }).click();
    await expect
      .poll(async () => Date.parse(await page.evaluate(() => navigator.clipboard.readText())))
      .toBe(Date.parse(iso));
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/,
    );
  });
}

test('a click opens a request beside the table, which stays in view; another click opens another', async ({
  page,
}) => {
  await openRequests(page, `/requests?to=${hourAgo()}`);
  await cells(page, 'state').nth(3).click();
  await expect(panel(page)).toBeVisible();
  const key = (await keysOf(page))[3];
  await expect(panel(page)).toHaveAttribute('data-open-request', String(key));
  const [side, rows] = [await boxOf(panel(page)), await boxOf(page.getByRole('region', { name: 'Rows' }))];
  expect(rows.x + rows.width).toBeLessThanOrEqual(side.x + 1);
  expect(rows.width).toBeGreaterThan(300);
  await cells(page, 'network').nth(6).click();
  await expect(panel(page)).toHaveAttribute('data-open-request', String((await keysOf(page))[6]));
  await page.keyboard.press('Escape');
  await expect(panel(page)).toHaveCount(0);
});

test('the focus is seen, and stays on its row when the rows are asked for again', async ({
  control,
  page,
}) => {
  await openRequests(page, '/requests?range=all');
  await page.keyboard.press('j');
  for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowDown');
  const key = await focusedKey(page);
  expect((await keysOf(page))[4]).toBe(key);
  await expect(records(page).nth(4).locator('td').first()).toHaveCSS('box-shadow', /inset/);
  await control.clock({ speed: 30 });
  await expect(async () => {
    await refreshUnseen(page);
    expect((await keysOf(page))[4]).not.toBe(key);
  }).toPass();
  expect(await focusedKey(page)).toBe(key);
  await expect(table(page).locator('tr:focus-visible')).toHaveCount(1);
});

test('the cell that I am in keeps the focus, though the filter of its menu puts its row in another place', async ({
  control,
  page,
}) => {
  await control.clock({ stopped: true });
  await openRequests(page, '/requests?range=all');
  const all = await keysOf(page);
  await page.keyboard.press('j');
  for (let step = 0; step < 8; step += 1) await page.keyboard.press('ArrowDown');
  for (const key of ['ArrowRight', 'Shift+F10']) await page.keyboard.press(key);
  await page.getByRole('menuitem', { name: /^Only/ }).first().press('Enter');
  await expect(page).toHaveURL(/network=/);
  await expect.poll(async () => (await keysOf(page))[8]).not.toBe(all[8]);
  const cell = table(page).locator(`tr[data-key="${all[8]}"] td[data-column="network"]`);
  await expect(cell).toBeFocused();
});

test('the first rows came late: another question leaves the table where it is', async ({ control, page }) => {
  await control.fault({ service: 'logs:main', route: 'logs', fault: { kind: 'delay', ms: 1500 } });
  await openRequests(page, '/requests?range=all');
  const rows = await page.getByRole('region', { name: 'Rows', exact: true }).elementHandle();
  await page.getByLabel('State', { exact: true }).selectOption('failed');
  await expect(records(page).first()).toHaveAttribute('data-state', 'failed');
  await page.goBack();
  await expect(table(page).locator('tr[data-state="completed"]').first()).toBeVisible();
  expect(await rows?.evaluate((element) => element.isConnected)).toBe(true);
});

test('the row that I am at leaves the list: I go on in its place, not at the top of the page', async ({
  control,
  page,
}) => {
  await control.scenario('rpc-outage');
  await control.clock({ stopped: true });
  await openRequests(page, '/requests?range=all&state=pending');
  await page.keyboard.press('j');
  for (let step = 0; step < 6; step += 1) await page.keyboard.press('ArrowDown');
  const key = await focusedKey(page);
  expect(key).toBe((await keysOf(page))[6]);
  await control.scenario('healthy');
  await expect(async () => {
    await refreshUnseen(page);
    expect(await keysOf(page)).not.toContain(key);
  }).toPass();
  const left = await keysOf(page);
  if (left.length > 0) expect(left).toContain(await focusedKey(page));
});

test('which part of the time do I look at? The histogram marks it, page by page', async ({ page }) => {
  await openRequests(page, `/requests?to=${hourAgo()}&size=500`);
  await expect(histogram(page).getByText(/^Exact, from/)).toBeVisible({ timeout: 20_000 });
  const mark = histogram(page).locator('[data-part="rows"]');
  const first = await boxOf(mark);
  const plot = await boxOf(page.getByRole('group', { name: 'Histogram of requests by time and state' }));
  expect(first.width).toBeLessThan(plot.width / 2);
  expect(first.x + first.width).toBeGreaterThan(plot.x + plot.width * 0.9);
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(page).toHaveURL(/page=2/);
  await expect.poll(async () => (await boxOf(mark)).x).toBeLessThan(first.x - 5);
});

test('many rows, slow service: the bars come one by one, and how many are counted is said', async ({
  page,
}) => {
  const dashboard = await startDashboard({ SANDBOX_RECORDS: '20000' });
  try {
    const control = controlOf(dashboard.sandbox);
    await control.fault({ service: 'logs:main', fault: { kind: 'delay', ms: 600 } });
    await page.goto(`${dashboard.origin}/requests?range=all`);
    await expect(histogram(page).getByText(/^Counting [1-9]\d* of \d+$/)).toBeVisible({ timeout: 40_000 });
    await expect(page.getByRole('group', { name: /^Histogram/ })).toHaveAttribute('aria-busy', 'true');
    await control.noFaults();
    await expect(histogram(page).getByText(/^Exact, from counts/)).toBeVisible({ timeout: 40_000 });
    await expect(count(page)).toContainText(/\d requests/);
  } finally {
    await dashboard.stop();
  }
});

test('by keyboard alone: filter, sort, open, page and back', async ({ page }) => {
  await openRequests(page, '/requests?range=all');
  await page.getByLabel('State', { exact: true }).focus();
  await page.keyboard.type('Comp');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/state=completed/);
  await header(page, /^Sequence/)
    .getByRole('button')
    .focus();
  await page.keyboard.press('Enter');
  await expect(header(page, /^Sequence/)).toHaveAttribute('aria-sort', 'descending');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(panel(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(panel(page)).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Next page' })).toBeEnabled();
  await page.keyboard.press(']');
  await expect(page).toHaveURL(/page=2/);
  await expect(page.getByRole('button', { name: 'Previous page' })).toBeEnabled();
  await page.keyboard.press('[');
  await expect(page).not.toHaveURL(/page=2/);
});

test('a key works from the moment in which its button can be pressed', async ({ page }) => {
  await openRequests(page, '/requests?range=all');
  await button(page, 'Previous page').evaluate((element) => {
    const press = () => {
      if (element instanceof HTMLButtonElement && element.disabled) return;
      document.documentElement.dataset.pressedAt = window.location.search;
      element.dispatchEvent(new KeyboardEvent('keydown', { key: '[', bubbles: true, cancelable: true }));
    };
    new MutationObserver(press).observe(element, { attributeFilter: ['disabled'] });
  });
  await button(page, 'Next page').click();
  await expect(page.locator('html')).toHaveAttribute('data-pressed-at', /page=2/);
  await expect(page).not.toHaveURL(/page=2/);
  await expect(button(page, 'Previous page')).toBeDisabled();
});

test.describe('on a small screen', () => {
  test.use({ viewport: { width: 1024, height: 800 } });

  test('what I point at stays readable: the tools of a cell cover none of its text', async ({ page }) => {
    await openRequests(page, `/requests?to=${hourAgo()}`);
    const tools = page.getByRole('button', { name: 'Copy the value of this cell' });
    for (const column of ['created', 'state', 'sequence', 'network']) {
      const cell = cells(page, column).nth(3);
      await page.mouse.move(2, 2);
      await expect(tools).toBeHidden();
      await cell.hover();
      await expect(tools).toBeVisible();
      expect(await coveredOf(cell), column).toBeLessThanOrEqual(0);
    }
    await cells(page, 'created').nth(3).click();
    await expect(panel(page)).toBeVisible();
    // The table is narrower now, and what stood in that place stands elsewhere.
    await expect(tools).toBeHidden();
  });
});

/** How many pixels of the text of a cell lie under the tools, from side to side. */
function coveredOf(cell: Locator): Promise<number> {
  return cell.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const text = range.getBoundingClientRect();
    const tools = document.querySelector('[data-cell-tools]')?.getBoundingClientRect();
    if (tools === undefined) return Number.NaN;
    return Math.floor(Math.min(tools.right, text.right) - Math.max(tools.left, text.left));
  });
}
