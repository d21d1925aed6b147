import { expect, test } from './dashboard';
import {
  choose,
  count,
  countOfService,
  hourAgo,
  keysOf,
  openRequests,
  records,
  rowsOfService,
  table,
  totalOf,
} from './requests-page';

test('which requests were logged lately? The first answer holds the rows, before any script runs', async ({
  dashboard,
}) => {
  // One that has just been started reads them first.
  const drawn = async () => {
    const html = await (await fetch(`${dashboard.origin}/requests`)).text();
    return html.match(/<tr[^>]*data-row="record"/g)?.length;
  };
  await expect.poll(drawn).toBe(50);
});

test('the service fails, hangs or is gone? The rows are there all the same, and their age is said', async ({
  control,
  dashboard,
  page,
}) => {
  await openRequests(page, '/requests?range=all');
  const shown = await keysOf(page);
  await control.fault({ service: 'logs:main', fault: { kind: 'hang' } });
  const html = await (await fetch(`${dashboard.origin}/requests?range=all`)).text();
  expect(html.match(/<tr[^>]*data-row="record"/g)?.length).toBe(50);
  await page.reload();
  await expect(records(page)).toHaveCount(50);
  expect((await keysOf(page)).filter((key) => shown.includes(key)).length).toBeGreaterThan(40);
  // After 30 s without a sync.
  await expect(page.locator('[data-sync="stale"]')).toContainText(/synced \d+ (s|min) ago/, {
    timeout: 45_000,
  });
  await control.noFaults();
  await expect(page.locator('[data-sync="live"]')).toBeVisible({ timeout: 70_000 });
});

test('how many are there, and how far does the index reach?', async ({ dashboard, page }) => {
  const until = hourAgo();
  await openRequests(page, `/requests?to=${until}`);
  expect(await totalOf(page)).toBe(await countOfService(dashboard.origin, `max_timestamp=${until}`));
  await expect(page.locator('[data-sync]')).toContainText(/All since \d{4}-\d\d-\d\d\s*synced \d+ s ago/);
  await openRequests(page, '/requests');
  await expect(count(page)).toHaveText(/^[\d,]+ requests in the last 24 h$/);
});

test('what happened before these? Pages go on where the one before ended, by number too, and past the last one back', async ({
  page,
}) => {
  await openRequests(page, '/requests?range=all&size=25');
  const first = await keysOf(page);
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(page).toHaveURL(/page=2/);
  await expect.poll(async () => (await keysOf(page))[0]).not.toBe(first[0]);
  const second = await keysOf(page);
  expect(second.filter((key) => first.includes(key))).toEqual([]);
  await page.getByRole('button', { name: 'Previous page' }).click();
  await expect.poll(() => keysOf(page)).toEqual(first);
  await page.getByLabel('Go to page').fill('4');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/page=4/);
  await expect(page.getByText(/^Page 4 of \d+/)).toBeVisible();
  await openRequests(page, '/requests?range=1h');
  await page.goto('/requests?range=1h&page=3000');
  await expect(page.getByText('This page is beyond the last one')).toBeVisible();
  await page.getByRole('button', { name: /^Go to page \d+$/ }).click();
  await expect(records(page).first()).toBeVisible();
});

test('requests arrive and finish while I page: every row of the snapshot is shown once', async ({
  control,
  page,
}) => {
  await control.clock({ speed: 20 });
  await openRequests(page, '/requests?range=all&size=100');
  const seen = await keysOf(page);
  for (let number = 2; number <= 6; number += 1) {
    const before = await keysOf(page);
    await page.getByRole('button', { name: 'Next page' }).click();
    await expect.poll(async () => (await keysOf(page))[0]).not.toBe(before[0]);
    await expect(table(page)).toHaveAttribute('aria-busy', 'false');
    seen.push(...(await keysOf(page)));
  }
  expect(seen).toHaveLength(600);
  expect(new Set(seen).size).toBe(600);
});

test('by which column? Any of them, over all matches and not the page alone', async ({ dashboard, page }) => {
  const to = hourAgo();
  await openRequests(page, `/requests?network=8453&to=${to}`);
  await table(page)
    .getByRole('columnheader', { name: /^Sequence/ })
    .getByRole('button')
    .click();
  await expect(page).toHaveURL(/sort=sequence.desc/);
  const rows = await rowsOfService(dashboard.origin, `network_id=8453&max_timestamp=${to}&limit=1000`);
  const highest = rows.map(({ sequence }) => BigInt(sequence ?? 0)).toSorted((a, b) => (a < b ? 1 : -1))[0];
  await expect(records(page).first().locator('td[data-column="sequence"]')).toContainText(String(highest));
  await table(page)
    .getByRole('columnheader', { name: /^Sequence/ })
    .getByRole('button')
    .click();
  await expect(page).toHaveURL(/sort=sequence.asc/);
  await expect(table(page).getByRole('columnheader', { name: /^Sequence/ })).toHaveAttribute(
    'aria-sort',
    'ascending',
  );
});

test('how many rows fit on a page is mine to choose', async ({ page }) => {
  await openRequests(page, '/requests?range=all');
  await page.getByLabel('Rows per page').selectOption('100');
  await expect(page).toHaveURL(/size=100/);
  await expect(records(page)).toHaveCount(100);
});

test('a link whose filter can’t be read says so instead of showing something else', async ({ page }) => {
  await openRequests(page, '/requests?range=fortnight&size=many&state=failed');
  const problems = page.getByRole('list', { name: 'Unreadable parts of this link' });
  await expect(problems).toContainText('range=fortnight');
  await expect(problems).toContainText('size=many');
  await choose(page, 'State', 'All states');
  await expect(problems).toHaveCount(0);
});

test('the sender of a link saw another number? The page says so', async ({ page }) => {
  await openRequests(page, '/requests?range=all&expected=7');
  await expect(page.getByText(/Shared with 7 requests, now [\d,]+/)).toBeVisible();
});

test('without scripts the page says that nothing on it is live', async ({ browser, dashboard }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  for (const path of ['/requests', '/feeds']) {
    await page.goto(dashboard.origin + path);
    await expect(page.locator('noscript p')).toBeVisible();
  }
  await context.close();
});

test('the block explorer and the whole hash are one click away', async ({ context, page }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openRequests(page, '/requests?range=all&network=8453&state=completed');
  const cell = records(page).first().locator('td[data-column="reveal-tx"]');
  const link = cell.getByRole('link');
  await expect(link).toHaveAttribute('href', /^https:\/\/basescan\.org\/tx\/0x[0-9a-f]{64}$/);
  await expect(link).toHaveAttribute('rel', /noreferrer|noopener/);
  await cell.getByRole('button', { name: 'Copy callback transaction' }).click();
  const hash = String(await link.getAttribute('href'))
    .split('/')
    .at(-1);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(hash);
});
