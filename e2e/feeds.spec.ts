import type { Locator, Page } from '@playwright/test';
import {
  BOARD,
  BTC,
  ETH,
  EUR,
  expectOrder,
  grip,
  openBoard,
  SOL,
  SYMBOLS,
  tile,
  tileOrder,
  tiles,
} from './board-page';
import { expect, test } from './fixtures';
import { looksWell } from './looks';

const BTC_ID = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const price = (page: Page, symbol = BTC) => tile(page, symbol).locator('[data-figure="price"]');

test('each feed is a region with exact live numbers, and a chart that begins filled', async ({ page }) => {
  await openBoard(page, `/feeds?ids=${BTC_ID}&size=m`, [BTC]);
  const before = String(await price(page).textContent());
  await expect(price(page)).not.toHaveText(before);
  for (const figure of ['confidence', 'ema']) {
    await expect(tile(page, BTC).locator(`[data-figure="${figure}"]`)).toHaveText(/\d/);
  }
  await expect(tile(page, BTC).getByRole('img')).toHaveAttribute('aria-label', /updates in [45] min/, {
    timeout: 60_000,
  });
  await expect(tile(page, BTC).locator('[data-figure="day-move"]')).toHaveText(/^[+−]?\d+\.\d\d%$/, {
    timeout: 30_000,
  });
});

test('the pointer on one chart marks its moment in all of them, each with its price', async ({ page }) => {
  await openBoard(page);
  const [pointed, other] = [tile(page, BTC).getByRole('img'), tile(page, EUR).getByRole('img')];
  for (const chart of [pointed, other]) {
    await expect(chart).toHaveAttribute('aria-label', /updates in [45] min/, { timeout: 60_000 });
  }
  await pointed.hover();
  const words = pointed.getByText(/UTC [\d,]+\.\d{8}/);
  await expect(words).toBeVisible();
  expect((await words.boundingBox())?.height).toBeLessThan(24);
  await expect(other.locator('[data-crosshair="shared"]')).toHaveText(/^1\.\d{5}$/);
  const share = async (chart: Locator) => {
    const [line, box] = [
      await chart.locator('[data-crosshair] > i').boundingBox(),
      await chart.boundingBox(),
    ];
    expect(line).toMatchObject({ y: box?.y, height: box?.height });
    return ((line?.x ?? 0) - (box?.x ?? 0)) / (box?.width ?? 1);
  };
  expect(Math.abs((await share(pointed)) - (await share(other)))).toBeLessThan(0.06);
  await page.mouse.move(0, 0);
  await expect(page.locator('[data-crosshair="own"], [data-crosshair="shared"]')).toHaveCount(0);
});

function decimal({ price: mantissa, expo }: { price: string; expo: number }): string {
  const digits = mantissa.replace('-', '');
  const sign = mantissa.startsWith('-') ? '-' : '';
  if (expo >= 0) return sign + (digits === '0' ? '0' : digits + '0'.repeat(expo));
  const padded = digits.padStart(1 - expo, '0');
  return `${sign}${padded.slice(0, expo)}.${padded.slice(expo)}`;
}

test('every digit is that of the service, for negative, zero, tiny and huge prices too', async ({
  control,
  dashboard,
  page,
}) => {
  await control.clock({ stopped: true });
  const odd = ['EXPO-PLUS-5', 'EXPO-MINUS-18', 'NEGATIVE', 'ZERO', 'WIDE'];
  const names = [BTC, ...odd.map((name) => `Sandbox.${name}/USD`)];
  await page.goto(`/feeds?ids=${names.join(',')}`);
  const { feeds } = await (await fetch(`${dashboard.origin}/api/view/feeds`)).json();
  for (const symbol of names) {
    const id = feeds.find((feed: { symbol: string }) => feed.symbol === symbol).id;
    const path = `/api/updates/v2/updates/price/latest?ids[]=${id}`;
    const { parsed } = await (await fetch(dashboard.origin + path)).json();
    const exact = decimal(parsed[0].price);
    await expect
      .poll(async () => String(await price(page, symbol).getAttribute('value')))
      .toMatch(new RegExp(`^${exact.replace('.', '\\.').replace('-', '[-−]')}$`));
  }
});

test('the list has short prices, each with all its digits on hover and to copy', async ({
  context,
  page,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.setViewportSize({ width: 1440, height: 900 });
  await openBoard(page, `${BOARD}&size=list`);
  await expect(page.getByRole('radio', { name: 'List' })).toBeChecked();
  await expect(price(page)).toHaveText(/^[\d,]+\.\d\d$/);
  await expect(price(page)).toHaveAttribute('title', /^[\d,]+\.\d{8}$/);
  for (const symbol of SYMBOLS) {
    expect((await tile(page, symbol).boundingBox())?.height).toBeLessThan(48);
    await expect(tile(page, symbol).locator('[data-figure="move"]')).toHaveText(/%$/);
    await expect(tile(page, symbol)).toContainText(/\d+ s/);
    await expect(tile(page, symbol).getByRole('img')).toBeVisible();
  }
  await price(page).click();
  await page.keyboard.press('ControlOrMeta+c');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^\d+\.\d{8}$/);
  await looksWell(page, 'main');
});

test('few feeds fill the screen with charts, many are a list', async ({ dashboard, page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await openBoard(page);
  await expect(page.getByRole('radio', { name: 'Large' })).toBeChecked();
  await expect(page).not.toHaveURL(/size=/);
  const box = await tile(page, EUR).boundingBox();
  expect(box?.width).toBeGreaterThan(650);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(900);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeGreaterThan(800);
  await looksWell(page, 'main');
  const { feeds } = await (await fetch(`${dashboard.origin}/api/view/feeds`)).json();
  const ids = feeds.slice(0, 13).map(({ id }: { id: string }) => id);
  await page.goto(`/feeds?ids=${ids.join(',')}`);
  await expect(page.getByRole('radio', { name: 'List' })).toBeChecked();
});

const SEARCHES = [
  ['xau/usd', 'Metal.XAU/USD'],
  ['gold', 'Metal.XAU/USD'],
  ['metal silver', 'Metal.XAG/USD'],
  ['0x765d2ba906dbc32ca17cc11f5310a89e9ee1f6420508c63861f2f8ba4ee34bb2', 'Metal.XAU/USD'],
] as const;

test('a feed is found by symbol, name, asset class and id with the keyboard alone; Back restores a removed one', async ({
  page,
}) => {
  await openBoard(page, `/feeds?ids=${BTC}`, [BTC]);
  const field = page.getByRole('combobox', { name: 'Add a feed' });
  for (const [text, symbol] of SEARCHES) {
    await field.fill(text);
    await expect(page.getByRole('option').first()).toContainText(symbol);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('listbox', { name: 'Feeds' })).toBeHidden();
    await expect(price(page, symbol)).toHaveText(/\d/);
    await page.getByRole('button', { name: `Remove ${symbol}` }).click();
    await expect(tile(page, symbol)).toHaveCount(0);
  }
  await page.goBack();
  await expect(tile(page, 'Metal.XAU/USD')).toBeVisible();
});

test('an unknown id or symbol is marked, and the other feeds go on; an empty board says what to do', async ({
  page,
}) => {
  await openBoard(page, `/feeds?ids=${BTC},${'ab'.repeat(32)},Crypto.NOTHING/USD&colour=red`, [BTC]);
  for (const name of [/abab/, 'Crypto.NOTHING/USD']) {
    await expect(page.getByRole('region', { name })).toHaveAttribute('data-state', 'missing');
  }
  await expect(page.getByRole('status', { name: 'Unreadable parts of this link' })).toContainText(
    'colour=red',
  );
  await page.goto('/feeds?ids=');
  await expect(page.getByText(/Search above by symbol/)).toBeVisible();
});

/** Drags to the right or left of the middle of the other tile. */
async function dragOver(page: Page, from: string, to: string, side: 'left' | 'right'): Promise<void> {
  await grip(page, from).hover();
  await page.mouse.down();
  const box = await tile(page, to).boundingBox();
  if (box === null) throw new Error('no tile');
  await page.mouse.move(box.x + box.width * (side === 'right' ? 0.8 : 0.2), box.y + box.height / 2, {
    steps: 6,
  });
  await expect(page.locator('[data-drop]')).toHaveAttribute(
    'data-drop',
    side === 'right' ? 'after' : 'before',
  );
}

test('tiles are arranged by keyboard, announced and with the focus kept, and by dragging; Escape and Back undo it', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await openBoard(page);
  await grip(page, ETH).focus();
  await page.keyboard.press('ArrowLeft');
  await expectOrder(page, [ETH, BTC, SOL, EUR]);
  await expect(page.getByText(`${ETH}: place 1 of 4`)).toBeAttached();
  await expect(grip(page, ETH)).toBeFocused();
  await page.keyboard.press('End');
  await expectOrder(page, [BTC, SOL, EUR, ETH]);
  await page.reload();
  await expectOrder(page, [BTC, SOL, EUR, ETH]);
  await page.goBack();
  await expectOrder(page, [ETH, BTC, SOL, EUR]);
  await dragOver(page, ETH, SOL, 'right');
  await page.mouse.up();
  await expectOrder(page, [BTC, SOL, ETH, EUR]);
  await dragOver(page, EUR, BTC, 'left');
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await expectOrder(page, [BTC, SOL, ETH, EUR]);
});

test('the board is sorted and filtered, and its address keeps that', async ({ control, page }) => {
  // Prices stand still, so that the order is known.
  await control.clock({ stopped: true });
  await openBoard(page, `/feeds?ids=${SOL},${EUR},${BTC},${ETH}`);
  const sort = page.getByLabel('Sort');
  await sort.selectOption('Symbol, A to Z');
  await expectOrder(page, [BTC, ETH, EUR, SOL]);
  await expect(page).toHaveURL(/sort=symbol/);
  await sort.selectOption('Confidence, widest first');
  const widths = async () => {
    const texts = await page
      .locator('[data-fact="Confidence"]')
      .getByText(/^[\d.]+ bp$/)
      .allTextContents();
    return texts.map(Number.parseFloat);
  };
  await expect
    .poll(async () => {
      const shown = await widths();
      return shown.length === 4 && shown.every((price, at) => at === 0 || price <= (shown[at - 1] ?? 0));
    })
    .toBe(true);
  const byWidth = await tileOrder(page);
  await grip(page, byWidth[3] ?? '').focus();
  await page.keyboard.press('Home');
  await expectOrder(page, [byWidth[3] ?? '', ...byWidth.slice(0, 3)]);
  await expect(sort).toHaveValue('hand');
  const filter = page.getByRole('searchbox', { name: 'Filter feeds' });
  await filter.fill('eth');
  await expectOrder(page, [ETH]);
  await expect(page.getByText('1 of 4', { exact: true })).toBeVisible();
  await filter.fill('nothing at all');
  await page.getByRole('button', { name: 'Clear filter' }).click();
  await expect(tiles(page)).toHaveCount(4);
  await page.getByRole('radiogroup', { name: 'Window' }).getByText('30 min').click();
  await expect(page).toHaveURL(/window=30m/);
  await expect(tile(page, BTC).locator('[data-figure="move"]')).toHaveText(/^[+−]?\d+\.\d\d%$/);
});

test.describe('next Saturday', () => {
  // The clock goes on from where it was set, and prices never go back, so no other test can use this dashboard.
  test.use({ fresh: true });

  test('the tile of a closed market or an unpublished feed says so, and when it opens', async ({
    control,
    page,
  }) => {
    const now = new Date();
    const days = ((6 - now.getUTCDay() + 7) % 7) + 7;
    const saturday = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + days, 12);
    await control.clock({ set: new Date(saturday).toISOString() });
    const market = 'Sandbox.MARKET/USD';
    await openBoard(page, `/feeds?ids=${BTC},${market},Sandbox.SILENT/USD`, [BTC, market]);
    await expect(tile(page, market)).toHaveAttribute('data-state', 'closed');
    await expect(tile(page, market)).toContainText(/opens in 2 d|opens in \d+ h/);
    await expect(tile(page, BTC)).toContainText('Current');
    await expect(tile(page, 'Sandbox.SILENT/USD')).toContainText('Not published');
    await expect(page.locator('[data-connection]')).toContainText(/Live.*1 current.*1 market closed/);
    await control.clock({ stopped: true });
    await expect(tile(page, BTC)).toHaveAttribute('data-state', 'late');
  });
});

async function openBoards(page: Page): Promise<Locator> {
  const panel = page.getByRole('dialog', { name: 'Boards' });
  await expect(async () => {
    await page.getByRole('button', { name: /^Boards/ }).click({ timeout: 2_000 });
    await expect(panel).toBeVisible({ timeout: 2_000 });
  }).toPass();
  return panel;
}

test('a board is saved under a name, renamed, opened again, sent and deleted', async ({ browser, page }) => {
  await openBoard(page, `${BOARD}&window=15m&size=l`);
  const panel = await openBoards(page);
  const save = async (name: string, verb: string) => {
    await panel.getByLabel('Save this board as').fill(name);
    await panel.getByRole('button', { name: verb, exact: true }).click();
  };
  await save('   ', 'Save');
  await expect(panel.getByRole('alert')).toContainText('Use 1 to 60 characters');
  await save('Majors', 'Save');
  await save('Other', 'Save');
  await panel.getByRole('button', { name: 'Rename Majors' }).click();
  await panel.getByLabel('New name of Majors').fill('Other');
  await page.keyboard.press('Enter');
  await expect(panel.getByRole('alert')).toContainText('Name already in use');
  await panel.getByLabel('New name of Majors').fill('Large ones');
  await page.keyboard.press('Enter');
  await expect(panel.getByRole('button', { name: 'Large ones', exact: true })).toBeVisible();
  const link = await panel.getByRole('textbox', { name: 'Link to this board' }).inputValue();
  const theirs = await (await browser.newContext()).newPage();
  await theirs.goto(link);
  await expectOrder(theirs, SYMBOLS);
  await expect(theirs.getByRole('radio', { name: 'Large' })).toBeChecked();
  await theirs.context().close();

  await openBoard(page, `/feeds?ids=${SOL}`, [SOL]);
  const again = await openBoards(page);
  await again.getByRole('button', { name: 'Large ones', exact: true }).click();
  await expect(again).toBeHidden();
  await expectOrder(page, SYMBOLS);
  await expect(page).toHaveURL(/window=15m/);
  const last = await openBoards(page);
  for (const name of ['Large ones', 'Other'])
    await last.getByRole('button', { name: `Delete ${name}` }).click();
  await expect(last).toContainText('No boards');
});
