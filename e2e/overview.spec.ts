import type { Page } from '@playwright/test';
import { RULE } from '@/sandbox/scenarios/rule-ids';
import { expect, test } from './fixtures';
import { looksWell } from './looks';
import { clockOf, incidentOf, NEXT_LOOK_MS } from './pending-page';
import { boxOf, openRequests, totalOf, untilIndexed } from './requests-page';

const FIGURES = ['requests', 'answered', 'callbacks-ok', 'p50', 'p95', 'pending'];
const figure = (page: Page, name: string) => page.locator(`[data-figure="${name}"]`);
const problems = (page: Page) => page.getByRole('region', { name: 'Problems now' });
const lines = (page: Page) => problems(page).getByRole('listitem');
const networks = (page: Page) => page.getByRole('table', { name: 'Networks' });
const failures = (page: Page) => page.getByRole('table', { name: 'Failures' });
const range = (page: Page, name: string) =>
  page.getByRole('radiogroup', { name: 'Range' }).getByText(name, { exact: true });

async function open(page: Page, query = ''): Promise<void> {
  await page.goto(`/${query}`);
  await expect(page.getByRole('table', { name: 'Most requests' })).toBeVisible({ timeout: 30_000 });
  await expect(page.locator('main [aria-busy="true"]')).toHaveCount(0);
  await expect(page.locator('main .recharts-surface')).toHaveCount(3);
}

test('panels that show the same data fetch it once', async ({ page }) => {
  await open(page);
  const cut: string[] = [];
  page.on('requestfailed', (request) => cut.push(request.url()));
  for (let times = 0; times < 3; times += 1) await page.waitForResponse(/insights\/problems/);
  expect(cut).toEqual([]);
});

test('current problems are on the first screen, worst first, with start and affected, and lead to their evidence', async ({
  control,
  page,
}) => {
  const [outage, contract] = (await control.scenario('mixed-outage-and-contract')).incidents;
  await open(page);
  const expected = [
    [outage, /Critical.*41 stuck, 12 senders/],
    [contract, /9 stuck, sender 0x[0-9a-f]{4}…[0-9a-f]{4} since.*(One sender’s requests|Callback reverts)/],
  ] as const;
  for (const size of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(size);
    for (const [made, text] of expected) {
      const line = lines(page).filter({ hasText: text }).first();
      await expect(line).toBeInViewport({ ratio: 1, timeout: NEXT_LOOK_MS });
      await expect(line.getByRole('strong')).toHaveText(/\S/);
      await expect(line).toContainText(/since .*\d\d:\d\d:\d\d UTC/);
      await expect(line).toContainText(clockOf(made?.since ?? ''));
    }
  }
  const first = page.locator('li[data-problem="incident"]').first();
  await expect(first).toContainText('Critical');
  await first.getByRole('link').click();
  await expect(page).toHaveURL(/\/pending\?incident=/);
  await expect(incidentOf(page, RULE.wholeNetwork, outage?.network_id ?? '')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Evidence' })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/\/$/);
});

test('pending requests of networks are not counted before each keeper was queried for them; changes name what they compare', async ({
  page,
}) => {
  await page.route(/view\/insights\?.*panel=networks/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), pendingUnread: true } });
  });
  await open(page);
  const row = networks(page).locator('tbody tr').first();
  await expect(row.getByText('not counted yet')).toHaveCount(2);
  await expect(networks(page).getByText(/\d stuck$/)).toHaveCount(0);
  await expect(figure(page, 'requests')).toContainText(/[+−±×][\d.,]+%? vs previous 24 h/);
  await expect(figure(page, 'pending')).toContainText(/[+−±][\d,]+%? vs 24 h ago/);
});

/** The first `critical` problems are critical. */
const problemsAnswer = (count: number, critical: number) => ({
  revision: 1,
  atMs: Date.now(),
  syncing: [],
  acknowledged: 0,
  compared: { networks: 9, of: 9 },
  quietSinceMs: null,
  problems: Array.from({ length: count }, (_, at) => ({
    id: `made/${at}`,
    kind: 'incident',
    networks: ['8453'],
    about: '',
    href: '/pending',
    level: at < critical ? 'bad' : 'warning',
    text: `${at + 2} stuck, sender 0x5d92…8c00`,
    sinceMs: Date.now() - 600_000,
    detail: 'One sender’s requests',
  })),
});

test('the strip of problems keeps its height while problems come and go, folds none that is critical, and opens the rest', async ({
  page,
}) => {
  let answer = problemsAnswer(1, 1);
  await page.route(/insights\/problems/, (route) => route.fulfill({ json: answer }));
  for (const size of [
    { width: 1440, height: 900, folded: 5 },
    { width: 390, height: 844, folded: 3 },
  ]) {
    await page.setViewportSize(size);
    await open(page);
    const heights = new Set<number>();
    for (const [count, critical] of [
      [1, 1],
      [0, 0],
      [2, 1],
      [9, 2],
      [4, 1],
    ] as const) {
      answer = problemsAnswer(count, critical);
      await expect(problems(page)).toHaveAttribute('data-problems', String(count), { timeout: NEXT_LOOK_MS });
      heights.add((await boxOf(problems(page))).height);
      const critically = problems(page).locator('li[data-level="bad"]');
      await expect(critically).toHaveCount(critical);
      for (const line of await critically.all()) await expect(line).toBeInViewport({ ratio: 1 });
    }
    expect([...heights], `${size.width} pixels`).toHaveLength(1);
    answer = problemsAnswer(9, 2);
    const all = problems(page).getByRole('button', { name: 'All 9 problems' });
    await expect(all).toBeVisible({ timeout: NEXT_LOOK_MS });
    const visible = problems(page).locator('li[data-level]:visible');
    await expect(visible).toHaveCount(size.folded);
    await all.click();
    await expect(visible).toHaveCount(9);
  }
});

test('four outages at once are on the first screen of a phone and of a desk, each with its start and whom it affects', async ({
  control,
  page,
}) => {
  await control.scenario('four-outages');
  await open(page);
  const patterns = [
    /Critical: Base: 41 stuck, 12 senders/,
    /Arbitrum One: /,
    /Blast: 9 stuck, sender 0x[0-9a-f]{4}…[0-9a-f]{4}/,
    /Abstract: p95 5\d\.\d s/,
  ];
  for (const size of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(size);
    for (const text of patterns) {
      const line = lines(page).filter({ hasText: text }).first();
      await expect(line).toBeInViewport({ ratio: 1, timeout: NEXT_LOOK_MS });
      await expect(line).toContainText(/since .*\d\d:\d\d:\d\d UTC/);
    }
    await expect(lines(page).first()).toContainText(patterns[0] ?? '');
  }
});

test('a network slower than typical is named with both figures, and leads to its slowest rows', async ({
  control,
  page,
}) => {
  await control.scenario('slow-network');
  await open(page);
  const line = lines(page)
    .filter({ hasText: /p95 5\d\.\d s/ })
    .first();
  await expect(line).toBeInViewport({ ratio: 1, timeout: NEXT_LOOK_MS });
  await expect(line).toContainText(
    /Base: p95 5\d\.\d s in the last hour since .*\d\d:\d\d:\d\d UTC.*Usually \d+\.\d s/,
  );
  const level = (await line.getAttribute('data-level')) ?? '';
  await line.getByRole('link').click();
  await expect(page).toHaveURL(/\/requests\?.*network=8453.*sort=duration\.desc/);
  await page.goto('/pending');
  const row = page.locator('tr[data-degraded="network/main/8453/slow"]');
  await expect(row).toContainText(/p95 5\d\.\d s/, { timeout: NEXT_LOOK_MS });
  await expect(row).toHaveAttribute('data-level', level);
  await expect(row).toContainText('Next: Compare the slowest requests');
  await expect(row.getByRole('link', { name: 'View requests' })).toHaveAttribute(
    'href',
    /\/requests\?.*network=8453.*sort=duration\.desc/,
  );
  await row.getByRole('button').click();
  const panel = page.getByRole('complementary', { name: 'Details' });
  await expect(panel).toContainText('Next step: Compare the slowest requests');
  const proof = panel.getByRole('list', { name: 'Requests that show it' }).getByRole('listitem');
  await expect(proof).toHaveCount(8, { timeout: NEXT_LOOK_MS });
  await looksWell(page);
});

test('a failing service is named until it works', async ({ control, dashboard, page }) => {
  await control.fault({ service: 'router', fault: { kind: 'status', status: 500 } });
  await fetch(`${dashboard.origin}/api/router/v1/symbols`);
  await open(page);
  const line = lines(page).filter({ hasText: 'Router' });
  await expect(line).toContainText(/server error/, { timeout: NEXT_LOOK_MS });
  await line.getByRole('link').click();
  await expect(page).toHaveURL(/\/services$/);
  await control.noFaults();
  await fetch(`${dashboard.origin}/api/router/v1/symbols`);
  await open(page);
  await expect(line).toHaveCount(0, { timeout: NEXT_LOOK_MS });
});

test('each figure leads to its rows, of the same number', async ({ page }) => {
  const iso = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString();
  await openRequests(page, '/requests?range=all');
  await untilIndexed(page);
  // Finished requests of these days no longer change.
  await page.goto(`/?from=${iso(9)}&to=${iso(1)}`);
  for (const name of FIGURES) {
    const link = figure(page, name).getByRole('link');
    const rows = Number(await link.getAttribute('data-rows'));
    const href = await link.getAttribute('href');
    const [path, query] = String(href).split('?');
    expect(path, name).toBe('/requests');
    const { total } = await (await page.request.get(`/api/view/requests/summary?${query}`)).json();
    if (name === 'pending') expect(Math.abs(total - rows), name).toBeLessThan(10);
    else expect(total, name).toBe(rows);
  }
  const failed = figure(page, 'callbacks-ok').getByRole('link');
  const rows = Number(await failed.getAttribute('data-rows'));
  await failed.click();
  await expect(page).toHaveURL(/\/requests\?/);
  await expect.poll(() => totalOf(page)).toBe(rows);
});

test('ranges, networks and keepers are kept in the address, and Back returns', async ({ page }) => {
  await open(page);
  await expect(figure(page, 'requests').getByText(/^[+−×±]/)).toBeVisible();
  const all = await figure(page, 'requests').textContent();
  await range(page, '7 d').click();
  await expect(page).toHaveURL(/\?range=7d$/);
  await expect(figure(page, 'requests')).not.toHaveText(String(all));
  await page.getByRole('combobox', { name: 'Network' }).click();
  await page.getByRole('option', { name: 'Base', exact: true }).click();
  await expect(page).toHaveURL(/\?range=7d&network=8453$/);
  await expect(networks(page).locator('tbody tr:not([data-network="8453"])')).toHaveCount(0);
  await page.goBack();
  await expect(page).toHaveURL(/\?range=7d$/);
  await page.goto('/?range=2h');
  await expect(page.getByText('A range is one of 1h, 6h, 24h, 7d, 30d.')).toBeVisible();
});

test('a drag zooms the chart, a bar opens its rows, and keys do both', async ({ control, page }) => {
  // No bar grows or moves meanwhile.
  await control.clock({ stopped: true });
  await open(page);
  const plot = page.locator('main .recharts-surface').first();
  const { x, y, width } = await boxOf(plot);
  await page.mouse.move(x + width * 0.5, y + 80);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.7, y + 80, { steps: 4 });
  await page.mouse.up();
  await expect(page).toHaveURL(/from=2.*&to=2/);
  await page.getByRole('button', { name: /^Zoom out/ }).click();
  await expect(page).not.toHaveURL(/from=/);
  const time = page.getByRole('slider', { name: /^Time/ });
  await time.press('Home');
  await time.press('Shift+ArrowRight');
  await time.press('Enter');
  await expect(page).toHaveURL(/from=2.*&to=2/);
  await open(page);
  await page.getByText('As a table').click();
  const bucket = page.getByRole('table', { name: /^Requests by state/ }).getByRole('link');
  const shown = (await bucket.allTextContents()).findIndex((text) => Number(text.replace(',', '')) > 3);
  const rows = Number((await bucket.nth(shown).textContent())?.replace(',', ''));
  await bucket.nth(shown).click();
  await expect.poll(() => totalOf(page)).toBe(rows);
});

test('the tables of networks, failures and senders sort, open, and lead to rows', async ({
  control,
  page,
}) => {
  await openRequests(page, '/requests?range=all');
  await untilIndexed(page);
  await control.clock({ stopped: true });
  await open(page, '?range=30d');
  await networks(page).getByRole('button', { name: 'Callback failed' }).click();
  const sorted = networks(page).getByRole('columnheader', { name: 'Callback failed' });
  await expect(sorted).toHaveAttribute('aria-sort', 'descending');
  await page.getByRole('button', { name: 'Problems first' }).click();
  await expect(sorted).toHaveAttribute('aria-sort', 'none');
  const details = failures(page).getByRole('button').first();
  await details.focus();
  await page.keyboard.press('Enter');
  await expect(details).toHaveAttribute('aria-expanded', 'true');
  await expect(failures(page).getByText('Next step')).toBeVisible();
  await looksWell(page);
  const rows = failures(page).getByRole('link', { name: /^View [\d,]+ requests?$/ });
  const count = Number(/[\d,]+/.exec(String(await rows.textContent()))?.[0].replaceAll(',', ''));
  await rows.click();
  await expect(page).toHaveURL(/failure=/);
  await expect.poll(() => totalOf(page)).toBe(count);
});

test('a failing panel says so in its place, the others stay, and nothing moves', async ({ page }) => {
  await page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        shifts.push((entry as PerformanceEntry & { value: number }).value);
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.setViewportSize({ width: 1440, height: 900 });
  // An index that is being read again finds further networks, and each adds a row.
  await openRequests(page, '/requests');
  await untilIndexed(page);
  let isBroken = true;
  await page.route(/panel=failures/, (route) =>
    isBroken ? route.fulfill({ status: 500, contentType: 'text/plain', body: 'no' }) : route.continue(),
  );
  await open(page);
  const panel = page.getByRole('region', { name: 'Failures by reason' });
  await expect(panel.getByRole('alert')).toContainText(/dashboard server/i, { timeout: 30_000 });
  isBroken = false;
  await panel.getByRole('button', { name: 'Try again' }).click();
  await expect(failures(page)).toBeVisible();
  const shift = await page.evaluate(() =>
    (window as unknown as { shifts: number[] }).shifts.reduce((sum, value) => sum + value, 0),
  );
  expect(shift).toBeLessThanOrEqual(0.01);
});

test('without requests each panel says so', async ({ page }) => {
  await openRequests(page, '/requests');
  await page.goto('/?range=1h&network=999999');
  for (const text of ['No requests in this range', 'No failures in this range', 'No senders in this range']) {
    await expect(page.getByText(text, { exact: true })).toBeVisible();
  }
  await expect(figure(page, 'answered')).toContainText('–');
});
