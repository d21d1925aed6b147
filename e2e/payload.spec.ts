import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { isAccessible, looksWell } from './looks';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const ETH = 'ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace';
const AT_S = 1_767_614_400;
const linkOf = (host: string, at: number | 'latest', ids: string[]) =>
  `/prices?view=inspector&inspect=${host}:${at}:${ids.join(',')}`;

const inspector = (page: Page) => page.getByRole('region', { name: 'Payload inspector' });
const field = (page: Page) => inspector(page).getByRole('textbox', { name: 'Binary update' });
const vector = async () => (await readFile('data/vectors/update-btc-1690576635.b64', 'utf8')).trim();
const hexOf = (base64: string) => Buffer.from(base64, 'base64').toString('hex');

async function opened(page: Page): Promise<void> {
  await page.goto('/prices?view=inspector');
  await expect(field(page)).toBeVisible({ timeout: 30_000 });
}

test('a pasted update is decoded to the byte, and changes and faults are located', async ({ page }) => {
  await opened(page);
  await field(page).fill(await vector());
  const panel = inspector(page);
  await expect(panel.getByText('Before the upgrade', { exact: true })).toBeVisible();
  await expect(panel.getByText('1 of 1 proof valid')).toBeVisible();
  const signers = panel.getByRole('table', { name: 'Signatures' });
  await expect(signers.getByRole('row')).toHaveCount(14);
  await expect(signers.getByText('0x58cc3ae5c097b213ce3c81979e1b9f9570746aa5')).toBeVisible();
  for (const part of ['1744134', '85480034', '0x06c7ca52daf83e065b217471444494efd3e31382']) {
    await expect(panel.getByText(part, { exact: true }).first()).toBeVisible();
  }
  const raw = panel.getByRole('region', { name: 'Raw bytes' });
  // In lines of 16 bytes, each after its offset.
  const hexOnScreen = async () => (await raw.locator('pre [data-part]').allTextContents()).join('');
  await expect.poll(hexOnScreen).toBe(hexOf(await vector()));
  await expect(raw.locator('pre')).toContainText('0010');
  await expect(raw).toContainText('Header');
  const members = panel.getByRole('table', { name: 'Members of the price' });
  const price = members.getByRole('row', { name: /^Price 29,319\.99000000 2931999000000/ });
  // The hex is beside the table.
  await page.setViewportSize({ width: 1440, height: 900 });
  await price.hover();
  const marked = raw.locator('pre [data-marked]');
  await expect(marked).toHaveText('000002aaa8c245c0');
  await expect(marked).toBeInViewport();
  // The payload has one exponent, for the price and its average.
  await raw.locator('pre').getByText('fffffff8', { exact: true }).hover();
  await expect(members.getByRole('row').filter({ has: page.locator('[data-marked]') })).toHaveCount(2);
  await price.locator('[data-from]').focus();
  await expect(marked).toHaveText('000002aaa8c245c0');

  const bytes = Buffer.from(await vector(), 'base64');
  // Byte 1005 is within the price.
  bytes[1005] = (bytes[1005] ?? 0) ^ 1;
  await field(page).fill(bytes.toString('base64'));
  await expect(inspector(page).getByText('0 of 1 proof valid')).toBeVisible();
  await expect(inspector(page).getByText('Proof invalid')).toBeVisible();

  const alert = inspector(page).getByRole('alert');
  const hex = hexOf(await vector());
  await field(page).fill(hex.slice(0, 1000));
  await expect(alert).toContainText('VAA, byte 10 (0xa)');
  await expect(inspector(page).getByRole('table', { name: 'Bytes around byte 10 (0xa)' })).toBeVisible();
  await field(page).fill('<b>not an update</b>');
  await expect(alert).toContainText('is not a base64 character');
});

test('the update behind a link is fetched, and compared with its parsed form to the digit', async ({
  page,
  control,
}) => {
  await page.goto(linkOf('upgraded', AT_S, [BTC, ETH]));
  const panel = inspector(page);
  await expect(panel.getByText('Upgraded', { exact: true })).toBeVisible({ timeout: 30_000 });
  // Guardians are not checked, so a number of signers does not prove a quorum.
  await expect(panel.getByText('Not checked', { exact: true })).toBeVisible();
  await expect(panel.getByText('A quorum of 5 guardians needs 3.')).toBeVisible();
  await expect(panel.getByText(/Links are precise to the second/)).toBeVisible();
  await expect(panel.getByText('Every figure, to the last digit.')).toBeVisible();
  await looksWell(page, 'main');
  const response = await page.request.get(`/api/upgraded/v2/updates/price/${AT_S}?ids[]=${BTC}`);
  const [parsed] = (await response.json()).parsed;
  await expect(panel.getByText(parsed.price.price, { exact: true }).first()).toBeVisible();
  await control.generation('before');
  await page.goto(linkOf('updates', 'latest', [BTC]));
  await expect(panel.getByText('Before the upgrade', { exact: true })).toBeVisible({ timeout: 30_000 });
});

test('a row of the feed’s page leads to its payload', async ({ page }) => {
  await page.goto('/feeds/Crypto.BTC/USD');
  const link = page.getByRole('link', { name: /Inspect payload of/ }).first();
  await expect(link).toHaveAttribute('href', /^\/prices\?view=inspector&inspect=updates:\d+:e62d/, {
    timeout: 30_000,
  });
});

test('a link without an update gives the reason, and a payload can still be pasted', async ({
  page,
  control,
}) => {
  await control.fault({
    service: 'updates',
    route: 'latest',
    fault: { kind: 'status', status: 404, body: 'Update data not found' },
  });
  await page.goto(linkOf('updates', 'latest', [BTC]));
  await expect(inspector(page).getByRole('alert')).toContainText('Update data not found', {
    timeout: 30_000,
  });
  await isAccessible(page, 'main');
  await field(page).fill(await vector());
  await expect(inspector(page).getByText('1 of 1 proof valid')).toBeVisible();
  await expect(page).not.toHaveURL(/inspect=/);
  await page.goto('/services?inspect=elsewhere:latest:1#payload-inspector');
  await expect(inspector(page).getByRole('alert')).toContainText('Invalid link');
  await page.route('**/api/updates/**', (route) => route.abort());
  await page.goto(linkOf('updates', 'latest', [BTC]));
  await expect(inspector(page).getByRole('alert')).toContainText('Dashboard server unreachable');
});

/** 255 messages, nearly a mebibyte: as large as the format allows. */
function largeUpdate(base64: string): string {
  const bytes = Buffer.from(base64, 'base64');
  const message = Buffer.alloc(4000);
  bytes.copy(message, 0, 965, 965 + 85);
  const update = Buffer.concat([
    Buffer.from([message.length >> 8, message.length & 255]),
    message,
    Buffer.from([0]),
  ]);
  const updates = Array.from({ length: 255 }, () => update);
  return Buffer.concat([bytes.subarray(0, 962), Buffer.from([255]), ...updates]).toString('hex');
}

test('a file of a megabyte is decoded', async ({ page }) => {
  await opened(page);
  const buffer = Buffer.from(largeUpdate(await vector()));
  const file = { name: 'update.hex', mimeType: 'text/plain', buffer };
  await inspector(page).getByLabel('File with a binary update').setInputFiles(file);
  await expect(inspector(page).getByText('0 of 255 proofs valid')).toBeVisible({ timeout: 60_000 });
  await expect(inspector(page).getByText('255 messages')).toBeVisible();
  await inspector(page).getByRole('button', { name: 'Show 225 more' }).click();
  await expect(inspector(page).getByRole('button', { name: /more$/ })).toBeHidden();
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test('the form is folded above the result, and opens for another update', async ({ page }) => {
    await page.goto(linkOf('upgraded', AT_S, [BTC]));
    await expect(inspector(page).getByText('Upgraded', { exact: true })).toBeVisible({ timeout: 30_000 });
    await expect(field(page)).toBeHidden();
    await inspector(page).getByRole('button', { name: 'Fetch or paste an update' }).click();
    await expect(field(page)).toBeVisible();
    await inspector(page).getByRole('button', { name: 'Fetch', exact: true }).click();
    await expect(field(page)).toBeHidden();
  });
});

test('old links to the inspector on the services page lead to it', async ({ page }) => {
  const old = `/services?inspect=upgraded:${AT_S}:${BTC}#payload-inspector`;
  await page.goto(old);
  await expect(page).toHaveURL(/\/prices\?view=inspector&inspect=upgraded(:|%3A)/);
  await expect(inspector(page).getByText('Upgraded', { exact: true })).toBeVisible({ timeout: 30_000 });
  await page.goto('/services#payload-inspector');
  await expect(page).toHaveURL(/\/prices\?view=inspector$/);
  await expect(field(page)).toBeVisible({ timeout: 30_000 });
});
