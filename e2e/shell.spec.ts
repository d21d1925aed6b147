import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { isAccessible } from './looks';
import { hourAgo, openRequests, panel, records } from './requests-page';
import { wireRow } from './wire-row';

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  // Controls are disabled until the page's scripts run.
  await expect(page.getByRole('button', { name: 'Command palette' })).toBeEnabled();
}

const palette = (page: Page) => page.getByRole('dialog', { name: 'Command palette' });
const goTo = (page: Page) => page.getByRole('combobox', { name: 'Go to' });
const options = (page: Page) => palette(page).getByRole('option');
const times = (page: Page, name: 'UTC' | 'Local' | 'Relative') =>
  page.getByRole('group', { name: 'Times' }).getByRole('button', { name });

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await expect(goTo(page)).toBeFocused();
}

test('an unknown address is named as text, and leads to every page of the navigation', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, `/nowhere/${'long'.repeat(80)}?q=1`);
  const content = page.locator('#content');
  await expect(content.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await expect(content.getByText(/^Nothing is at \/nowhere\/longlong.*…$/)).toBeVisible();
  const names = await page.getByRole('navigation', { name: 'Main' }).locator('li').allInnerTexts();
  const inNavigation = names.map((name) => name.split('\n')[0] ?? '');
  const below: Record<string, string[]> = {
    Pending: ['History', 'Alerts'],
    Prices: ['Symbols', 'Inspector'],
  };
  const links = inNavigation.flatMap((name) => [name, ...(below[name] ?? [])]);
  await expect(content.getByRole('link')).toHaveText(links);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBe(390);
});

test('an unknown address offers the way back and a search of all requests', async ({ page }) => {
  await open(page, '/services');
  await open(page, '/nowhere');
  await isAccessible(page, 'main');
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await expect(page).toHaveURL(/\/services$/);
  await page.goto('/nowhere');
  await page.getByRole('searchbox', { name: 'Search all requests' }).fill('17');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/requests.*[?&]q=17/);
});

test('a mistyped page and a pasted hash lead to the intended page', async ({ page }) => {
  const meant = page
    .locator('#content')
    .getByText(/^Did you mean/)
    .getByRole('link');
  await open(page, '/request');
  await expect(meant).toHaveAttribute('href', '/requests');
  await page.goto('/prices/symbols');
  await expect(page).toHaveURL(/\/prices\?view=symbols$/);
  await open(page, `/tx/0x${'ab'.repeat(32)}`);
  await expect(meant).toHaveAttribute('href', new RegExp(`^/requests\\?.*q=0x${'ab'.repeat(32)}`));
});

test('stuck requests are shown by the title and the icon of every page', async ({ control, page }) => {
  const icon = page.locator('link[rel="icon"]');
  await open(page, '/services');
  await control.scenario('mixed-outage-and-contract');
  await expect(page).toHaveTitle(/^\(\d+\) Services · Keeperscope$/, { timeout: 90_000 });
  await expect(icon).toHaveAttribute('href', '/icon-alert.svg');
  const pending = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Pending/ });
  await pending.click();
  await expect(page).toHaveTitle(/^\(\d+\) Pending · Keeperscope$/);
  const [, count] = /^\((\d+)\)/.exec(await page.title()) ?? [];
  await expect(pending).toContainText(String(count));
});

test('one switch shows all times in UTC, by the clock of this computer, or as ages, and is remembered', async ({
  page,
}) => {
  const browserMessages: string[] = [];
  page.on('console', (message) =>
    message.type() === 'error' ? browserMessages.push(message.text()) : undefined,
  );
  page.on('pageerror', (error) => browserMessages.push(error.message));
  await open(page, '/');
  const asOf = page.getByText(/^Updated/).first();
  await expect(asOf).toHaveText(/^Updated \d\d:\d\d:\d\d UTC$/);
  await times(page, 'Local').click();
  await expect(asOf).toHaveText(/^Updated \d\d:\d\d:\d\d \+0[12]:00$/);
  expect(await (await page.request.get('/')).text()).toMatch(/Updated (<!-- -->)?\d\d:\d\d:\d\d \+0[12]:00/);
  await page.reload();
  await expect(asOf).toHaveText(/\+0[12]:00$/);
  expect(browserMessages).toEqual([]);
  await expect(times(page, 'Local')).toHaveAttribute('aria-pressed', 'true');
  await times(page, 'Relative').click();
  await expect(asOf).toHaveText(/^Updated \d+ s ago$/);
  await times(page, 'UTC').click();
  await expect(asOf).toHaveText(/UTC$/);
});

test('Ctrl K goes to a network or the requests of a state by a few letters, and says so when nothing fits', async ({
  control,
  page,
}) => {
  // The sandbox has no failure on some days.
  await control.rows('main', [wireRow({ state: '{"state":"completed","callback_failed":true}' })]);
  await open(page, '/');
  await openPalette(page);
  await goTo(page).fill('qqqqqq');
  await expect(palette(page).getByRole('status')).toHaveText(/No results/);
  await goTo(page).fill('arb one');
  await expect(palette(page).locator('[data-combobox-selected]')).toHaveText(/Arbitrum One/);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/requests\?network=42161$/);
  await expect(palette(page)).toHaveCount(0);
  await openPalette(page);
  await goTo(page).fill('callback fail');
  await expect(options(page).first()).toHaveText(/Callback reverted/);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/requests\?state=callback-failed$/);
  await expect(records(page).first()).toHaveAttribute('data-state', 'callback-failed');
});

test('Ctrl K finds actions and feeds: export, live, stuck, BTC', async ({ page }) => {
  await open(page, '/');
  const choose = async (text: string) => {
    await openPalette(page);
    await goTo(page).fill(text);
    await expect(options(page).first()).toHaveText(new RegExp(text, 'i'));
    await page.keyboard.press('Enter');
  };
  await choose('export');
  const dialog = page.getByRole('dialog', { name: 'Export' });
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await choose('live');
  await expect(page.getByRole('button', { name: 'Live', exact: true })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await choose('stuck');
  await expect(page).toHaveURL(/\/pending$/);
  await choose('BTC/USD');
  await expect(page).toHaveURL(/\/feeds\/Crypto\.BTC\/USD/);
});

test('an action of the palette waits for its page, however long that loads', async ({ page }) => {
  await open(page, '/');
  await page.clock.install();
  // The page waits for its data for half a minute.
  let answer = () => {};
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/requests\?.*_rsc=/, async (route) => {
    await isAnswered;
    await route.continue();
  });
  const request = page.waitForRequest(/\/requests\?.*_rsc=/);
  await openPalette(page);
  await goTo(page).fill('export');
  await page.keyboard.press('Enter');
  await request;
  await page.clock.runFor(30_000);
  answer();
  const dialog = page.getByRole('dialog', { name: 'Export' });
  await expect(dialog).toBeVisible({ timeout: 60_000 });
});

test('the palette works by arrow keys, and Escape returns the focus', async ({ page }) => {
  await open(page, '/requests');
  const search = page.getByLabel('Search', { exact: true });
  await search.focus();
  await openPalette(page);
  const marked = palette(page).locator('[data-combobox-selected]');
  await expect(marked).toHaveText(/Overview/);
  await page.keyboard.press('ArrowDown');
  await expect(marked).toHaveText(/Requests/);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await expect(marked).toHaveText(/theme|times/i);
  await isAccessible(page);
  await page.keyboard.press('Escape');
  await expect(palette(page)).toHaveCount(0);
  await expect(search).toBeFocused();
});

test('Ctrl K leads back to recent requests and searches', async ({ page }) => {
  await openRequests(page, `/requests?to=${hourAgo()}`);
  await records(page).nth(2).click();
  await expect(panel(page)).toHaveAttribute('data-open-request', /\//);
  const key = String(await panel(page).getAttribute('data-open-request'));
  const sequence = key.split('/').at(-2) ?? '';
  await page.keyboard.press('Escape');
  await page.getByLabel('Search', { exact: true }).fill('4711');
  await page.getByLabel('Search', { exact: true }).press('Enter');
  await expect(page).toHaveURL(/q=4711/);
  await openRequests(page, '/requests?range=all');
  await openPalette(page);
  await goTo(page).fill(sequence);
  const request = options(page).filter({ hasText: new RegExp(`^(?!Find)\\D.* ${sequence}`) });
  await request.first().click();
  await expect(page).toHaveURL(new RegExp(`/requests/\\d+/${sequence}\\?`));
  await expect(page.getByRole('main')).toBeFocused();
  await openPalette(page);
  await goTo(page).fill('47');
  await options(page).filter({ hasText: /^4711/ }).first().click();
  await expect(page).toHaveURL(/q=4711/);
});

test('? lists the shortcuts, single keys can be turned off there, and none fires while somebody types', async ({
  page,
}) => {
  await open(page, '/requests');
  const search = page.getByLabel('Search', { exact: true });
  await search.focus();
  await page.keyboard.type('g o ? /');
  await expect(search).toHaveValue('g o ? /');
  await expect(page).toHaveURL(/\/requests/);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await search.fill('');
  await search.blur();
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(help).toContainText('Command palette');
  await expect(help).toContainText('Next row');
  await isAccessible(page);
  await help.getByLabel('Single-key shortcuts').uncheck();
  await page.keyboard.press('Escape');
  await expect(help).toHaveCount(0);
  await page.keyboard.press('?');
  await page.keyboard.press('Control+k');
  await expect(palette(page)).toBeVisible();
  await expect(help).toHaveCount(0);
});

test('g r, g p, g f and g o go to the pages, and / to the search', async ({ page }) => {
  await open(page, '/');
  await page.keyboard.press('g');
  await page.keyboard.press('p');
  await expect(page).toHaveURL(/\/pending$/);
  await page.keyboard.press('g');
  await page.keyboard.press('f');
  await expect(page).toHaveURL(/\/feeds$/);
  await page.keyboard.press('/');
  await expect(page.getByPlaceholder(/Add a feed/)).toBeFocused();
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: /Feeds/ }).click();
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await expect(page).toHaveURL(/\/requests$/);
  await expect(page.getByRole('table', { name: 'Requests' })).toBeVisible();
  await page.keyboard.press('/');
  await expect(page.getByLabel('Search', { exact: true })).toBeFocused();
});
