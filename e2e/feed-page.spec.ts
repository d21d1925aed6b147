import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { looksWell } from './looks';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const PATH = '/feeds/Crypto.BTC/USD';
const FILLED = { timeout: 60_000 };

// The past of a chart is requested moment by moment, within the call budget.
test.use({ settings: { UPDATES_CALLS_PER_S: '50' } });
test.beforeEach(() => test.setTimeout(150_000));

const chartOf = (page: Page) => page.getByRole('slider', { name: /Chart of/ });
const lines = (page: Page) => page.locator('.line-price .recharts-line-curve');
const drawn = (page: Page) => expect(lines(page).first()).toBeAttached({ timeout: 30_000 });

async function boxOf(page: Page) {
  const box = await chartOf(page).boundingBox();
  if (box === null) throw new Error('no chart');
  return box;
}

test('one feed by its symbol: price, a filled chart, each price to its last digit on the crosshair and as CSV', async ({
  page,
}) => {
  await page.goto(`${PATH}?window=15m`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Crypto.BTC/USD');
  await expect(page.locator('[data-figure="price"]')).toHaveText(/\d/);
  await drawn(page);
  await expect(chartOf(page)).toHaveAttribute(
    'aria-valuetext',
    /lowest .* highest .* updates in 1[45] min/,
    FILLED,
  );
  await expect(page.locator('[data-gaps]')).toHaveText(/Backfilled before \d.* UTC\.$/);
  // There may have been other prices and silences between two samples, which is said once.
  await expect(page.locator('[data-fact="Updates"]')).toContainText(/\d+ s samples/);
  await expect(page.locator('main').getByText(/sample/)).toHaveCount(1);
  // Publish times are whole seconds, so that of several updates of a second only the first has a latency.
  await expect(page.getByRole('columnheader', { name: 'Latency' })).toBeVisible();
  await expect(page.getByRole('row', { name: 'Backfilled, every' })).toBeVisible();
  const rows = page.getByRole('table', { name: /Updates of/ }).getByRole('row');
  await expect(rows.nth(5)).toBeVisible();
  await expect(page.getByRole('progressbar', { name: 'Loading history' })).toHaveCount(0, FILLED);
  const box = await boxOf(page);
  await page.mouse.move(box.x + box.width * 0.3, box.y + 100);
  const readout = chartOf(page).locator('dl').filter({ hasText: 'Published' });
  await expect(readout.getByText(/^\d{1,3},\d{3}\.\d{8}$/).first()).toBeVisible();
  const distance = async () => ((await readout.boundingBox())?.x ?? 0) - box.x - box.width * 0.3;
  await expect.poll(async () => Math.abs(await distance())).toBeLessThan(60);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV', exact: true }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^BTC-USD-.*\.csv$/);
  const text = (await readFile(await file.path())).toString();
  expect(text).toMatch(/^symbol,id,.*\nCrypto\.BTC\/USD,e62df6c8.*,\d+\.\d{8},/);
});

test('the headline, the tag of the chart and the row of figures show the same update at every moment', async ({
  page,
}) => {
  // An axis of its own does not replace the price of the first feed.
  await page.goto(`${PATH}?window=1m&mode=axes&with=Crypto.ETH/USD`);
  await drawn(page);
  await expect(page.locator('[role="slider"] g.num text').first()).toHaveText(/\d/, { timeout: 30_000 });
  await expect(page.getByRole('progressbar', { name: 'Loading history' })).toHaveCount(0, FILLED);
  const samples = await page.evaluate(async () => {
    const text = (selector: string) => document.querySelector(selector)?.textContent ?? '';
    const row = 'table[aria-label="Figures of the chart"] tbody tr';
    const seen = new Set<string>();
    for (const endMs = performance.now() + 10_000; performance.now() < endMs; ) {
      const price = text('[data-fact="Price"] [data-figure="price"]');
      const tags = [...document.querySelectorAll('[role="slider"] g.num text')].map((tag) => tag.textContent);
      const last = document.querySelector<HTMLDataElement>(`${row} > :nth-child(2) data`)?.value ?? '';
      const moves = [text('[data-fact="Price"] [data-figure="move"]'), text(`${row} [data-figure="move"]`)];
      seen.add(JSON.stringify({ price, tags, last, moves }));
      await new Promise((done) => setTimeout(done, 5));
    }
    return [...seen].map(
      (reading): { price: string; tags: string[]; last: string; moves: [string, string] } =>
        JSON.parse(reading),
    );
  });
  expect(samples.length).toBeGreaterThan(2);
  const plain = (text: string) => text.replaceAll(',', '');
  for (const { price, tags, last, moves } of samples) {
    expect(plain(last)).toBe(price);
    expect(moves[1]).toBe(moves[0]);
    const isTagged = tags.some((tag) => price.startsWith(plain(tag)));
    expect(isTagged, `${tags.join(', ')} of ${price}`).toBe(true);
  }
});

test('an id or an encoded slash leads to the same feed; an unknown feed is named without a call', async ({
  control,
  page,
}) => {
  for (const path of [`/feeds/${BTC}`, '/feeds/Crypto.BTC%2FUSD', `/feeds/0x${BTC.toUpperCase()}`]) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Crypto.BTC/USD');
  }
  await page.goto('/feeds/Crypto.NOTHING/USD');
  await expect(page.getByRole('heading', { name: 'Unknown feed' })).toBeVisible();
  const unknown = 'ab'.repeat(32);
  await page.goto(`/feeds/${unknown}`);
  await expect(page.getByText(/Unknown to the price update service/)).toBeVisible();
  const { calls } = await control.everyCall('updates', 'at-time');
  expect(calls.filter(({ query }) => query.includes(unknown))).toEqual([]);
});

test('price and latency share one time axis and one crosshair, which disappears when the scale changes', async ({
  page,
}) => {
  await page.goto(`${PATH}?window=1m`);
  await drawn(page);
  await expect(page.locator('.latency path').first()).toBeAttached({ timeout: 30_000 });
  await expect(chartOf(page).locator('.recharts-xAxis')).toHaveCount(1);
  await expect(chartOf(page).getByText(/^Latency \d/)).toBeVisible();
  const { x, y, width, height } = await boxOf(page);
  const crosshair = chartOf(page).locator('.recharts-tooltip-cursor');
  const readout = chartOf(page).locator('dl').filter({ hasText: 'Published' });
  await page.mouse.move(x + width * 0.6, y + 100);
  await page.mouse.move(x + width * 0.6 + 1, y + 100);
  await expect(readout).toBeVisible();
  expect((await crosshair.boundingBox())?.height).toBeGreaterThan(height * 0.85);
  await page.mouse.wheel(0, 300);
  await expect(page).not.toHaveURL(/window=1m/);
  await expect(readout).toBeHidden();
  await expect(crosshair).toHaveCount(0);
  await page.mouse.move(x + width * 0.5, y + 100);
  await expect(readout).toBeVisible();
});

test('the confidence band can be left out, and the address says so', async ({ page }) => {
  await page.goto(PATH);
  await drawn(page);
  const bands = chartOf(page).locator('.recharts-area:not(.latency)');
  await expect(bands).toHaveCount(1);
  await page.getByRole('checkbox', { name: 'Confidence band' }).uncheck();
  await expect(bands).toHaveCount(0);
  await expect(page).toHaveURL(/band=off/);
  await page.reload();
  await expect(page.getByRole('checkbox', { name: 'Confidence band' })).not.toBeChecked();
});

test('keys, buttons, pointer and wheel lead to the past, and the address keeps the place', async ({
  page,
}) => {
  await page.goto(PATH);
  await drawn(page);
  await page.getByRole('radiogroup', { name: 'Window' }).getByText('1 h', { exact: true }).click();
  await expect(page).toHaveURL(/window=1h/);
  await chartOf(page).focus();
  await page.keyboard.press('PageUp');
  await expect(page).toHaveURL(/to=2/);
  await page.keyboard.press('-');
  await expect(page).toHaveURL(/window=90m/);
  await page.getByRole('button', { name: 'Back to live' }).click();
  await expect(page).not.toHaveURL(/to=/);
  await expect(page.getByRole('button', { name: 'Back to live' })).toBeHidden();
  await page.goBack();
  await expect(page).toHaveURL(/to=2/);
  await page.goto(PATH);
  await drawn(page);
  const { x, y, width, height } = await boxOf(page);
  const middleX = x + width / 2;
  const middleY = y + height / 2;
  await page.mouse.move(middleX, middleY);
  await page.mouse.down();
  await page.mouse.move(middleX + 150, middleY, { steps: 5 });
  await page.mouse.up();
  await expect(page).toHaveURL(/to=2/);
  await page.mouse.wheel(0, 600);
  await expect(page).toHaveURL(/window=/);
});

test.describe('on a phone', () => {
  test.use({ hasTouch: true, viewport: { width: 390, height: 844 } });

  test('one finger moves the chart, two zoom it, and the page still scrolls past it', async ({ page }) => {
    await page.goto(`${PATH}?window=15m`);
    await drawn(page);
    const session = await page.context().newCDPSession(page);
    const topOf = async (selector: string) => (await page.locator(selector).boundingBox())?.y ?? 0;
    const { y } = await boxOf(page);
    expect(await topOf('[data-fact="Price"]')).toBeLessThan(y);
    expect(await topOf('[data-fact="High"]')).toBeGreaterThan(y);
    await chartOf(page).scrollIntoViewIfNeeded();
    const touch = async (from: readonly number[], to: readonly number[]) => {
      const box = await boxOf(page);
      const points = (part: number) =>
        from.map((x, id) => ({
          id,
          x: box.x + x + ((to[id] ?? x) - x) * part,
          y: box.y + box.height / 2 + id,
        }));
      await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: points(0) });
      for (const part of [0.25, 0.5, 0.75, 1]) {
        await session.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: points(part) });
      }
      await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    await touch([60], [220]);
    await expect(page).toHaveURL(/window=15m&to=2/);
    await touch([130, 190], [70, 250]);
    await expect(page).not.toHaveURL(/window=15m/);
    expect(await chartOf(page).evaluate((chart) => getComputedStyle(chart).touchAction)).toBe('pan-y');
  });
});

test('feeds are compared indexed to 100 or on two axes, each with confidence, EMA and counted gaps', async ({
  page,
}) => {
  await page.goto(PATH);
  await drawn(page);
  await page.getByRole('combobox', { name: 'Add a feed' }).fill('ETH/USD');
  await page
    .getByRole('option', { name: /Crypto\.ETH\/USD/ })
    .first()
    .click();
  await expect(page).toHaveURL(/with=ff61491a/);
  await expect(lines(page)).toHaveCount(2);
  await expect(page.locator('.line-ema')).toHaveCount(2);
  const strokes = () => lines(page).evaluateAll((all) => all.map((line) => getComputedStyle(line).stroke));
  await expect.poll(async () => new Set(await strokes()).size).toBe(2);
  const figures = page.getByRole('table', { name: 'Figures of the chart' }).getByRole('row');
  await expect(figures).toHaveCount(3);
  for (const symbol of ['Crypto.BTC/USD', 'Crypto.ETH/USD'])
    await expect(figures.filter({ hasText: symbol })).toContainText(/p50\s.+ · p95\s/);
  await looksWell(page);
  await page.getByRole('radiogroup', { name: 'Scale' }).getByText('Two axes').click();
  await expect(page).toHaveURL(/mode=axes/);
  // One for each feed; that of the latency follows, once a fifth of the window is measured.
  expect(await chartOf(page).locator('.recharts-yAxis').count()).toBeGreaterThan(1);
  await page.getByRole('button', { name: 'Remove Crypto.ETH/USD' }).click();
  await expect(page).not.toHaveURL(/with=/);
  await page.goto(`${PATH}?with=Sandbox.ZERO/USD`);
  await expect(page.getByText(/Not in the chart: Sandbox\.ZERO\/USD/)).toBeVisible({ timeout: 30_000 });
});

test('a rate limit and a closed market are shown in the chart, which goes on', async ({ control, page }) => {
  const fault = { kind: 'status', status: 429, retryAfter: '3' } as const;
  await control.fault({ service: 'updates', route: 'at-time', fault });
  await page.goto('/feeds/Sandbox.MARKET/USD?window=1h&to=2026-01-05T15:00:00Z');
  await expect(page.getByText(/History incomplete/)).toBeVisible({ timeout: 30_000 });
  await control.noFaults();
  await expect(page.locator('[data-gaps]')).toHaveAttribute('data-gaps', 'closed', FILLED);
  await expect(page.locator('.shade-closed').first()).toBeAttached();
  await expect(page.locator('[data-gaps]')).toContainText(/Market closed: 1/);
});

test('while both price hosts fail, the page consistently says that there is no price, and never live', async ({
  control,
  page,
}) => {
  for (const service of ['updates', 'upgraded']) {
    await control.fault({ service, fault: { kind: 'status', status: 503 } });
  }
  await page.goto('/feeds/Crypto.XRP/USD');
  const main = page.getByRole('main');
  await expect(main.getByText('No live prices')).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole('heading', { level: 1 }).locator('+ *')).toHaveText('No price');
  for (const untrue of ['Live', 'Waiting', /last received/, /backoff\.\s+Retrying in/]) {
    await expect(main.getByText(untrue, { exact: true })).toHaveCount(0);
  }
  await control.noFaults();
  await expect(main.getByText('Live', { exact: true })).toBeVisible(FILLED);
  await expect(page.getByRole('heading', { level: 1 }).locator('+ *')).toHaveText('Live');
});
