import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from './dashboard';

const HASH = `0x${'5a'.repeat(32)}`;

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  // Controls are disabled until the page's scripts run.
  await expect(page.getByRole('button', { name: 'Command palette' })).toBeEnabled();
}

const palette = (page: Page) => page.getByRole('dialog', { name: 'Command palette' });
const goTo = (page: Page) => page.getByRole('combobox', { name: 'Go to' });
const times = (page: Page, name: 'UTC' | 'Local' | 'Relative') =>
  page.getByRole('group', { name: 'Times' }).getByRole('button', { name });

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await expect(goTo(page)).toBeFocused();
}

async function violationsOf(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).slice(0, 3)}`);
}

test('one switch shows all times in UTC, by the clock of this computer, or as ages, and is remembered', async ({
  page,
}) => {
  await open(page, '/');
  const asOf = page.getByText(/^Updated/).first();
  await expect(asOf).toHaveText(/^Updated \d\d:\d\d:\d\d UTC$/);
  await times(page, 'Local').click();
  await expect(asOf).toHaveText(/^Updated \d\d:\d\d:\d\d \+0[12]:00$/);
  await page.reload();
  await expect(asOf).toHaveText(/\+0[12]:00$/);
  await expect(times(page, 'Local')).toHaveAttribute('aria-pressed', 'true');
  await times(page, 'Relative').click();
  await expect(asOf).toHaveText(/^Updated \d+ s ago$/);
  await times(page, 'UTC').click();
  await expect(asOf).toHaveText(/UTC$/);
});

test('the server knows the chosen zone, so the first HTML is right and nothing changes when scripts run', async ({
  page,
  context,
  baseURL,
}) => {
  await context.addCookies([{ name: 'ks-zone', value: 'local:Europe/Berlin', url: baseURL }]);
  const said: string[] = [];
  page.on('console', (message) => (message.type() === 'error' ? said.push(message.text()) : undefined));
  page.on('pageerror', (error) => said.push(error.message));
  const html = await (await page.request.get('/')).text();
  expect(html).toMatch(/Updated (<!-- -->)?\d\d:\d\d:\d\d \+0[12]:00/);
  await open(page, '/');
  await expect(page.getByText(/^Updated/).first()).toHaveText(/\+0[12]:00$/);
  expect(said).toEqual([]);
});

test('a cookie that makes no sense counts as none', async ({ page, context, baseURL }) => {
  await context.addCookies([{ name: 'ks-zone', value: 'mars:Olympus/Mons', url: baseURL }]);
  await open(page, '/');
  await expect(page.getByText(/^Updated/).first()).toHaveText(/UTC$/);
});

test('Ctrl K goes to a network by a few letters of its name', async ({ page }) => {
  await open(page, '/');
  await openPalette(page);
  await goTo(page).fill('arb one');
  await expect(palette(page).locator('[data-combobox-selected]')).toHaveText(/Arbitrum One/);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/requests\?network=42161$/);
  await expect(palette(page)).toHaveCount(0);
});

test('a hash that is pasted into the palette is looked for at all times, with every keeper', async ({
  page,
}) => {
  await open(page, '/feeds');
  await openPalette(page);
  await goTo(page).fill(`https://explorer.example/tx/${HASH.toUpperCase()}?tab=logs`);
  await expect(palette(page).getByRole('option').first()).toHaveText(/Find transaction/);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`/requests\\?keeper=main&keeper=test&q=${HASH}&range=all$`));
});

test('the palette is worked by arrow keys, and Escape gives the focus back to where it was', async ({
  page,
}) => {
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
  await expect(marked).toHaveText(/theme|Times/);
  await page.keyboard.press('Escape');
  await expect(palette(page)).toHaveCount(0);
  await expect(search).toBeFocused();
});

test('the palette says so when nothing fits', async ({ page }) => {
  await open(page, '/');
  await openPalette(page);
  await goTo(page).fill('qqqqqq');
  await expect(palette(page).getByRole('status')).toHaveText(/No results/);
  await page.keyboard.press('Enter');
  await expect(palette(page)).toBeVisible();
});

test('? lists the shortcuts, and single keys can be turned off there', async ({ page }) => {
  await open(page, '/requests');
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(help).toContainText('Command palette');
  await expect(help).toContainText('Next row');
  await help.getByLabel('Shortcuts of single letters and signs').uncheck();
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

test('no shortcut fires while somebody types', async ({ page }) => {
  await open(page, '/requests');
  const search = page.getByLabel('Search', { exact: true });
  await search.focus();
  await page.keyboard.type('g o ? /');
  await expect(search).toHaveValue('g o ? /');
  await expect(page).toHaveURL(/\/requests/);
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`palette and list of shortcuts have no accessibility violation in ${colorScheme}`, async ({
    page,
  }) => {
    await page.emulateMedia({ colorScheme });
    await open(page, '/requests');
    await openPalette(page);
    expect(await violationsOf(page)).toEqual([]);
    await goTo(page).fill('keyboard');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
    expect(await violationsOf(page)).toEqual([]);
  });
}

test('on a phone the navigation is two lines: tools, with times and theme behind a button, and all the pages', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, '/');
  const nav = page.getByRole('navigation', { name: 'Main' });
  expect((await nav.boundingBox())?.height).toBeLessThan(90);
  for (const name of ['Overview', 'Services']) {
    await expect(nav.getByRole('link', { name, exact: true })).toBeInViewport({ ratio: 1 });
  }
  await expect(times(page, 'Local')).toBeHidden();
  const opener = page.getByRole('button', { name: 'Times and theme' });
  await opener.click();
  const [under, over] = [await times(page, 'Relative').boundingBox(), await opener.boundingBox()];
  expect(under?.y).toBeGreaterThan((over?.y ?? 0) + (over?.height ?? 0));
  await times(page, 'Relative').click();
  await expect(page.getByText(/^Updated/).first()).toHaveText(/ago$/);
  await page.keyboard.press('Escape');
  await expect(times(page, 'Local')).toBeHidden();
  await page.getByRole('button', { name: 'Command palette' }).click();
  await expect(goTo(page)).toBeFocused();
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow).toBeLessThanOrEqual(0);
});

for (const width of [769, 993, 1024, 1199, 1200]) {
  test(`at ${width} pixels the words of the navigation stand on one line, and nothing overflows`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height: 800 });
    await open(page, '/');
    const opener = page.getByRole('button', { name: 'Command palette' });
    const over = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(over).toBe(0);
    expect((await opener.boundingBox())?.height).toBeLessThan(32);
  });
}

test('a request that the palette leads to has the focus on its page', async ({ page, dashboard }) => {
  const { requests } = await (await fetch(`${dashboard.origin}/api/logs/v1/logs?limit=1`)).json();
  const [{ network_id: network, sequence }] = requests;
  // Its page remembers it for the palette.
  await open(page, `/requests/${network}/${sequence}`);
  await open(page, '/requests');
  await openPalette(page);
  await goTo(page).fill(String(sequence));
  await page.keyboard.press('Enter');
  await expect(palette(page)).toHaveCount(0);
  await expect(page).not.toHaveURL(/\/requests$/);
  await expect(page.getByRole('main')).toBeFocused();
});

test('on a phone the link to the overview still has its name', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, '/requests');
  await expect(page.getByRole('link', { name: 'Keeperscope', exact: true })).toBeVisible();
  expect((await violationsOf(page)).filter((violation) => violation.startsWith('link-name'))).toEqual([]);
});
