import type { Page } from '@playwright/test';
import { startDashboard } from './dashboard';
import { expect, test } from './fixtures';
import { startLargeDirectory } from './large-directory';
import { isAccessible, looksWell } from './looks';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';

const table = (page: Page) => page.getByRole('table', { name: 'Symbols' });
const rows = (page: Page) => table(page).getByRole('rowheader');
const row = (page: Page, symbol: string) => table(page).getByRole('row').filter({ hasText: symbol });
const count = (page: Page) => page.getByText(/^([\d,]+ of )?[\d,]+ symbols$/);
const finder = (page: Page) => page.getByRole('searchbox', { name: 'Find a symbol' });

async function open(page: Page, query = '', origin = ''): Promise<void> {
  await page.goto(`${origin}/prices?view=symbols${query}`);
  await expect(rows(page).first()).toBeVisible();
}

test('a symbol is found by name, router id and feed id, and the address keeps the view', async ({ page }) => {
  await open(page);
  await expect(finder(page)).toBeEditable();
  await finder(page).fill('btc');
  await expect(rows(page).first()).toContainText('Crypto.BTC/USD');
  await expect(count(page)).toHaveText(/^\d+ of 2\d\d symbols$/);
  for (const id of [BTC, `0x${BTC.toUpperCase().slice(0, 12)}`]) {
    await finder(page).fill(id);
    await expect(rows(page)).toHaveCount(1);
    await expect(rows(page)).toContainText('Crypto.BTC/USD');
  }
  await page.reload();
  await expect(finder(page)).toHaveValue(`0x${BTC.toUpperCase().slice(0, 12)}`);
  await expect(rows(page)).toHaveCount(1);
  await finder(page).fill('no such symbol');
  await expect(page.getByText('No results')).toBeVisible();
  await page.getByRole('button', { name: 'Show all symbols' }).click();
  await expect(page).toHaveURL(/\/prices\?view=symbols$/);
  await expect(count(page)).toHaveText(/^2\d\d symbols$/);

  const states = page.getByRole('combobox', { name: 'State' });
  await states.click();
  const inactive = page.getByRole('option', { name: /^Inactive \(\d+\)$/ });
  const expected = /\d+/.exec((await inactive.textContent()) ?? '')?.[0] ?? '';
  expect(Number(expected)).toBeGreaterThan(0);
  await inactive.click();
  await expect(count(page)).toHaveText(new RegExp(`^${expected} of `));
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/&state=inactive/);
  await page.goBack();
  await expect(count(page)).toHaveText(/^2\d\d symbols$/);

  await page.getByRole('columnheader', { name: 'Router id' }).getByRole('button').click();
  await expect(page).toHaveURL(/sort=router/);
  await expect(rows(page).first()).toContainText('Crypto.BTC/USD');
  await page.getByRole('columnheader', { name: 'Router id' }).getByRole('button').click();
  await expect(page).toHaveURL(/sort=router&order=descending/);
  await expect(rows(page).first()).not.toContainText('Crypto.BTC/USD');
  const classes = page.getByRole('group', { name: 'Asset class' });
  await classes.getByRole('button', { name: /^FX \d+$/ }).click();
  await expect(page).toHaveURL(/class=fx/);
  await expect(rows(page).first()).toContainText('FX.');
  await open(page, '&channel=real_time&class=crypto&sort=nonsense');
  await expect(page.getByRole('columnheader', { name: 'Router id' })).toHaveAttribute('aria-sort', 'none');
});

test('the menu of a symbol copies its ids, looks it up, opens its chart, and adds it to a board', async ({
  context,
  page,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.addInitScript(
    (url) => localStorage.setItem('ks-boards', JSON.stringify([{ name: 'Majors', url }])),
    `/feeds?ids=${'a'.repeat(64)}`,
  );
  await open(page, '&find=crypto.btc/usd');
  const btc = row(page, 'Crypto.BTC/USD');
  // One call to the router for the listed symbols.
  await expect(btc.locator('[data-name="Last price"]')).toHaveText(/^[\d,]+\.\d{8}$/);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await btc.getByRole('button', { name: 'Copy the feed id of Crypto.BTC/USD' }).click();
  await expect.poll(copied).toBe(BTC);
  await btc.getByRole('button', { name: 'Copy the router id of Crypto.BTC/USD' }).click();
  await expect.poll(copied).toBe('1');
  await expect(btc.getByRole('link', { name: 'Look up Crypto.BTC/USD' })).toHaveAttribute(
    'href',
    `/prices?ids=${BTC}`,
  );
  await expect(btc.getByRole('link', { name: 'Open the chart of Crypto.BTC/USD' })).toHaveAttribute(
    'href',
    `/feeds/${BTC}`,
  );

  await page.getByRole('checkbox', { name: 'Select all symbols found' }).check();
  await expect(btc.getByRole('checkbox', { name: 'Select Crypto.BTC/USD' })).toBeChecked();
  await finder(page).fill('aave');
  await row(page, 'Crypto.AAVE/USD').getByRole('checkbox').check();
  const selected = page.getByRole('group', { name: 'Selected symbols' });
  await expect(selected).toContainText('2 selected');
  await looksWell(page, 'main');
  await expect(async () => {
    await selected.getByRole('button', { name: 'Add to board' }).click({ timeout: 2_000 });
    await expect(page.getByRole('menuitem', { name: 'Open as new board' })).toHaveAttribute(
      'href',
      new RegExp(`^/feeds\\?ids=${BTC},[0-9a-f]{64}$`),
      { timeout: 2_000 },
    );
  }).toPass();
  await page.getByRole('menuitem', { name: 'Majors' }).click();
  expect(await page.evaluate(() => localStorage.getItem('ks-boards'))).toContain(`${BTC},`);
  await selected.getByRole('link', { name: 'Look up' }).click();
  await expect(page).toHaveURL(new RegExp(`/prices\\?ids=${BTC},[0-9a-f]{64}$`));
});

test('of three thousand symbols few are rendered, hostile names stay texts, and unreadable rows are counted', async ({
  page,
}) => {
  const { origin, stop } = await startLargeDirectory();
  const big = await startDashboard({ ROUTER_URL: origin, UPDATES_URL: origin });
  try {
    await open(page, '', big.origin);
    await expect(count(page)).toHaveText('3,000 symbols');
    await expect(table(page)).toHaveAttribute('aria-rowcount', '3001');
    await expect(page.getByText('3 unreadable rows')).toBeVisible();
    expect(await rows(page).count()).toBeLessThan(80);
    await page.getByRole('button', { name: 'Page 60' }).click();
    await expect(rows(page).last()).toContainText('Crypto.⟨202E⟩WWW');
    await expect(rows(page).filter({ hasText: 'Crypto.C2999/USD' })).toBeVisible();
    expect(await rows(page).count()).toBeLessThan(80);

    await finder(page).fill('c2998');
    await expect(rows(page)).toHaveCount(1);
    await expect(rows(page)).toHaveText(/Crypto\.C2998\/USD/);
    await open(page, '&state=half_asleep&find=c0usd', big.origin);
    await expect(rows(page)).toHaveCount(1);
    await expect(row(page, 'Crypto.C0/USD').getByTitle('Not listed by the price update service')).toHaveText(
      '—',
    );
    await expect(row(page, 'Crypto.C0/USD').getByRole('link', { name: /Look up/ })).toHaveAttribute(
      'href',
      '/prices?ids=1',
    );
  } finally {
    await big.stop();
    stop();
  }
});

test('without any directory the page gives the reason, and ids are enough', async ({ page }) => {
  const failure = { kind: 'unreachable', service: 'router', detail: 'Price router refused the connection.' };
  const sources = { router: { state: 'failed', failure }, updates: { state: 'unconfigured' } };
  const json = { symbols: [], sources, unreadable: 0 };
  await page.route('**/api/view/symbols', (route) => route.fulfill({ json }));
  await page.goto('/prices?view=symbols');
  const alert = page.getByRole('alert').filter({ hasText: 'Symbol list unavailable' });
  await expect(alert).toContainText('Price router refused the connection.');
  await expect(alert).toContainText('Price update service not configured (UPDATES_URL).');
  await expect(page.getByText('Ids still work')).toBeVisible();
  await isAccessible(page);
});
