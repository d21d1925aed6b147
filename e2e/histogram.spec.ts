import type { Locator, Page } from '@playwright/test';
import { controlOf } from './control';
import { expect, startDashboard, test } from './dashboard';

const region = (page: Page) => page.getByRole('region', { name: 'Requests over time' });
const plot = (page: Page) => page.getByRole('group', { name: 'Histogram of requests by time and state' });
const cursor = (page: Page) => page.getByRole('slider', { name: 'Time, Enter zooms in' });
const zoomOut = (page: Page) => page.getByRole('button', { name: 'Zoom out' });
const exact = (page: Page) => region(page).getByText(/^Exact, from/);
const count = (page: Page) => page.getByRole('status').filter({ hasText: /requests?\b/ });
const total = async (page: Page) => (await count(page).textContent())?.match(/[\d,]+ requests?/)?.[0] ?? '';
const heightOf = async (place: Locator) => (await place.boundingBox())?.height;

async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await expect(exact(page)).toBeVisible();
}

/** Drags over the bars, from and to a share of their width. */
async function drag(page: Page, from: number, to: number): Promise<void> {
  const box = await plot(page).boundingBox();
  if (box === null) throw new Error('no histogram');
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * to, y, { steps: 5 });
  await page.mouse.up();
  await page.mouse.move(2, 2);
}

/** The same figure above the bars and above the rows, and no more the one of before. */
async function expectOneTotal(page: Page, before?: string): Promise<void> {
  if (before !== undefined) await expect(count(page)).not.toContainText(before);
  await expect(exact(page)).toBeVisible();
  await expect(plot(page)).toHaveAttribute('data-of', 'view');
  await expect
    .poll(async () => (await region(page).locator('strong').textContent()) === (await total(page)))
    .toBe(true);
}

test('what was that peak? Dragging over bars shows their rows, and each way out is one step', async ({
  page,
}) => {
  await open(page, '/requests?range=7d');
  const all = await total(page);
  await drag(page, 0.2, 0.8);
  await expect(page).toHaveURL(/from=.*to=/);
  await expectOneTotal(page, all);
  const [once, some] = [page.url(), await total(page)];
  await drag(page, 0.3, 0.6);
  await expect(page).not.toHaveURL(once);
  await expectOneTotal(page, some);
  await zoomOut(page).click();
  await expect(page).toHaveURL(once);
  await zoomOut(page).click();
  await expect(page).toHaveURL(/range=7d/);
  await expect(zoomOut(page)).toHaveCount(0);
});

test('a mere click zooms nowhere', async ({ page }) => {
  await open(page, '/requests?range=7d');
  const before = page.url();
  await plot(page).click();
  expect(page.url()).toBe(before);
});

test('the keyboard zooms in and out again, and the focus stays where it was', async ({ page }) => {
  await open(page, '/requests?range=7d');
  const all = await total(page);
  await cursor(page).focus();
  for (const key of ['ArrowLeft', 'ArrowLeft', 'Shift+ArrowLeft', 'Enter']) await page.keyboard.press(key);
  await expect(page).toHaveURL(/from=.*to=/);
  await expect(cursor(page)).toBeFocused();
  await expectOneTotal(page, all);
  await expect(cursor(page)).toBeFocused();
  await zoomOut(page).focus();
  await page.keyboard.press('Enter');
  await expect(zoomOut(page)).toHaveCount(0);
  await expect(region(page)).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(cursor(page)).toBeFocused();
});

test('the focus stays in the histogram when its bars go because the service fails', async ({
  control,
  page,
}) => {
  await open(page, '/requests?range=7d');
  await control.fault({ service: 'logs:main', fault: { kind: 'status', status: 500 } });
  await cursor(page).focus();
  await page.keyboard.press('PageDown');
  await page.keyboard.press('Enter');
  await expect(region(page)).toContainText('The histogram is not available while the rows are not.');
  await expect(plot(page)).toHaveCount(0);
  await expect(region(page)).toBeFocused();
});

test('a slow service: the bars of the view before stay, dimmed and as high, until there are new ones', async ({
  control,
  page,
}) => {
  await open(page, '/requests?range=7d');
  const all = await total(page);
  const [height, frame] = [await heightOf(plot(page)), await heightOf(region(page))];
  await control.fault({ service: 'logs:main', fault: { kind: 'delay', ms: 2500 } });
  await page.getByLabel('State', { exact: true }).selectOption('completed');
  await expect(plot(page)).toHaveAttribute('data-of', 'before');
  await expect(plot(page)).toHaveAttribute('aria-busy', 'true');
  await expect(region(page)).toContainText('Still of the view before');
  await expect(region(page).locator('strong')).toHaveCount(0);
  expect([await heightOf(plot(page)), await heightOf(region(page))]).toEqual([height, frame]);
  const address = page.url();
  await drag(page, 0.2, 0.8);
  expect(page.url()).toBe(address);
  await control.noFaults();
  await expect(plot(page)).toHaveAttribute('data-of', 'view', { timeout: 20_000 });
  await expect(plot(page)).toHaveAttribute('aria-busy', 'false', { timeout: 20_000 });
  await expectOneTotal(page, all);
  expect([await heightOf(plot(page)), await heightOf(region(page))]).toEqual([height, frame]);
});

test('rows that fail leave no histogram to wait for, and one that fails says why, in the same height', async ({
  control,
  page,
}) => {
  await open(page, '/requests?range=7d');
  const frame = await heightOf(region(page));
  await control.fault({ service: 'logs:main', fault: { kind: 'status', status: 500 } });
  await page.getByLabel('State', { exact: true }).selectOption('failed');
  await expect(region(page)).toContainText('The histogram is not available while the rows are not.');
  expect(await heightOf(region(page))).toBe(frame);
  await control.noFaults();
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(exact(page)).toBeVisible();
  await page.route('**/api/view/requests/histogram**', (route) =>
    route.fulfill({
      status: 502,
      contentType: 'application/problem+json',
      body: JSON.stringify({ kind: 'failing', service: 'logs', detail: 'Down.', title: 'x', status: 502 }),
    }),
  );
  await page.getByLabel('State', { exact: true }).selectOption('completed');
  await expect(count(page)).toContainText('completed');
  await expect(region(page)).toContainText('Histogram not available: ');
  expect(await heightOf(region(page))).toBe(frame);
});

test('while rows are followed there is one total: the bars say of when they are', async ({
  control,
  page,
}) => {
  await open(page, '/requests?range=7d');
  await expectOneTotal(page);
  await page.getByRole('button', { name: 'Live', exact: true }).click();
  await control.clock({ speed: 10 });
  await expect(region(page).locator('strong')).toHaveText(/^as of \d\d:\d\d:\d\d UTC$/);
  await page.keyboard.press('l');
  await expect(page).not.toHaveURL(/live=/);
  await expectOneTotal(page);
});

test('of twenty thousand rows only counts are asked for, and they come to the same figures', async ({
  page,
}) => {
  const dashboard = await startDashboard({ SANDBOX_RECORDS: '20000' });
  try {
    await controlOf(dashboard.sandbox).clock({ stopped: true });
    await page.goto(`${dashboard.origin}/requests?range=all`);
    await expect(region(page).getByText(/^Exact, from counts/)).toBeVisible({ timeout: 40_000 });
    await expectOneTotal(page);
    const legend = await region(page).getByRole('listitem').allTextContents();
    const sum = legend.reduce((all, one) => all + Number(one.match(/[\d,]+$/)?.[0].replaceAll(',', '')), 0);
    expect(sum).toBe(Number((await total(page)).replace(/\D/g, '')));
    expect(sum).toBeGreaterThan(5000);
    const all = await total(page);
    await drag(page, 0.4, 0.6);
    await expect(page).toHaveURL(/from=.*to=/);
    await expectOneTotal(page, all);
  } finally {
    await dashboard.stop();
  }
});
