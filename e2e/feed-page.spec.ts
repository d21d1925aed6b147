import { readFile } from 'node:fs/promises';
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from './dashboard';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const PATH = '/feeds/Crypto.BTC/USD';
/** The call budget of the service lets a window fill in half a minute at most. */
const FILLED = { timeout: 90_000 };

test.beforeEach(() => test.setTimeout(150_000));

const chartOf = (page: Page) => page.getByRole('slider', { name: /Chart of/ });
const drawn = (page: Page) =>
  expect(page.locator('.recharts-line-curve').first()).toBeAttached({ timeout: 30_000 });

test('one feed by its symbol: price, chart, and the past of the window', async ({ page }) => {
  await page.goto(PATH);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Crypto.BTC/USD');
  await expect(page.locator('[data-figure="price"]')).toHaveText(/\d/);
  await drawn(page);
  await expect(page.locator('[data-samples="complete"]')).toBeAttached(FILLED);
  await expect(chartOf(page)).toHaveAttribute('aria-valuetext', /lowest .* highest .* updates in [45] min/);
  await expect(
    page
      .getByRole('table', { name: /Updates of/ })
      .getByRole('row')
      .nth(5),
  ).toBeVisible();
});

test('the same feed by its id, and with its slash encoded', async ({ page }) => {
  for (const path of [`/feeds/${BTC}`, '/feeds/Crypto.BTC%2FUSD', `/feeds/0x${BTC.toUpperCase()}`]) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Crypto.BTC/USD');
  }
});

test('no such feed? It says so, and the service is not asked for its past', async ({ control, page }) => {
  await page.goto('/feeds/Crypto.NOTHING/USD');
  await expect(page.getByRole('heading', { name: 'Unknown feed' })).toBeVisible();
  const unknown = 'ab'.repeat(32);
  await page.goto(`/feeds/${unknown}`);
  await expect(page.getByText(/does not know this feed/)).toBeVisible();
  await expect(page.getByText('No price in this window')).toBeVisible({ timeout: 30_000 });
  const { calls } = await control.calls('updates', 'at-time');
  expect(calls.filter(({ query }) => query.includes(unknown))).toEqual([]);
});

test('what was an hour ago? Keys and buttons lead there and back, and the address says where', async ({
  page,
}) => {
  await page.goto(PATH);
  await drawn(page);
  await page.getByRole('button', { name: '1 h', exact: true }).click();
  await expect(page).toHaveURL(/window=1h/);
  await chartOf(page).focus();
  await page.keyboard.press('PageUp');
  await expect(page).toHaveURL(/to=2/);
  await page.keyboard.press('-');
  await expect(page).toHaveURL(/window=90m/);
  await page.getByRole('button', { name: 'Back to live' }).click();
  await expect(page).not.toHaveURL(/to=/);
  await expect(page.getByRole('button', { name: 'Live' })).toBeDisabled();
  await page.goBack();
  await expect(page).toHaveURL(/to=2/);
});

test('the chart follows the pointer: drag moves it, the wheel zooms', async ({ page }) => {
  await page.goto(PATH);
  await drawn(page);
  const box = await chartOf(page).boundingBox();
  if (box === null) throw new Error('no chart');
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await page.mouse.move(middle.x, middle.y);
  await page.mouse.down();
  await page.mouse.move(middle.x + 150, middle.y, { steps: 5 });
  await page.mouse.up();
  await expect(page).toHaveURL(/to=2/);
  await page.mouse.wheel(0, 600);
  await expect(page).toHaveURL(/window=/);
});

test('which price was it there, exactly? The crosshair says it with every digit', async ({ page }) => {
  await page.goto(PATH);
  await drawn(page);
  const box = await chartOf(page).boundingBox();
  if (box === null) throw new Error('no chart');
  await page.mouse.move(box.x + box.width * 0.6, box.y + 100);
  const readout = page.locator('dl').filter({ hasText: 'Published' }).filter({ hasText: 'UTC' }).last();
  await expect(readout.getByText(/^\d{4,6}\.\d{8}$/).first()).toBeVisible(FILLED);
});

test('can I compare it? Indexed to 100, or on two axes', async ({ page }) => {
  await page.goto(PATH);
  await drawn(page);
  await page.getByRole('combobox').first().fill('ETH/USD');
  await page
    .getByRole('option', { name: /Crypto\.ETH\/USD/ })
    .first()
    .click();
  await expect(page).toHaveURL(/with=ff61491a/);
  await expect(page.getByRole('listbox', { name: 'Feeds' })).toBeHidden();
  await expect(page.locator('.recharts-line-curve')).toHaveCount(2);
  await page.getByRole('radio', { name: 'Two axes' }).check();
  await expect(page).toHaveURL(/mode=axes/);
  await expect(page.locator('.recharts-yAxis')).toHaveCount(2);
  await page.getByRole('button', { name: 'Remove Crypto.ETH/USD' }).click();
  await expect(page).not.toHaveURL(/with=/);
});

test('what is chosen shows at once, however slow this computer is', async ({ page }) => {
  await page.goto(`${PATH}?with=Crypto.ETH/USD`);
  await expect(page.locator('.recharts-line-curve')).toHaveCount(2);
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 6 });
  // Both look right after the press, and not again: a mark that springs back meanwhile is seen.
  await page.getByRole('radio', { name: 'Two axes' }).check();
  await page.getByText('Advanced: options of the stream').click();
  await page.getByRole('checkbox', { name: /allow_unordered/ }).check();
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await expect(page).toHaveURL(/mode=axes/);
});

test('what is missing of the feeds beside it? Their gaps are counted too, and a feed that can’t be shown is named', async ({
  page,
}) => {
  await page.goto(`${PATH}?with=Crypto.ETH/USD,Sandbox.ZERO/USD`);
  await drawn(page);
  const gaps = page.getByRole('list', { name: 'Gaps of the compared feeds' });
  await expect(gaps).toContainText('What is shaded are the gaps of Crypto.BTC/USD');
  await expect(gaps).toContainText(/Crypto\.ETH\/USD: /);
  await expect(page.getByText(/Not shown in the chart: Sandbox\.ZERO\/USD, since/)).toBeVisible();
  const legend = page.getByRole('list', { name: 'Feeds in the chart' });
  await expect(legend.getByRole('listitem').nth(2)).toContainText('not shown: its price is zero');
});

test('can I take it away? As CSV with every digit', async ({ page }) => {
  await page.goto(PATH);
  await drawn(page);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV', exact: true }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^BTC-USD-.*\.csv$/);
  const text = (await readFile(await file.path())).toString();
  expect(text).toMatch(/^symbol,id,.*\nCrypto\.BTC\/USD,e62df6c8.*,\d+\.\d{8},/);
});

test('the past is asked for once, however many look at it', async ({ browser, control, dashboard }) => {
  const to = '2026-01-05T12:00:00Z';
  const look = async () => {
    const page = await browser.newPage();
    await page.goto(`${dashboard.origin}${PATH}?window=15m&to=${to}`);
    await drawn(page);
    await expect(page.locator('[data-samples="complete"]')).toBeAttached(FILLED);
    await page.close();
  };
  await look();
  const calls = async () => (await control.calls('updates', 'at-time')).total;
  const before = await calls();
  await look();
  expect(before).toBeGreaterThan(40);
  expect(await calls()).toBe(before);
});

test('the service limits our calls? The chart keeps what it has, says so, and goes on', async ({
  control,
  page,
}) => {
  await control.fault({
    service: 'updates',
    route: 'at-time',
    fault: { kind: 'status', status: 429, retryAfter: '3' },
  });
  await page.goto(`${PATH}?window=1h`);
  await expect(page.getByText(/History is incomplete/)).toBeVisible();
  await control.noFaults();
  await expect(page.locator('[data-samples="loading"], [data-samples="complete"]')).toBeAttached(FILLED);
});

test('options of the stream: another choice is another stream, and it is in the address', async ({
  page,
}) => {
  await page.goto(PATH);
  await expect(page.locator('[data-connection="live"]')).toBeVisible();
  await page.getByText('Advanced: options of the stream').click();
  await page.getByRole('checkbox', { name: /benchmarks_only/ }).check();
  await expect(page).toHaveURL(/options=benchmarks_only/);
  await expect(page.locator('[data-connection="live"]')).toBeVisible();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`everybody can use it: no accessibility faults (${colorScheme})`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.goto(`${PATH}?window=15m&with=Crypto.ETH/USD`);
    await drawn(page);
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)).toEqual([]);
  });
}
