import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { looksWell } from './looks';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
/** Data of this second no longer change. */
const PAST = '2026-01-05T12:00:00Z';

const table = (page: Page) => page.getByRole('table', { name: 'Prices of each source' });
const row = (page: Page, name: string | RegExp) => table(page).getByRole('row').filter({ hasText: name });
const cell = (page: Page, name: string | RegExp, source: string) =>
  row(page, name).locator(`td[data-source="${source}"]`);
const price = (page: Page, name: string, source: string) =>
  cell(page, name, source).locator('[data-figure="price"]');
const done = (page: Page) => expect(page.locator('[data-phase="ended"]')).toBeVisible({ timeout: 30_000 });

/** Exact, in groups of three; `expo` is negative. */
function decimal(digits: string, expo: number): string {
  const padded = digits.padStart(1 - expo, '0');
  return `${padded.slice(0, expo).replace(/\B(?=(\d{3})+$)/g, ',')}.${padded.slice(expo)}`;
}

/** The first event of a stream, as the service sent it. */
async function firstEvent(origin: string, query: string) {
  const stop = new AbortController();
  const response = await fetch(`${origin}/api/updates/v2/updates/price/stream?${query}`, {
    signal: stop.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (reader !== undefined && !/data:.*\n\n/.test(text)) {
    const { done: isOver, value } = await reader.read();
    if (isOver) break;
    text += value;
  }
  stop.abort();
  return JSON.parse(/data:(.*)\n/.exec(text)?.[1] ?? '{}').parsed[0];
}

test('the present price of each source is shown side by side, by symbol', async ({ page }) => {
  await page.goto('/prices');
  await expect(page.getByRole('link', { name: 'Payload inspector' })).toBeVisible();
  // The page begins with the feeds of the board.
  for (const symbol of ['Crypto.BTC/USD', 'Crypto.ETH/USD'])
    await expect(price(page, symbol, 'updates')).toHaveText(/\d/, { timeout: 30_000 });
  // The button is only for the pointer.
  await page.locator('[aria-label="Clear feeds"]').click();
  await expect(page).toHaveURL(/\/prices\?ids=$/);
  await page.getByRole('combobox', { name: 'Add a feed' }).fill('btc/usd');
  await page.getByRole('option', { name: /Crypto\.BTC\/USD/ }).click();
  await expect(page).toHaveURL(new RegExp(`ids=${BTC}`));
  for (const source of ['updates', 'upgraded', 'router']) {
    await expect(cell(page, 'Crypto.BTC/USD', source)).toHaveText(/^[\d,]+\.\d{8}/);
  }
  await expect(cell(page, 'Crypto.BTC/USD', 'deprecated')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.getByRole('checkbox', { name: /Deprecated route/ }).check();
  await expect(page).toHaveURL(/sources=updates,upgraded,deprecated,router/);
  await expect(cell(page, 'Crypto.BTC/USD', 'deprecated')).toHaveText(/\d/);
  await expect(cell(page, 'Crypto.BTC/USD', 'deprecated')).not.toContainText('Emitter chain');
  await page.getByText('All figures').click();
  await expect(page).toHaveURL(/figures=all/);
  await expect(cell(page, 'Crypto.BTC/USD', 'deprecated')).toContainText('Emitter chain');
});

test('a quote that equals the first one is its price alone, until all figures are wanted', async ({
  page,
}) => {
  await page.goto(`/prices?ids=${BTC}&at=${PAST}&sources=updates,upgraded`);
  await expect(price(page, 'Crypto.BTC/USD', 'updates')).toHaveText(/^[\d,]+\.\d{8}$/);
  await expect(cell(page, 'Crypto.BTC/USD', 'upgraded')).toHaveText(/^[\d,]+\.\d{8}= Old host$/);
  await page.getByText('All figures').click();
  await expect(cell(page, 'Crypto.BTC/USD', 'upgraded')).toContainText('Confidence');
});

test('the price of a moment equals that of the stream to the digit, on every host and route', async ({
  page,
  dashboard,
}) => {
  const streamed = await firstEvent(dashboard.origin, `ids[]=${BTC}&benchmarks_only=true`);
  const { price: spot, ema_price: ema } = streamed;
  await page.goto(
    `/prices?ids=${BTC}&at=${spot.publish_time}&sources=updates,upgraded,deprecated&figures=all`,
  );
  for (const source of ['updates', 'upgraded', 'deprecated']) {
    await expect(price(page, 'Crypto.BTC/USD', source)).toHaveText(decimal(spot.price, spot.expo));
    await expect(cell(page, 'Crypto.BTC/USD', source)).toContainText(`±${decimal(spot.conf, spot.expo)}`);
    await expect(cell(page, 'Crypto.BTC/USD', source)).toContainText(decimal(ema.price, ema.expo));
    await expect(cell(page, 'Crypto.BTC/USD', source)).toContainText(String(streamed.metadata.slot));
  }
  await expect(row(page, 'Crypto.BTC/USD')).toContainText('Equal');
});

test('each failing service has its failure in its column', async ({ page, control }) => {
  const plain = { kind: 'body', contentType: 'text/plain', body: 'Come back <b>later</b>' };
  await control.fault({ service: 'updates', route: 'at-time', fault: plain });
  await control.fault({ service: 'upgraded', route: 'at-time', fault: { kind: 'status', status: 500 } });
  await control.fault({ service: 'router', route: 'price', fault: { kind: 'status', status: 403 } });
  await page.goto(`/prices?ids=${BTC}&at=${PAST}&sources=updates,upgraded,deprecated,router`);
  await expect(price(page, 'Crypto.BTC/USD', 'deprecated')).toHaveText(/\d/);
  await expect(page.getByRole('status', { name: 'Agreement' })).toContainText('Nothing to compare');
  await expect(cell(page, 'Crypto.BTC/USD', 'updates')).toContainText('plain text, “Come back <b>later</b>”');
  await expect(cell(page, 'Crypto.BTC/USD', 'upgraded')).toContainText('Server error');
  await expect(cell(page, 'Crypto.BTC/USD', 'router')).toContainText('API key rejected');
  await expect(cell(page, 'Crypto.BTC/USD', 'router')).toContainText('ROUTER_API_KEY');
});

test('prices that differ by more than their confidence are marked, with the figures', async ({
  page,
  control,
}) => {
  const figures = '{"price":"100","conf":"1","expo":0,"publish_time":1767614400}';
  const body = `{"binary":{"encoding":"hex","data":[]},"parsed":[{"id":"${BTC}","price":${figures},"ema_price":${figures}}]}`;
  const fault = { kind: 'body', contentType: 'application/json', body };
  await control.fault({ service: 'upgraded', route: 'at-time', fault });
  await page.goto(`/prices?ids=${BTC}&at=${PAST}&sources=updates,upgraded`);
  await expect(row(page, 'Crypto.BTC/USD')).toContainText('more than the sum of their confidences');
  await expect(row(page, 'Crypto.BTC/USD').getByText('Apart', { exact: true })).toBeVisible();
  await expect(page.getByText('1 of 1 feed differs')).toBeVisible();
  for (const source of ['updates', 'upgraded'])
    await expect(cell(page, 'Crypto.BTC/USD', source)).toContainText('Confidence');
});

test('a rate-limited lookup is retried when the service allows it', async ({ page, control }) => {
  await control.fault({
    service: 'upgraded',
    route: 'at-time',
    fault: { kind: 'status', status: 429, retryAfter: '6' },
    count: 1,
  });
  await page.goto(`/prices?ids=${BTC}&at=${PAST}&figures=all`);
  await expect(page.getByText(/Upgraded host is rate-limited: retry in/)).toBeVisible();
  await expect(price(page, 'Crypto.BTC/USD', 'upgraded')).toHaveText(/\d/, { timeout: 30_000 });
});

test('a lookup is saved as a file with every row, also from a link with many times', async ({ page }) => {
  // Only the first moment of an old link with a series is fetched.
  await page.goto(`/prices?ids=${BTC}&at=${PAST}/2026-01-05T12:06:00Z/1s&sources=updates,router`);
  await expect(page.getByText('One time per lookup')).toBeVisible();
  await expect(page.getByText(/^1 feed · 2 calls/)).toBeVisible();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  const file = await download;
  const lines = (await readFile(await file.path())).toString().trim().split('\n');
  expect(file.suggestedFilename()).toMatch(/^prices-.*\.csv$/);
  expect(lines).toHaveLength(1 + 2 + 2);
  expect(lines[1]).toMatch(/^2026-01-05T12:00:00Z,Crypto\.BTC\/USD,e62df6c8\w+,1,updates,price,,\d+\.\d{8},/);
  expect(lines.at(-1)).toBe('# complete: yes');
});

test('a lookup is available as sent, as curl, and as a link', async ({ page }) => {
  await page.goto(`/prices?ids=${BTC}&at=${PAST}&formats=evm&encoding=base64&mode=json`);
  await expect(page.getByText('"encoding":"base64"').first()).toBeVisible();
  await expect(page.getByRole('region', { name: /^Router, / })).toContainText('"evm":');
  await expect(page.getByRole('region', { name: /^Router, / })).toContainText(/POST · 200 · [\d,]+ ms/);
  await page.getByText('curl', { exact: true }).click();
  await expect(page).toHaveURL(/mode=curl/);
  const router = page.getByRole('region', { name: /^Router, / });
  await expect(router).toContainText('Bearer $ROUTER_API_KEY');
  await expect(router).toContainText('"timestamp":1767614400000000}');
  expect(await page.content()).not.toContain('sandbox-key');
  await page.reload();
  await expect(router).toContainText('$ROUTER_URL/v1/price');
  await page.getByText('Table', { exact: true }).click();
  await expect(
    page.getByRole('link', { name: /Inspect the payload of Crypto\.BTC\/USD, upgraded/ }),
  ).toHaveAttribute('href', new RegExp(`/prices\\?view=inspector&inspect=upgraded:1767614400:${BTC}$`));
});

test('the generation of a payload of either host is recognised by its signatures', async ({
  page,
  control,
}) => {
  await control.generation('before');
  await page.goto(`/services?upgrade=${BTC}#upgrade-check`);
  await expect(page).toHaveURL(/\/prices\?ids=.*&sources=updates(,|%2C)upgraded/);
  const payloads = page.getByRole('region', { name: 'Signed payloads' });
  await expect(payloads).toContainText('upgraded on 26 August 2026 at 16:00 UTC');
  await expect(payloads.getByRole('listitem').nth(0)).toContainText('Before the upgrade');
  await expect(payloads.getByRole('listitem').nth(1)).toContainText('Upgraded');
});

test('without a symbol directory ids are enough', async ({ page }) => {
  await page.route('**/api/view/symbols', (route) => route.fulfill({ status: 502, body: '' }));
  await page.goto(`/prices?ids=1:${BTC},Crypto.ETH/USD,${BTC}&at=${PAST}&figures=all`);
  await expect(price(page, 'router 1', 'router')).toHaveText(/^[\d,]+\.\d{8}$/);
  await expect(price(page, 'router 1', 'updates')).toHaveText(/^[\d,]+\.\d{8}$/);
  await expect(page.getByText(/Symbol directory unavailable/)).toBeVisible();
  await expect(row(page, 'The symbol directory is unavailable')).toHaveCount(1);
});

test('is accessible in both themes', async ({ page }) => {
  await page.goto(
    `/prices?ids=${BTC},Crypto.APE/USD&at=${PAST}&sources=updates,deprecated,router&formats=evm`,
  );
  await done(page);
  await page.getByText('Parameters').click();
  await expect(page.getByText('Old address, new format').first()).toBeVisible();
  await looksWell(page, 'main');
});
