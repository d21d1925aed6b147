import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { isAccessible } from './looks';
import {
  button,
  cells,
  choose,
  count,
  countOfService,
  hourAgo,
  openRequests,
  panel,
  records,
  rowsOfService,
  totalOf,
  untilIndexed,
} from './requests-page';
import { wireRow } from './wire-row';

const dialog = (page: Page) => page.getByRole('dialog', { name: 'More filters' });
const search = (page: Page) => page.getByLabel('Search', { exact: true });

async function paste(page: Page, text: string): Promise<void> {
  await search(page).focus();
  await page.evaluate((words) => navigator.clipboard.writeText(words), text);
  await page.keyboard.press('Control+v');
}

test('several networks, states and keepers are filtered at once with counts and sums; Back removes them together', async ({
  dashboard,
  page,
}) => {
  const to = hourAgo();
  await openRequests(page, `/requests?to=${to}`);
  const countOf = (keeper: string, query = '') =>
    countOfService(dashboard.origin, `max_timestamp=${to}&keeper=${keeper}&${query}`);
  const ofService = async (query?: string) => (await countOf('main', query)) + (await countOf('test', query));
  await page.getByRole('combobox', { name: 'State', exact: true }).click();
  const failed = page.getByRole('option', { name: 'Failed', exact: true });
  await expect(failed).toContainText((await ofService('state=Failed')).toLocaleString('en-US'));
  await failed.click();
  await page.getByRole('option', { name: 'Callback failed', exact: true }).click();
  await choose(page, 'Network', 'Base', 'Blast');
  await expect(page).toHaveURL(/network=8453&network=81457&state=failed&state=callback-failed/);
  const queries = ['8453', '81457'].flatMap((network) =>
    ['Failed', 'CallbackErrored'].map((state) => `network_id=${network}&state=${state}`),
  );
  const sum = (await Promise.all(queries.map((query) => countOf('main', query)))).reduce((a, b) => a + b, 0);
  await expect.poll(() => totalOf(page)).toBe(sum);
  await page.goBack();
  await expect(page).not.toHaveURL(/network=/);
  await expect(page).toHaveURL(/state=failed&state=callback-failed/);
  await page.goBack();
  await expect(page).not.toHaveURL(/state=/);
  await expect(page.getByRole('combobox', { name: 'State', exact: true })).toHaveText('State: all');
  const keeper = page.getByRole('combobox', { name: 'Keeper', exact: true });
  await expect(keeper).toHaveText('Keeper: all');
  await expect.poll(() => totalOf(page)).toBe(await ofService());
  await choose(page, 'Keeper', 'main');
  await expect(keeper).toHaveText('Keeper: main');
  await expect.poll(() => totalOf(page)).toBe(await countOf('main'));
  await choose(page, 'Keeper', 'All keepers');
  await expect.poll(() => totalOf(page)).toBe(await ofService());
});

test('the menu of a cell filters for or without its value, with the pointer and by keyboard', async ({
  page,
}) => {
  await openRequests(page, '/requests?range=all&size=100');
  await untilIndexed(page);
  await openRequests(page, '/requests?range=all&size=100');
  const all = await totalOf(page);
  await cells(page, 'network').first().click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Filter out' }).click();
  await expect(page).toHaveURL(/not=network/);
  await expect.poll(() => totalOf(page)).toBeLessThan(all);
  const without = await totalOf(page);
  // A closing menu returns the focus to its previous place.
  await expect(page.getByRole('menu')).toHaveCount(0);
  await records(page).first().focus();
  // Network, sequence, created, state, failure, logged after, sender.
  for (let column = 0; column < 7; column += 1) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Filter for' }).press('Enter');
  await expect(page).toHaveURL(/sender=0x[0-9a-f]{40}/);
  await expect.poll(() => totalOf(page)).toBeLessThan(without);
  await expect(page.locator('tbody :focus, tbody tr:focus')).toHaveCount(1);
  await button(page, 'Clear').click();
  await expect(page).not.toHaveURL(/not=|sender=/);
});

test('every column has a filter over all rows; without matches the page says which to remove', async ({
  dashboard,
  page,
}) => {
  const to = hourAgo();
  await openRequests(page, `/requests?to=${to}&sort=gas-limit.asc&cols=network,gas-limit`);
  const rows = await rowsOfService(dashboard.origin, `max_timestamp=${to}&limit=1000`);
  const senders = new Map<string, number>();
  for (const { sender = '' } of rows) senders.set(sender, (senders.get(sender) ?? 0) + 1);
  const commonSender = [...senders].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '';
  await page.getByRole('button', { name: 'More filters' }).click();
  // A fast user can choose the typed value before the server answers.
  let answer: () => void = () => undefined;
  const delayed = new Promise<void>((resolve) => (answer = resolve));
  await page.route(/values[?].*find=/, (route) => delayed.then(() => route.continue()));
  const offered = page.getByRole('option').filter({ visible: true });
  await dialog(page).getByLabel('Sender').first().click();
  await expect(offered).not.toHaveCount(0);
  await dialog(page).getByLabel('Sender').first().fill(commonSender.slice(0, 12));
  await expect(offered).toHaveCount(1);
  answer();
  await offered.click();
  await expect(page).toHaveURL(new RegExp(`sender=${commonSender.toLowerCase()}`));
  await dialog(page).getByRole('button', { name: 'Show requests' }).click();
  await expect
    .poll(() => totalOf(page))
    .toBe(await countOfService(dashboard.origin, `max_timestamp=${to}&query=${commonSender}`));
  await page.getByRole('button', { name: /^Remove: Sender/ }).click();
  await expect(page).not.toHaveURL(/sender=/);

  await page.getByRole('button', { name: 'More filters' }).click();
  const lowest = dialog(page).getByLabel('Gas limit, min');
  await lowest.fill('500,000');
  await lowest.press('Enter');
  await expect(page).toHaveURL(/gas_limit=500000\.\./);
  await dialog(page).getByLabel('Logged after, s, min').fill('soon');
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByText(/minimum and a maximum/)).toBeVisible();
  await page.keyboard.press('Escape');
  const least = async () =>
    Number(String(await cells(page, 'gas-limit').first().textContent()).replaceAll(',', ''));
  await expect.poll(least).toBeGreaterThanOrEqual(500_000);

  await page.goto('/requests?range=all&network=8453&gas_limit=1..2');
  await expect(page.getByRole('heading', { name: 'No requests match' })).toBeVisible();
  await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toHaveCount(0);
  await page.getByRole('button', { name: /^Clear ranges · [\d,]+ requests?$/ }).click();
  await expect(page).not.toHaveURL(/gas_limit/);
  await page.goto('/requests?not=network:999999');
  await expect(button(page, 'Remove: Network not 999999')).toBeVisible();
});

test('the time filter takes a range, all time, or two typed moments', async ({ dashboard, page }) => {
  await openRequests(page, '/requests');
  await expect(count(page)).toHaveText(/^[\d,]+ requests in the last 24 h$/);
  await openRequests(page, '/requests?keeper=main');
  const range = page.getByLabel('Time range');
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
  await page.getByLabel('From', { exact: true }).fill('yesterday 14:00');
  await page.getByLabel('To', { exact: true }).fill('soon');
  await page.keyboard.press('Enter');
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  await expect(page).toHaveURL(new RegExp(`from=${yesterday}[T+ ]14(%3A|:)00`));
  await expect(page.getByText('Use YYYY-MM-DD HH:mm')).toBeVisible();
  await page.getByLabel('From', { exact: true }).fill('45m');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/range=45m/);
  await expect(count(page)).toContainText('in the last 45 min');
});

test('a pasted transaction hash in any spelling opens at once, though older than the view', async ({
  context,
  dashboard,
  page,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const before = new Date(Date.now() - 3 * 86_400_000).toISOString();
  const rows = await rowsOfService(dashboard.origin, `limit=20&max_timestamp=${before}`);
  // Some transactions have several requests.
  const isAlone = ({ request_tx_hash: tx }: (typeof rows)[0]) =>
    rows.filter((row) => row.request_tx_hash === tx).length === 1;
  const row = rows.slice(4, -4).find(isAlone);
  const hash = String(row?.request_tx_hash);
  await openRequests(page, '/requests');
  await paste(page, hash);
  await expect(panel(page)).toContainText(String(row?.sequence));
  await expect(page.getByRole('heading', { name: '1 match outside the last 24 h' })).toBeVisible();
  await page.getByRole('button', { name: 'Show in all time' }).click();
  await expect(panel(page)).toBeVisible();
  await expect(records(page)).toHaveCount(1);
  await search(page).fill('');
  await expect(page).not.toHaveURL(/q=/);
  await paste(page, `https://basescan.org/tx/${hash}#eventlog`);
  await expect(page.locator('[data-recognised="transaction"]')).toHaveText('Transaction');
  await expect(panel(page)).toContainText(String(row?.sequence));
});

test('the search takes an address, sequence, network or failure and says what it understood; Back and Forward follow', async ({
  dashboard,
  page,
}) => {
  const rows = await rowsOfService(dashboard.origin, `limit=200&max_timestamp=${hourAgo()}`);
  // A sender with a single request would be opened, as for a hash.
  const row = rows.find(({ sender }) => rows.filter((other) => other.sender === sender).length > 1);
  await openRequests(page, '/requests?range=all&state=failed');
  await untilIndexed(page);
  await search(page).fill('123');
  await expect(page).toHaveURL(/q=123(&|$)/);
  await search(page).fill(String(row?.sequence));
  await expect(page).toHaveURL(new RegExp(`q=${row?.sequence}(&|$)`));
  await page.keyboard.press('Enter');
  await expect(count(page)).toContainText(`sequence ${row?.sequence}`);
  await page.goBack();
  await expect(page).not.toHaveURL(/q=/);
  await expect(page).toHaveURL(/state=failed/);
  await expect(search(page)).toHaveValue('');
  await page.goForward();
  await expect(search(page)).toHaveValue(String(row?.sequence));
  await button(page, 'Clear').click();
  await search(page).fill(String(row?.sender));
  await expect(count(page)).toContainText('address 0x');
  await expect(records(page).first()).toBeVisible();

  await search(page).fill('blast');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/network=81457/);
  await expect(search(page)).toHaveValue('');
  await search(page).fill('insuff');
  await page
    .getByRole('option', { name: /^Failure/ })
    .first()
    .click();
  await expect(page).toHaveURL(/failure=/);
  await search(page).fill('hello there');
  await expect(page.getByText('No results. Not a hash, address or sequence.')).toBeVisible();

  const highlighted = page.getByRole('listbox').getByRole('option', { selected: true });
  await search(page).fill('base');
  // A suggestion may disappear while the list is completed, and the highlight with it.
  await expect(async () => {
    await page.keyboard.press('ArrowUp');
    const last = await highlighted.getAttribute('id', { timeout: 1000 });
    expect(await search(page).getAttribute('aria-activedescendant')).toBe(last);
  }).toPass();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('listbox')).toHaveCount(0);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(highlighted).toHaveText(/^Network ?Base$/);
  await isAccessible(page, '[role="listbox"]');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/network=8453/);

  await search(page).fill('');
  await search(page).click();
  await page.getByRole('option', { name: String(row?.sequence) }).click();
  await expect(page).toHaveURL(new RegExp(`q=${row?.sequence}`));
});

test('a network that appears while the page is open is found by its name', async ({ control, page }) => {
  await openRequests(page, '/requests');
  await untilIndexed(page);
  await control.rows('main', [wireRow({ chain_id: '"celo"', network_id: '42220', sequence: '77000042' })]);
  await expect(async () => {
    await button(page, 'Refresh').click();
    await expect(cells(page, 'network').filter({ hasText: 'Celo' })).toBeVisible({ timeout: 2000 });
  }).toPass();
  await search(page).fill('celo');
  await expect(page.getByRole('option', { name: /Network\s*Celo/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/network=42220/);
});

test('hundreds of filter values survive a reload; one too many is refused with a sentence', async ({
  page,
}) => {
  const networks = Array.from({ length: 578 }, (_, at) => `network=${900_000 + at}`);
  await openRequests(page, `/requests?range=all&network=8453&${networks.join('&')}`);
  await page.reload();
  await expect(records(page).first()).toBeVisible();
  await choose(page, 'State', 'Failed');
  const refusal = page.getByRole('alert', { name: 'Filter not applied' });
  await expect(refusal).toHaveText('At most 580 filter values are possible. Choose fewer.');
  await expect(page).not.toHaveURL(/state=/);
  const others = Array.from({ length: 330 }, (_, at) => `not=sender%3A0x${String(at).padStart(40, '0')}`);
  await openRequests(page, `/requests?range=all&${others.join('&')}`);
  await choose(page, 'State', 'Failed');
  await expect(page).toHaveURL(/state=failed/);
  await expect(refusal).toHaveCount(0);
  await page.getByRole('link', { name: 'Pending', exact: false }).first().click();
  await expect(page).toHaveURL(/\/pending$/);
  await page.goBack();
  await expect(page).toHaveURL(/state=failed.*sender/);
});
