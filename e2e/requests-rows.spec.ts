import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { isAccessible } from './looks';
import { openRequests, panel, records, rowsOfService, table } from './requests-page';
import { PROVIDER, secondsAgo, wireRow } from './wire-row';

const search = (page: Page) => page.getByLabel('Search', { exact: true });
const tools = (page: Page) => page.getByRole('toolbar', { name: 'Selected requests' });

test('a row is a link: Ctrl-click and the middle button open it in a tab, a plain click beside the table', async ({
  context,
  page,
}) => {
  await openRequests(page, '/requests?state=completed&range=all');
  const row = records(page).nth(2);
  const link = row.locator('td[data-column="sequence"]').getByRole('link');
  const sequence = String(await link.textContent());
  for (const how of [{ modifiers: ['ControlOrMeta'] }, { button: 'middle' }] as const) {
    const [tab] = await Promise.all([
      context.waitForEvent('page'),
      link.click(how as Parameters<typeof link.click>[0]),
    ]);
    await expect(tab).toHaveURL(new RegExp(`/requests/\\d+/${sequence}\\?keeper=(main|test)&`));
    await expect(tab.getByRole('heading', { level: 1 })).toContainText(sequence);
    await tab.close();
  }
  await expect(panel(page)).toHaveCount(0);
  await link.click();
  await expect(panel(page)).toContainText(sequence);
  await expect(page).toHaveURL(/\/requests\?/);
});

test('several rows are selected by keys and clicks: their hashes copied, their rows exported, pending ones acknowledged', async ({
  context,
  control,
  page,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const hashOf = (digit: string) => `0x${digit.repeat(64)}`;
  const rowOf = (digit: string, state: string) =>
    wireRow({
      sequence: `7700000${digit}`,
      created_at: secondsAgo(600),
      last_updated_at: secondsAgo(600),
      request_tx_hash: `"${hashOf(digit)}"`,
      sender: `"0x${digit.repeat(40)}"`,
      state,
    });
  const [pending, completed] = ['{"state":"pending"}', '{"state":"completed","callback_failed":false}'];
  await control.rows('main', [rowOf('7', pending), rowOf('8', completed), rowOf('9', pending)]);
  await openRequests(page, `/requests?range=all&provider=${PROVIDER}&sort=sequence.asc`);
  await expect(records(page)).toHaveCount(3, { timeout: 30_000 });
  await records(page).first().focus();
  await page.keyboard.press('x');
  await expect(tools(page)).toContainText('1 selected');
  await records(page)
    .nth(2)
    .locator('td[data-column="created"]')
    .click({ modifiers: ['Shift'] });
  await expect(tools(page)).toContainText('3 selected');
  await records(page).nth(1).locator('td[data-column="created"]').click();
  await expect(tools(page)).toContainText('2 selected');
  await expect(records(page).getByRole('checkbox', { checked: true })).toHaveCount(2);
  await expect(panel(page)).toHaveCount(0);
  await isAccessible(page);
  await tools(page).getByRole('button', { name: 'Copy hashes' }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe(`${hashOf('7')}\n${hashOf('9')}`);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    tools(page).getByRole('button', { name: 'Export NDJSON' }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^requests-.*\.ndjson$/);
  const lines = readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { sequence: 77000007, keeper: 'main' },
    { sequence: 77000009, keeper: 'main' },
  ]);
  await tools(page).getByRole('button', { name: 'Acknowledge: 2 pending requests' }).click();
  await page.getByRole('button', { name: 'Acknowledge', exact: true }).click();
  await expect(tools(page).getByRole('button', { name: /^Acknowledge/ })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await records(page).first().focus();
  await page.keyboard.press('Escape');
  await expect(tools(page)).toHaveCount(0);
  await records(page).first().locator('td[data-column="created"]').click();
  await expect(panel(page)).toContainText('77000007');
});

test('the first row is at most 12 stops of the Tab key from the address bar', async ({ page }) => {
  const isRow = () => page.evaluate(() => document.activeElement?.matches('tr[data-index]') === true);
  for (const width of [390, 1024, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await openRequests(page, '/requests');
    let stops = 0;
    while (stops < 40 && !(await isRow())) {
      await page.keyboard.press('Tab');
      stops += 1;
    }
    expect(stops, `${width} pixels`).toBeLessThanOrEqual(12);
  }
  // Arrow keys reach everything within the navigation.
  const nav = page.getByRole('navigation', { name: 'Main' });
  await nav.getByRole('link', { name: 'Overview', exact: true }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(nav.getByRole('link', { name: 'Requests', exact: true })).toBeFocused();
  for (let at = 0; at < 5; at += 1) await page.keyboard.press('ArrowRight');
  await expect(nav.getByRole('link', { name: /^Service health/ })).toBeFocused();
});

test('an id is found from the palette as from the search: its request opens, and the list says that it is older', async ({
  dashboard,
  page,
}) => {
  const before = new Date(Date.now() - 3 * 86_400_000).toISOString();
  const rows = await rowsOfService(dashboard.origin, `limit=20&max_timestamp=${before}`);
  const isAlone = ({ request_tx_hash: tx }: (typeof rows)[0]) =>
    rows.filter((row) => row.request_tx_hash === tx).length === 1;
  const row = rows.slice(4, -4).find(isAlone);
  await page.goto('/services');
  await expect(page.getByRole('button', { name: 'Command palette' })).toBeEnabled();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to' }).fill(String(row?.request_tx_hash));
  await expect(page.getByRole('option', { name: /^Find transaction/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(panel(page)).toContainText(String(row?.sequence));
  await expect(page.getByRole('heading', { name: '1 match outside the last 24 h' })).toBeVisible();
  await expect(search(page)).toHaveValue(String(row?.request_tx_hash));
});

test('Enter takes the first choice that fits what was typed into a filter', async ({ page }) => {
  await openRequests(page, '/requests?range=all');
  await page.getByRole('combobox', { name: 'Network', exact: true }).click();
  await page.getByRole('textbox', { name: 'Find in network' }).fill('blast');
  const options = page.getByRole('listbox', { name: 'Network options' }).getByRole('option');
  await expect(options).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/network=81457/);
  await expect(page.getByRole('combobox', { name: 'Network', exact: true })).toHaveText('Network: Blast');
});

test('a wide screen shows hashes in full, and a phone the longest state', async ({ page }) => {
  await page.setViewportSize({ width: 2560, height: 1300 });
  await openRequests(page, '/requests?state=callback-failed&range=all');
  const sender = records(page).first().locator('td[data-column="sender"]').getByRole('link');
  await expect(sender).toHaveText(/^0x[0-9a-f]{40}$/);
  await page.setViewportSize({ width: 390, height: 844 });
  const badge = records(page).first().locator('td[data-column="state"] > *').first();
  expect(await badge.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0);
});

test('printed, the table has all rows of its page, no controls, and the mark of the sandbox', async ({
  page,
}) => {
  await openRequests(page, '/requests?range=all&size=250');
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  await expect(records(page)).toHaveCount(250);
  await expect(page.getByRole('status', { name: 'Sandbox' })).toBeVisible();
  await expect(page.getByRole('search')).toBeHidden();
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeHidden();
  await expect(page.getByRole('link', { name: 'Overview', exact: true })).toBeHidden();
  const colours = await table(page).evaluate((element) => getComputedStyle(element).color);
  expect(colours).toMatch(/^rgb\((\d|[1-3]\d), /);
});
