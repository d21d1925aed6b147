import type { Page } from '@playwright/test';
import { expect, test } from './dashboard';

const table = (page: Page) => page.getByRole('table', { name: 'Requests' });
const records = (page: Page) => table(page).locator('tbody tr[data-row="record"]');
const count = (page: Page) => page.getByRole('status').filter({ hasText: /requests?\b/ });
const keysOf = (page: Page) =>
  records(page).evaluateAll((rows) => rows.map((row) => row.getAttribute('data-key')));
const panel = (page: Page) => page.getByRole('complementary', { name: 'Request' });

/** How much the page jumped so far, by the browser's own measure; what follows a key or click at once counts if told. */
function shiftSoFar(page: Page, { asked = 'left out' } = {}): Promise<number> {
  return page.evaluate(
    (left) =>
      new Promise<number>((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            const shift = entry as PerformanceEntry & { value: number; hadRecentInput: boolean };
            if (!shift.hadRecentInput || left === 'counted') sum += shift.value;
          }
        }).observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => resolve(sum), 300);
      }),
    asked,
  );
}

test('when did they come? The histogram counts every match, and a zoom shows exactly its bars', async ({
  page,
}) => {
  await page.goto('/requests?range=7d');
  const histogram = page.getByRole('region', { name: 'Requests over time' });
  await expect(histogram.getByText(/^Exact, from/)).toBeVisible();
  const total = String(await count(page).textContent()).match(/[\d,]+/)?.[0] ?? '';
  await expect(histogram.getByText(`${total} requests`, { exact: true })).toBeVisible();
  const cursor = page.getByRole('slider', { name: /Time, Enter zooms in/ });
  await cursor.focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/from=.*to=/);
  await expect(count(page)).not.toContainText(total);
  await page.getByRole('button', { name: 'Zoom out' }).click();
  await expect(page).not.toHaveURL(/from=/);
});

test('several networks and states at once: counts beside each, and the rows of all of them', async ({
  page,
}) => {
  await page.goto('/requests?range=all');
  await page.getByRole('button', { name: 'Choose several networks' }).click();
  const choices = page.getByRole('dialog', { name: 'Choose several networks' });
  const base = choices
    .getByRole('listitem')
    .filter({ has: page.getByRole('checkbox', { name: /^Base 8453/ }) });
  await expect(base).toHaveText(/8453\s*\d/);
  await expect(choices.getByText('not served').first()).toBeVisible();
  await choices.getByRole('checkbox', { name: /^Base 8453/ }).check();
  await choices.getByRole('checkbox', { name: /^Blast 81457/ }).check();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/network=8453&network=81457/);
  await expect(count(page)).toContainText('on Base and Blast');
  const names = await records(page).locator('td:first-child').allTextContents();
  expect(new Set(names.map((name) => name.trim()))).toEqual(new Set(['Base', 'Blast']));
  await page.goBack();
  await expect(page).not.toHaveURL(/network=/);
});

test('only this, not this: a cell becomes a filter of the service, or of the loaded rows and says so', async ({
  page,
}) => {
  await page.goto('/requests?range=all');
  const menuOf = async (column: string) => {
    await records(page).first().locator(`td[data-column="${column}"]`).click({ button: 'right' });
    return page.getByRole('menu');
  };
  await (await menuOf('state')).getByRole('menuitem', { name: /^Only/ }).click();
  await expect(page).toHaveURL(/state=/);
  await page.goBack();
  await (await menuOf('sender')).getByRole('menuitem', { name: /^Not/ }).click();
  await expect(page).toHaveURL(/not=sender/);
  await expect(page.getByText(/of the 50 loaded rows are hidden/)).toBeVisible();
  await page.getByRole('button', { name: /^Remove: .*sender/i }).click();
  await expect(page).not.toHaveURL(/not=/);
});

test('new rows are counted while the result stays as it was opened, and one click brings them in', async ({
  control,
  page,
}) => {
  await page.goto('/requests?range=all');
  const before = await keysOf(page);
  await control.clock({ speed: 30 });
  const news = page.getByRole('button', { name: /^[\d,]+ new since/ });
  await expect(news).toBeVisible({ timeout: 20_000 });
  expect(await keysOf(page)).toEqual(before);
  await news.click();
  await expect.poll(async () => (await keysOf(page))[0]).not.toBe(before[0]);
});

test('where times are ages, new rows are still counted since a clock time', async ({
  context,
  control,
  page,
  baseURL,
}) => {
  await context.addCookies([{ name: 'ks-zone', value: 'relative:UTC', url: baseURL }]);
  await page.goto('/requests?range=all');
  await control.clock({ speed: 30 });
  await expect(page.getByRole('button', { name: /^[\d,]+ new since \d\d:\d\d:\d\d/ })).toBeVisible({
    timeout: 20_000,
  });
});

test('live: new rows appear and are marked, and wait while somebody reads', async ({ control, page }) => {
  await page.goto('/requests?range=all');
  await page.getByRole('button', { name: 'Live', exact: true }).click();
  await expect(page).toHaveURL(/live=\d/);
  await page.mouse.move(2, 2);
  await control.clock({ speed: 10 });
  await expect(table(page).locator('tr[data-mark="new"]').first()).toBeVisible();
  await records(page).nth(10).hover();
  await expect(page.getByText(/Paused while you read: \d+ new row/)).toBeVisible();
  const held = await keysOf(page);
  await expect(page.getByText(/Paused while you read: \d\d+ new row/)).toBeVisible();
  expect(await keysOf(page)).toEqual(held);
  await page.mouse.move(2, 2);
  await expect.poll(async () => (await keysOf(page))[0]).not.toBe(held[0]);
  await page.keyboard.press('l');
  await expect(page).not.toHaveURL(/live=/);
});

test('one request opens beside the table, and the keyboard goes on from row to row', async ({ page }) => {
  await page.goto('/requests?range=all');
  await expect(records(page).first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Next page' })).toBeEnabled();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(panel(page)).toBeVisible();
  await expect(records(page).nth(5)).toBeVisible();
  const first = await panel(page).getAttribute('data-open-request');
  await page.keyboard.press('j');
  await expect(panel(page)).not.toHaveAttribute('data-open-request', String(first));
  const address = page.url();
  await page.keyboard.press('Escape');
  await expect(panel(page)).toHaveCount(0);
  await expect(page).not.toHaveURL(/open=/);
  await page.goto(address);
  await expect(panel(page)).toBeVisible();
});

test('a link to a row that is on no loaded page opens it all the same', async ({ dashboard, page }) => {
  const { requests } = await (
    await fetch(`${dashboard.origin}/api/logs/v1/logs?limit=1&offset=900&state=Completed`)
  ).json();
  const [row] = requests;
  const key = ['main', row.network_id, row.provider, row.sequence, row.request_tx_hash].join('/');
  await page.goto(`/requests?range=1h&open=${encodeURIComponent(key)}`);
  await expect(panel(page)).toContainText(row.request_tx_hash);
});

test('columns that are chosen stay: in the link, and in this browser', async ({ page }) => {
  await page.goto('/requests?range=all');
  const header = (name: RegExp) => table(page).getByRole('columnheader', { name });
  await expect(header(/^Sender/)).toBeVisible();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: /Sender/ }).uncheck();
  await page.getByRole('checkbox', { name: 'Show Provider', exact: true }).click();
  await page.keyboard.press('Escape');
  await expect(header(/^Sender/)).toHaveCount(0);
  await expect(page).toHaveURL(/cols=/);
  await page.goto('/requests');
  await expect(header(/^Provider/)).toBeVisible();
  await expect(header(/^Sender/)).toHaveCount(0);
});

test('a part that can’t be fetched any more says so, and the rows stay', async ({ page }) => {
  await page.goto('/requests?range=all');
  await expect(page.getByText(/^Exact, from/)).toBeVisible();
  await page.route('**/_next/static/chunks/**', (route) => route.abort());
  await page.getByRole('button', { name: 'Choose several networks' }).click();
  await expect(page.getByText('could not be loaded from the dashboard')).toBeVisible();
  await expect(records(page).first()).toBeVisible();
});

test('oldest first is exact, any other column says how far it reaches', async ({ dashboard, page }) => {
  const { requests, total_results } = await (
    await fetch(`${dashboard.origin}/api/logs/v1/logs?limit=1000&offset=0`)
  ).json();
  expect(requests).toHaveLength(1000);
  const oldest = await (
    await fetch(`${dashboard.origin}/api/logs/v1/logs?limit=1&offset=${total_results - 1}`)
  ).json();
  await page.goto('/requests?range=all&sort=created.asc');
  await expect(records(page).first()).toHaveAttribute(
    'data-key',
    new RegExp(oldest.requests[0].request_tx_hash),
  );
  await page.goto('/requests?range=all');
  await table(page)
    .getByRole('columnheader', { name: /^Gas limit/ })
    .getByRole('button')
    .first()
    .click();
  await expect(page).toHaveURL(/sort=gas-limit/);
});

test('nothing jumps: loading, filtering, paging and live rows move nothing', async ({ control, page }) => {
  await page.goto('/requests?range=all');
  await expect(page.getByText(/^Exact, from/)).toBeVisible();
  await page.getByLabel('State', { exact: true }).selectOption('completed');
  await expect(count(page)).toContainText('completed');
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(page).toHaveURL(/page=2/);
  await page.getByRole('button', { name: 'Live', exact: true }).click();
  await page.mouse.move(2, 2);
  await control.clock({ speed: 10 });
  await expect(table(page).locator('tr[data-mark]').first()).toBeVisible();
  expect(await shiftSoFar(page)).toBeLessThanOrEqual(0.01);
});

test('nothing jumps: rows that a filter takes from among others, and Back brings again, move nothing', async ({
  control,
  page,
}) => {
  await control.clock({ stopped: true });
  await page.goto('/requests?range=all');
  await expect(page.getByText(/^Exact, from/)).toBeVisible();
  const all = await keysOf(page);
  await records(page).first().locator('td[data-column="network"]').click({ button: 'right' });
  await page.getByRole('menuitem', { name: /^Only/ }).click();
  await expect.poll(async () => (await keysOf(page))[1]).not.toBe(all[1]);
  expect((await keysOf(page))[0]).toBe(all[0]);
  await page.goBack();
  await expect.poll(() => keysOf(page)).toEqual(all);
  expect(await shiftSoFar(page, { asked: 'counted' })).toBeLessThanOrEqual(0.01);
});

test('a thousand rows: the table holds few of them at a time, and all can be scrolled to', async ({
  page,
}) => {
  await page.goto('/requests?range=all&size=1000');
  await expect(table(page)).toHaveAttribute('aria-rowcount', '1001');
  expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThanOrEqual(3000);
  await expect(page.getByText(/^Exact, from/)).toBeVisible();
  // What draws a long page is loaded after the page itself.
  await expect(async () => {
    await records(page).first().focus();
    await page.keyboard.press('End');
    await expect(table(page).locator('tr[aria-rowindex="1001"]')).toBeFocused({ timeout: 1000 });
  }).toPass();
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test('rows are cards, filters a sheet, and nothing overflows', async ({ page }) => {
    await page.goto('/requests?range=all');
    await expect(records(page).first()).toBeVisible();
    const box = await records(page).first().boundingBox();
    expect(box?.width).toBeLessThanOrEqual(390);
    await expect(records(page).first().locator('td[data-label="Sender"]')).toBeVisible();
    await page.getByRole('button', { name: /^Filters/ }).click();
    const sheet = page.getByRole('dialog', { name: 'Filters' });
    await sheet.getByLabel('State', { exact: true }).selectOption('failed');
    await page.keyboard.press('Escape');
    await expect(page).toHaveURL(/state=failed/);
    await expect(sheet).toBeHidden();
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
  });

  test('however many words say what is counted, the way out of the filters is in sight', async ({ page }) => {
    await page.goto('/requests?range=1h&q=0x0000000000000000000000000000000000000001');
    const out = page.getByRole('button', { name: 'Clear filters' });
    await expect(page.getByText('No requests match')).toBeVisible();
    await expect(out).toBeInViewport({ ratio: 1 });
    await out.click();
    await expect(page).not.toHaveURL(/q=/);
  });
});
