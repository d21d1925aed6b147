import type { Page } from '@playwright/test';
import { BTC, ETH, EUR, expectOrder, grip, openBoard, order, SOL, SYMBOLS, tile, tiles } from './board-page';
import { expect, test } from './dashboard';
import { test as ownDashboard } from './fresh-dashboard';

test('can I arrange the tiles with the keyboard? Each step is said, keeps the focus, and Back undoes it', async ({
  page,
}) => {
  await openBoard(page);
  await grip(page, ETH).focus();
  await page.keyboard.press('ArrowLeft');
  await expectOrder(page, [ETH, BTC, SOL, EUR]);
  await expect(page.getByText(`${ETH}: place 1 of 4`)).toBeAttached();
  await expect(grip(page, ETH)).toBeFocused();
  await page.keyboard.press('End');
  await expectOrder(page, [BTC, SOL, EUR, ETH]);
  await expect(grip(page, ETH)).toBeFocused();
  await page.keyboard.press('Home');
  await expectOrder(page, [ETH, BTC, SOL, EUR]);
  await page.reload();
  await expectOrder(page, [ETH, BTC, SOL, EUR]);
  await page.goBack();
  await expectOrder(page, [BTC, SOL, EUR, ETH]);
});

/** Takes a tile by its grip and leads it over another one, to the right or the left of its middle. */
async function leadOver(page: Page, from: string, to: string, side: 'left' | 'right'): Promise<void> {
  await grip(page, from).hover();
  await page.mouse.down();
  const box = await tile(page, to).boundingBox();
  if (box === null) throw new Error('no tile');
  const x = box.x + box.width * (side === 'right' ? 0.8 : 0.2);
  await page.mouse.move(x, box.y + box.height / 2, { steps: 6 });
  await expect(page.locator('[data-drop]')).toHaveAttribute(
    'data-drop',
    side === 'right' ? 'after' : 'before',
  );
}

test('can I drag a tile to another place? It goes where the mark is, and Escape lets it stay', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await openBoard(page);
  await leadOver(page, BTC, SOL, 'right');
  await page.mouse.up();
  await expectOrder(page, [ETH, SOL, BTC, EUR]);
  await leadOver(page, EUR, ETH, 'left');
  await page.keyboard.press('Escape');
  await expect(page.locator('[data-drop]')).toHaveCount(0);
  await page.mouse.up();
  await expectOrder(page, [ETH, SOL, BTC, EUR]);
});

test('which is widest, oldest, first by name? The board is sorted, and arranged by hand again from there', async ({
  control,
  page,
}) => {
  // Prices stand still, so that the order is known.
  await control.clock({ stopped: true });
  await openBoard(page, `/feeds?ids=${SOL},${EUR},${BTC},${ETH}`);
  const sort = page.getByLabel('Sort');
  await sort.selectOption('Symbol, A to Z');
  await expectOrder(page, [BTC, ETH, EUR, SOL]);
  await expect(page).toHaveURL(/sort=symbol/);
  await sort.selectOption('Confidence, widest first');
  await expect(page).toHaveURL(/sort=confidence/);
  const widths = async () => {
    const texts = await page
      .locator('[data-fact="Confidence"]')
      .getByText(/^[\d.]+ bp$/)
      .allTextContents();
    return texts.map(Number.parseFloat);
  };
  await expect.poll(async () => isFalling(await widths())).toBe(true);
  expect(new Set(await widths()).size).toBe(4);
  const byWidth = await order(page);
  await page.mouse.move(0, 0);
  await grip(page, byWidth[3] ?? '').focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Home');
  await expectOrder(page, [byWidth[3] ?? '', ...byWidth.slice(0, 3)]);
  await expect(sort).toHaveValue('hand');
  await expect(page).not.toHaveURL(/sort=/);
});

function isFalling(numbers: readonly number[]): boolean {
  return numbers.every((one, at) => at === 0 || one <= (numbers[at - 1] ?? 0));
}

test('what moved within a minute, and what within half an hour? The window is in the address', async ({
  page,
}) => {
  await openBoard(page);
  const windows = page.getByRole('group', { name: 'Window' });
  await expect(windows.getByRole('button', { name: '5 min', exact: true })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  for (const [name, text] of [
    ['1 min', '1m'],
    ['30 min', '30m'],
  ] as const) {
    await windows.getByRole('button', { name, exact: true }).click();
    await expect(page).toHaveURL(new RegExp(`window=${text}`));
    await expect(windows.getByRole('button', { name, exact: true })).toHaveAttribute('aria-pressed', 'true');
    await expect(tile(page, BTC).locator('[data-direction]')).toHaveText(/^[+-]?\d+\.\d\d %$/);
  }
  await page.goBack();
  await expect(windows.getByRole('button', { name: '1 min', exact: true })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
});

test('where is it? The filter leaves the tiles that match, and says how many', async ({ page }) => {
  await openBoard(page);
  const filter = page.getByRole('searchbox', { name: 'Filter tiles' });
  await filter.fill('eth');
  await expectOrder(page, [ETH]);
  await expect(page.getByText('1 of 4')).toBeVisible();
  await expect(page).toHaveURL(/find=eth/);
  await filter.fill('fx');
  await expectOrder(page, [EUR]);
  await filter.fill('nothing at all');
  await expect(page.getByRole('heading', { name: 'No tile matches' })).toBeVisible();
  await page.getByRole('button', { name: 'Show all tiles' }).click();
  await expectOrder(page, SYMBOLS);
});

test('how many can I watch? Sixty tiles, each with its price', async ({ dashboard, page }) => {
  const { feeds } = await (await fetch(`${dashboard.origin}/api/view/feeds`)).json();
  const ids = feeds
    .filter(({ symbol }: { symbol: string }) => symbol.startsWith('Crypto.'))
    .slice(0, 60)
    .map(({ id }: { id: string }) => id);
  await page.goto(`/feeds?ids=${ids.join(',')}&size=s`);
  await expect(tiles(page)).toHaveCount(60);
  await expect(page.locator('[data-tile] [data-figure="price"]').filter({ hasText: /\d/ })).toHaveCount(60, {
    timeout: 30_000,
  });
});

const SEARCHES = [
  ['a symbol', 'xau/usd', 'Metal.XAU/USD'],
  ['a name', 'gold', 'Metal.XAU/USD'],
  ['an asset class', 'metal silver', 'Metal.XAG/USD'],
  ['an id', '0x765d2ba906dbc32ca17cc11f5310a89e9ee1f6420508c63861f2f8ba4ee34bb2', 'Metal.XAU/USD'],
] as const;

test('can I find a feed? By symbol, name, asset class and id, with the keyboard alone', async ({ page }) => {
  await openBoard(page, `/feeds?ids=${BTC}`, [BTC]);
  const field = page.getByRole('combobox', { name: 'Add a feed' });
  for (const [, text, symbol] of SEARCHES) {
    await field.fill(text);
    await expect(page.getByRole('option').first()).toContainText(symbol);
    await page.keyboard.press('Enter');
    // What was added must not lie under the list.
    await expect(page.getByRole('listbox', { name: 'Feeds' })).toBeHidden();
    await expect(tile(page, symbol).locator('[data-figure="price"]')).toHaveText(/\d/);
    await tile(page, symbol)
      .getByRole('button', { name: `Remove ${symbol}` })
      .click();
    await expect(tile(page, symbol)).toHaveCount(0);
  }
});

test('nothing is published any more? The tile is late, and a slow feed is not: each by its own cadence', async ({
  control,
  page,
}) => {
  await openBoard(page, `/feeds?ids=${BTC},Sandbox.SLOW/USD`, [BTC, 'Sandbox.SLOW/USD']);
  await expect(tile(page, BTC)).toContainText('Current');
  await control.clock({ stopped: true });
  await expect(tile(page, BTC)).toHaveAttribute('data-state', 'late', { timeout: 20_000 });
  await expect(tile(page, BTC)).toContainText('Late');
  await expect(tile(page, 'Sandbox.SLOW/USD')).toHaveAttribute('data-state', 'fresh');
});

/** The clock goes on from where it was set, and prices never go back: no other test could follow on such a dashboard. */
ownDashboard('the market is closed? Its tile says so, and when it opens', async ({ control, page }) => {
  await control.clock({ set: nextSaturdayNoon() });
  await openBoard(page, `/feeds?ids=${BTC},Sandbox.MARKET/USD,Sandbox.SILENT/USD`, [
    BTC,
    'Sandbox.MARKET/USD',
  ]);
  const market = tile(page, 'Sandbox.MARKET/USD');
  await expect(market).toHaveAttribute('data-state', 'closed');
  await expect(market).toContainText('Market closed');
  await expect(market).toContainText(/opens in 2 d|opens in \d+ h/);
  await expect(tile(page, BTC)).toContainText('Current');
  await expect(tile(page, 'Sandbox.SILENT/USD')).toContainText('Not published');
});

function nextSaturdayNoon(): string {
  const now = new Date();
  const days = ((6 - now.getUTCDay() + 7) % 7) + 7;
  return new Date(
    Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + days, 12),
  ).toISOString();
}
