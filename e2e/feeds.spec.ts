import { expect, test } from './dashboard';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';

test('what is the price now? Each feed is a region with its price, confidence and EMA, and they move', async ({
  page,
}) => {
  await page.goto(`/feeds?ids=${BTC}`);
  const card = page.getByRole('region', { name: 'Crypto.BTC/USD' });
  const price = card.locator('[data-figure="price"]');
  await expect(price).toHaveText(/\d/);
  const before = String(await price.textContent());
  await expect(price).not.toHaveText(before);
  await expect(card.locator('[data-figure="confidence"]')).toHaveText(/\d/);
  await expect(card.locator('[data-figure="ema"]')).toHaveText(/\d/);
});

test('is every digit right? The page shows the price that the service says for that second', async ({
  dashboard,
  control,
  page,
}) => {
  await control.clock({ stopped: true });
  await page.goto(`/feeds?ids=${BTC}`);
  const answer = await (
    await fetch(`${dashboard.origin}/api/updates/v2/updates/price/latest?ids[]=${BTC}`)
  ).json();
  const { price, expo } = answer.parsed[0].price;
  const digits = String(price).padStart(1 - expo, '0');
  const exact = `${digits.slice(0, expo)}.${digits.slice(expo)}`;
  const shown = page.getByRole('region', { name: 'Crypto.BTC/USD' }).locator('[data-figure="price"]');
  await expect.poll(async () => String(await shown.textContent()).replace(/[^\d.-]/g, '')).toBe(exact);
});

test('can I add a feed by its symbol and take it away again?', async ({ page }) => {
  await page.goto(`/feeds?ids=${BTC}`);
  const chooser = page.getByRole('combobox').first();
  await chooser.fill('ETH/USD');
  await page
    .getByRole('option', { name: /Crypto\.ETH\/USD/ })
    .first()
    .click();
  await expect(page.getByRole('region', { name: 'Crypto.ETH/USD' })).toBeVisible();
  await expect(page).toHaveURL(/ids=.*(ff61491a|ETH)/);
  await page
    .getByRole('region', { name: 'Crypto.ETH/USD' })
    .getByRole('button', { name: /remove/i })
    .click();
  await expect(page.getByRole('region', { name: 'Crypto.ETH/USD' })).toHaveCount(0);
  await page.goBack();
  await expect(page.getByRole('region', { name: 'Crypto.ETH/USD' })).toBeVisible();
});

test('one unknown id is marked, the other feeds go on', async ({ page }) => {
  await page.goto(`/feeds?ids=${BTC},${'ab'.repeat(32)}`);
  await expect(
    page.getByRole('region', { name: 'Crypto.BTC/USD' }).locator('[data-figure="price"]'),
  ).toHaveText(/\d/);
  await expect(page.getByRole('region', { name: /abab/ })).toContainText(/unknown|not known/i);
});

test('the stream breaks? The page says so, keeps the last prices, and comes back', async ({
  control,
  page,
}) => {
  await page.goto(`/feeds?ids=${BTC}`);
  const state = page.locator('[data-connection]');
  await expect(state).toHaveAttribute('data-connection', 'live');
  await control.fault({ service: 'updates', fault: { kind: 'status', status: 503 } });
  await control.fault({ service: 'updates', route: 'stream', fault: { kind: 'close-stream' } });
  await expect(state).toHaveAttribute('data-connection', /reconnecting|failed/);
  await expect(
    page.getByRole('region', { name: 'Crypto.BTC/USD' }).locator('[data-figure="price"]'),
  ).toHaveText(/\d/);
  await control.noFaults();
  await expect(state).toHaveAttribute('data-connection', 'live', { timeout: 30_000 });
});

test('no feed chosen? It says what to do', async ({ page }) => {
  await page.goto('/feeds?ids=');
  await expect(page.getByText(/choose|add/i).first()).toBeVisible();
});

test('several pages share one upstream stream', async ({ context, control, dashboard }) => {
  await control.forgetCalls();
  const pages = await Promise.all([1, 2, 3].map(() => context.newPage()));
  await Promise.all(pages.map((page) => page.goto(`${dashboard.origin}/feeds?ids=${BTC}`)));
  for (const page of pages) await expect(page.locator('[data-connection="live"]')).toBeVisible();
  expect((await control.calls('updates', 'stream')).total).toBeLessThanOrEqual(1);
});
