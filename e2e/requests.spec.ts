import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { expectToFit, isAccessible, looksWell } from './looks';
import {
  boxOf,
  button,
  cells,
  choose,
  count,
  countOfService,
  header,
  hourAgo,
  keysOf,
  openRequests,
  panel,
  records,
  rowsOfService,
  shiftSoFar,
  table,
  totalOf,
  untilIndexed,
} from './requests-page';
import { startTcpProxy } from './tcp-proxy';

const chart = (page: Page) => page.getByRole('region', { name: 'Requests over time' });

test('all matches are sorted by any column, and pages continue where the one before ended though rows arrive', async ({
  control,
  dashboard,
  page,
}) => {
  const to = hourAgo();
  await openRequests(page, `/requests?network=8453&to=${to}`);
  await untilIndexed(page);
  const ofService = `network_id=8453&max_timestamp=${to}`;
  const counted = await countOfService(dashboard.origin, ofService);
  await expect.poll(() => totalOf(page)).toBe(counted);
  await expect(page.locator('[data-sync]')).toContainText(/All since \d{4}-\d\d-\d\d UTC\s*synced \d+ s ago/);
  const sequence = header(page, /^Sequence/);
  await sequence.getByRole('button').click();
  await expect(page).toHaveURL(/sort=sequence.desc/);
  const rows = await rowsOfService(dashboard.origin, `${ofService}&limit=1000`);
  const highest = rows.map(({ sequence }) => BigInt(sequence ?? 0)).toSorted((a, b) => (a < b ? 1 : -1))[0];
  await expect(cells(page, 'sequence').first()).toContainText(String(highest));
  await sequence.getByRole('button').click();
  await expect(page).toHaveURL(/sort=sequence.asc/);
  await expect(sequence).toHaveAttribute('aria-sort', 'ascending');

  await control.clock({ speed: 20 });
  await openRequests(page, '/requests?range=all&size=25');
  const first = await keysOf(page);
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(page).toHaveURL(/page=2/);
  await expect.poll(async () => (await keysOf(page))[0]).not.toBe(first[0]);
  expect((await keysOf(page)).filter((key) => first.includes(key))).toEqual([]);
  await page.getByRole('button', { name: 'Previous page' }).click();
  await expect.poll(() => keysOf(page)).toEqual(first);
  await page.getByLabel('Go to page').fill('4');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Page 4 of \d+/)).toBeVisible();
  await page.getByLabel('Rows per page').selectOption('100');
  await expect(page).toHaveURL(/size=100/);
  await expect(records(page)).toHaveCount(100);
});

test('an unreadable link says so, and a page beyond the last leads back', async ({ page }) => {
  await page.goto('/requests?range=1h&page=3000&size=many&range=fortnight');
  const problems = page.getByRole('list', { name: 'Unreadable parts of this link' });
  await expect(problems).toContainText('range=fortnight');
  await expect(problems).toContainText('size=many');
  await expect(page.getByText('Page out of range')).toBeVisible();
  await expect(page.getByText(/Page 3,000/)).toHaveCount(0);
  await page.getByRole('button', { name: /^Go to page \d+$/ }).click();
  await expect(records(page).first()).toBeVisible();
  await expect(problems).toHaveCount(0);
});

test('a pinned list tells the present age of the index, and a pin in the future is refused', async ({
  page,
  request,
}) => {
  const html = await (await request.get(`/requests?asof=${hourAgo()}`)).text();
  expect(html).toMatch(/synced \d+ s ago/);
  await page.goto(`/requests?asof=${new Date(Date.now() + 7_200_000).toISOString()}`);
  await expect(page.getByText(/has not come yet/)).toBeVisible();
  await page.getByRole('button', { name: 'Back to newest' }).click();
  await expect(records(page).first()).toBeVisible();
  await expect(page).not.toHaveURL(/asof/);
  await openRequests(page, `/requests?from=${hourAgo()}&to=2099-01-01T00:00:00Z`);
  await expect(page.getByRole('status').filter({ hasText: / requests? so far from / })).toBeVisible();
});

test('six figures of any view lead to their rows, failures also to reason and transaction', async ({
  context,
  dashboard,
  page,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const to = hourAgo();
  await openRequests(page, `/requests?network=8453&to=${to}`);
  const figure = (label: string) => page.locator(`[data-figure="${label}"]`);
  const reverted = await countOfService(
    dashboard.origin,
    `max_timestamp=${to}&network_id=8453&state=CallbackErrored`,
  );
  await expect(figure('Answered')).toHaveText(/ \d+(\.\d)?%$/);
  await expect(figure('Callbacks OK')).toHaveText(/ \d+(\.\d)?%$/);
  await expect(figure('p95')).toHaveText(/\d s$/);
  await figure('Callbacks OK').getByRole('button').click();
  await expect(page).toHaveURL(/state=callback-failed/);
  await expect.poll(() => totalOf(page)).toBe(reverted);
  const failure = cells(page, 'failure').first();
  await expect(failure).toBeInViewport();

  const callback = cells(page, 'reveal-tx').first();
  const link = callback.getByRole('link');
  await expect(link).toHaveAttribute('href', /^https:\/\/basescan\.org\/tx\/0x[0-9a-f]{64}$/);
  await expect(link).toHaveAttribute('rel', /noreferrer|noopener/);
  await callback.getByRole('button', { name: 'Copy callback transaction' }).click();
  const hash = String(await link.getAttribute('href'))
    .split('/')
    .at(-1);
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(hash);

  await failure.click();
  const same = panel(page).locator('[data-same-failures]').getByRole('link');
  await expect(same).toHaveText(
    /^(One of [\d,]+ failures|The only failure) with this reason in the last 7 days$/,
  );
  await expect(same).toHaveAttribute('href', /failure=.*range=7d|range=7d.*failure=/);
  await same.click();
  await expect(page).toHaveURL(/failure=/);
  // Requests that failed before their callback may have the same reason.
  await expect(table(page).locator('tr[data-state]:not([data-state$="failed"])')).toHaveCount(0);
  await expect(records(page).first()).toBeVisible();
});

test('pending requests are not counted before each keeper was queried for them', async ({ page }) => {
  await page.route(/api\/view\/revisions/, async (route) => {
    const { index } = await (await page.request.get('/api/view/requests')).json();
    const unread = index.map((status: object) => ({ ...status, coversAll: false, pendingAtMs: null }));
    const update = { revision: 1, nowMs: Date.now(), pending: null, index: unread };
    await route.fulfill({
      contentType: 'text/event-stream',
      body: `event: message\ndata: ${JSON.stringify(update)}\n\n`,
    });
  });
  await openRequests(page, '/requests?range=all');
  await expect(page.locator('[data-figure="Completed"]')).toHaveText(/ [\d,]+$/);
  await expect(page.locator('[data-figure="Pending"]')).toHaveText('Pending not counted yet');
});

test('a screen shows 22 rows, a tablet two columns of cards; loading, filtering, paging and live rows move nothing', async ({
  control,
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await openRequests(page, '/requests?range=all');
  const first = await boxOf(records(page).first());
  expect(first.y).toBeLessThanOrEqual(220);
  expect(first.height).toBe(28);
  const end = (await boxOf(page.getByRole('navigation', { name: 'Pages' }))).y;
  expect(Math.floor((end - first.y) / first.height)).toBeGreaterThanOrEqual(22);
  await expect(chart(page).getByRole('slider')).toBeAttached();
  await choose(page, 'State', 'Completed');
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(page).toHaveURL(/page=2/);
  await button(page, 'Live').click();
  await page.mouse.move(2, 2);
  await control.clock({ speed: 10 });
  await expect(table(page).locator('tr[data-mark]').first()).toBeVisible();
  expect((await shiftSoFar(page)).sum).toBeLessThanOrEqual(0.01);
  await control.clock({ stopped: true });
  await expectToFit(page, 768);
  await expect(async () => {
    const box = await boxOf(records(page).nth(0));
    const other = await boxOf(records(page).nth(1));
    expect(other.y).toBe(box.y);
    expect(other.x).toBeGreaterThanOrEqual(box.x + box.width - 1);
  }).toPass();
});

test('on a phone the first row is within 300 pixels, targets are large enough, and a request is a bottom sheet', async ({
  control,
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openRequests(page, '/requests?range=all');
  await control.clock({ speed: 20 });
  await expect(page.getByRole('button', { name: /^\d+\+? new$/ })).toBeVisible();
  expect((await boxOf(records(page).first())).y).toBeLessThanOrEqual(300);
  await expect(button(page, 'Columns')).toBeHidden();
  await button(page, 'More').click();
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
  await cells(page, 'state').first().click();
  const sheet = page.getByRole('dialog', { name: 'Request' });
  await expect(sheet.getByRole('heading', { name: 'Timeline' })).toBeVisible();
  await expect.poll(async () => (await boxOf(sheet)).y).toBeGreaterThan(60);
  await isAccessible(page, '[role="dialog"]');
  await sheet.getByRole('button', { name: 'Close' }).click();
  await expect(sheet).toHaveCount(0);
});

test('an open list, a menu, the filters, a panel and an empty result are accessible', async ({ page }) => {
  // Each check visits every element of the page.
  await openRequests(page, '/requests?range=all&size=25');
  await page.getByRole('combobox', { name: 'State' }).click();
  await expect(page.getByRole('listbox').getByRole('option').first()).toBeVisible();
  await isAccessible(page, '[role="listbox"]');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('combobox', { name: 'State' })).toBeFocused();
  await page.getByLabel('Search', { exact: true }).fill('base');
  await expect(page.getByRole('option', { name: /^Network ?Base$/ })).toBeVisible();
  await isAccessible(page, 'search');
  await page.keyboard.press('Escape');
  await records(page).first().locator('td').nth(1).click({ button: 'right' });
  await expect(page.getByRole('menuitem').first()).toBeVisible();
  await isAccessible(page, '[role="menu"]');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'More filters' }).click();
  await expect(page.getByRole('dialog', { name: 'More filters' })).toBeVisible();
  await isAccessible(page, '[role="dialog"]');
  await page.keyboard.press('Escape');
  await records(page).nth(2).click();
  await expect(panel(page)).toBeVisible();
  await looksWell(page, 'aside');
  await page.goto('/requests?range=1h&q=0x0000000000000000000000000000000000000001&bogus=1');
  await expect(page.getByRole('heading', { name: 'No requests match' })).toBeVisible();
  await looksWell(page, 'main');
});

test('the chart counts every match; dragging over bars, or keys, show their rows', async ({ page }) => {
  await openRequests(page, '/requests?range=7d');
  const counted = async () => `${(await totalOf(page)).toLocaleString('en-US')} requests`;
  // Count and chart belong to one moment, but the test does not read them at once.
  await expect(async () => {
    expect(await chart(page).locator('p.sr-only').textContent()).toContain(await counted());
  }).toPass();
  const total = await totalOf(page);
  const { x, y, width } = await boxOf(chart(page).locator('svg').first());
  await page.mouse.click(x + width / 3, y + 30);
  await expect(page).not.toHaveURL(/from=/);
  await page.mouse.move(x + width / 3, y + 30);
  await page.mouse.down();
  await page.mouse.move(x + width / 2, y + 30, { steps: 5 });
  await page.mouse.up();
  await expect(page).toHaveURL(/from=.*to=/);
  await expect.poll(() => totalOf(page)).toBeLessThan(total);
  await expect(count(page)).toHaveText(/from \d{4}-\d\d-\d\d .* to \d{4}-\d\d-\d\d /);
  await page.getByRole('button', { name: 'Zoom out' }).click();
  await expect(page).toHaveURL(/from=.*to=/);
  await page.goBack();
  await page.goBack();
  await expect(page).not.toHaveURL(/from=/);
  const cursor = chart(page).getByRole('slider', { name: /Enter zooms in/ });
  await cursor.focus();
  for (const key of ['ArrowLeft', 'ArrowLeft', 'Shift+ArrowLeft', 'Shift+ArrowLeft'])
    await page.keyboard.press(key);
  await expect(cursor).toHaveAttribute('aria-valuetext', /^\d{4}-\d\d-\d\d .+: [\d,]+ requests?/);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/from=.*to=/);
});

test('rows of the previous view stay, dimmed, until new ones arrive, also while our own server fails', async ({
  page,
}) => {
  await openRequests(page, '/requests?range=all');
  let answer: () => void = () => undefined;
  const delayed = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**/api/view/requests?*', async (route) => {
    await delayed;
    await route.abort();
  });
  await choose(page, 'State', 'Failed');
  await expect(table(page)).toHaveAttribute('data-status', 'outdated');
  answer();
  const alert = page.getByRole('alert').filter({ hasText: /\S/ });
  await expect(alert).toContainText('Dashboard server unreachable');
  await expect(records(page)).toHaveCount(50);
  await expect(page.getByText('No requests match')).toHaveCount(0);
  await page.unroute('**/api/view/requests?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(alert).toHaveCount(0);
  await expect(table(page)).toHaveAttribute('data-status', 'current');
  await expect(records(page).first()).toHaveAttribute('data-state', 'failed');
  // The rows are counted by now, so an outdated empty answer must not show "none match".
  const json = { rows: [], total: '0', revision: 0, asof: new Date().toISOString(), clocks: [], index: [] };
  await page.route('**/api/view/requests?*', (route) => route.fulfill({ json }));
  await choose(page, 'State', 'Completed');
  await expect(page.getByText('No requests found so far')).toBeVisible();
});

test('when our own server returns, requested rows come with the first update, not with the next attempt', async ({
  dashboard,
  page,
}) => {
  const way = await startTcpProxy(() => [dashboard.origin]);
  try {
    await openRequests(page, `${way.origin}/requests?range=all`);
    const json = { kind: 'starting', detail: 'It starts.', retryAfterS: 600 };
    await page.route('**/api/view/requests?*', (route) => route.fulfill({ status: 503, json }));
    await choose(page, 'State', 'Failed');
    await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toBeVisible();
    await page.unroute('**/api/view/requests?*');
    way.cut();
    await expect(table(page)).toHaveAttribute('data-status', 'current');
    await expect(records(page).first()).toHaveAttribute('data-state', 'failed');
  } finally {
    way.close();
  }
});

test('the first HTML holds the newest rows, before any script runs, and while the service hangs', async ({
  browser,
  control,
  dashboard,
}) => {
  const drawn = async () => {
    const html = await (await fetch(`${dashboard.origin}/requests`)).text();
    return html.match(/<tr[^>]*data-row="record"/g)?.length;
  };
  // Scripts render the other rows of the page's 50. A new dashboard reads them first.
  await expect.poll(drawn).toBe(25);
  await control.fault({ service: 'logs:main', fault: { kind: 'hang' } });
  expect(await drawn()).toBe(25);
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  for (const path of ['/requests', '/feeds']) {
    await page.goto(dashboard.origin + path);
    await expect(page.locator('noscript p')).toBeVisible();
  }
  await context.close();
});
