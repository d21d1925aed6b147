import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from './dashboard';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const LINK = '/services?upgrade=Crypto.BTC/USD,Crypto.ETH/USD#upgrade-check';
/** The stream is waited for up to 15 s, and the machine may be busy. */
const CHECKED = { timeout: 40_000 };

const part = (page: Page) => page.getByRole('region', { name: 'Upgrade check' });
const verdictOf = (page: Page) => page.getByRole('article', { name: 'Verdict of the upgrade check' });
const table = (page: Page, name: string) => part(page).getByRole('table', { name, exact: true });

async function openChecked(page: Page, path = LINK): Promise<void> {
  await page.goto(path);
  await expect(part(page).getByRole('status')).toHaveText(/^Checked/, CHECKED);
}

test('both hosts upgraded: one verdict, the evidence beside it, and a link that gives it again', async ({
  page,
}) => {
  await page.goto('/services');
  await page.getByRole('link', { name: 'Open the upgrade check' }).click();
  await part(page).getByRole('button', { name: 'Check both hosts' }).click();
  await expect(verdictOf(page)).toContainText('Upgraded: both hosts give payloads', CHECKED);
  await expect(page).toHaveURL(LINK);
  await expect(table(page, 'What it means for a client')).toContainText('Either host will do');
  await expect(table(page, 'Prices of both hosts')).toContainText('equal to the digit');
  await expect(table(page, 'Routes').getByText('the same')).toHaveCount(4);
  await page.reload();
  await expect(verdictOf(page)).toContainText('Upgraded: both hosts give payloads', CHECKED);
  // The link leads to the section, not to the top of the page.
  await expect(part(page).getByRole('heading', { level: 2 })).toBeInViewport();
});

test('each payload is copied with its generation in the name, and opened in the inspector', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openChecked(page);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await part(page)
    .getByRole('button', { name: /^Copy payload .*of latest \(upgraded host, upgraded\)/ })
    .first()
    .click();
  await expect.poll(copied).toMatch(/^0x504e4155[0-9a-f]+$/);
  await part(page)
    .getByRole('button', { name: /^Copy all payloads/ })
    .click();
  await expect.poll(copied).toContain('"generation": "upgraded"');
  const all = JSON.parse(await copied());
  expect(new Set(all.payloads.map(({ host }: { host: string }) => host))).toEqual(
    new Set(['updates', 'upgraded']),
  );
  await part(page)
    .getByRole('link', { name: /Inspect/ })
    .last()
    .click();
  await expect(page).toHaveURL(/inspect=upgraded:.*upgrade=.*#payload-inspector$/);
  await expect(verdictOf(page)).toBeVisible();
});

test('an old host that is behind is told by its signatures, on a phone in the dark and on a wide screen in light', async ({
  page,
  control,
}) => {
  await control.generation('before');
  await openChecked(page);
  await expect(verdictOf(page)).toContainText('The old host is behind');
  await expect(verdictOf(page)).toContainText('Critical');
  const clients = table(page, 'What it means for a client');
  const upgraded = clients.getByRole('row', { name: /^Upgraded contract/ });
  await expect(upgraded).toContainText('Use the upgraded host only');
  await expect(upgraded.getByRole('cell').first()).toHaveText('fails');
  await expect(table(page, 'Payloads')).toContainText('13 signatures');
  await expect(table(page, 'Payloads')).toContainText('Whether these are the guardians is not checked');
  for (const [width, colorScheme] of [
    [390, 'dark'],
    [1440, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    const found = await new AxeBuilder({ page }).include('#upgrade-check').analyze();
    expect(found.violations).toEqual([]);
    const box = await part(page).boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
  }
});

test('a host that fails leaves half a check, which says what is missing', async ({ page, control }) => {
  await control.fault({ service: 'upgraded', fault: { kind: 'status', status: 503 } });
  await openChecked(page);
  await expect(verdictOf(page)).toContainText('Half a check: only the old host gave updates');
  await expect(table(page, 'Routes')).toContainText('503');
  await verdictOf(page)
    .getByText(/^Not part of this check/)
    .click();
  await expect(verdictOf(page)).toContainText('latest of the upgraded host');
});

test('a member that only the upgraded host sends is named', async ({ page, control, dashboard }) => {
  const answer = await fetch(`${dashboard.origin}/api/upgraded/v2/updates/price/latest?ids[]=${BTC}`);
  const body = (await answer.text()).replace('"metadata":{', '"metadata":{"grade":1,');
  await control.fault({
    service: 'upgraded',
    route: 'latest',
    fault: { kind: 'body', body, contentType: 'application/json' },
  });
  await openChecked(page, `/services?upgrade=${BTC}`);
  const latest = table(page, 'Routes').getByRole('row', { name: /^latest/ });
  await expect(latest).toContainText('parsed[].metadata.grade added on the upgraded host');
});

test('the deprecated route is asked only where somebody says so', async ({ page, control }) => {
  await openChecked(page);
  expect((await control.calls('updates', 'deprecated')).total).toBe(0);
  await part(page)
    .getByRole('checkbox', { name: /Deprecated route too/ })
    .check();
  await part(page).getByRole('button', { name: 'Check both hosts' }).click();
  await expect(table(page, 'Routes').getByRole('row', { name: /^deprecated/ })).toHaveCount(2, CHECKED);
  await expect(page).toHaveURL(/upgradewith=deprecated/);
  for (const { query } of (await control.calls('upgraded', 'deprecated')).calls)
    expect(query).toContain('verbose=true&binary=true');
});

test('feeds are chosen by symbol or id, and an unknown one is said to be so', async ({ page }) => {
  await page.goto('/services?upgrade=Crypto.NOTHING/USD,0x12#upgrade-check');
  await expect(part(page).getByRole('alert')).toContainText('no feed of this name is known');
  await expect(part(page).getByRole('alert')).toContainText('64 hex digits');
  const field = part(page).getByRole('combobox', { name: 'Add a feed to check' });
  await field.fill('ETH/USD');
  await field.press('Enter');
  await part(page).getByRole('button', { name: 'Leave out Crypto.NOTHING/USD' }).click();
  await part(page).getByRole('button', { name: 'Check both hosts' }).click();
  await expect(page).toHaveURL('/services?upgrade=Crypto.ETH/USD#upgrade-check');
  await expect(verdictOf(page)).toBeVisible(CHECKED);
});
