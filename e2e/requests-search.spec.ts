import type { Page } from '@playwright/test';
import { expect, test } from './dashboard';
import { count, hourAgo, keysOf, openRequests, panel, records, rowsOfService } from './requests-page';

const search = (page: Page) => page.getByLabel('Search', { exact: true });

async function paste(page: Page, text: string): Promise<void> {
  await search(page).focus();
  await page.evaluate((words) => navigator.clipboard.writeText(words), text);
  await page.keyboard.press('Control+v');
}

test.beforeEach(({ context }) => context.grantPermissions(['clipboard-read', 'clipboard-write']));

/** A completed request that is older than the last day. */
async function oldRequest(origin: string) {
  const before = new Date(Date.now() - 3 * 86_400_000).toISOString();
  const [row] = await rowsOfService(origin, `limit=1&state=Completed&max_timestamp=${before}`);
  if (row === undefined) throw new Error('no request is old enough');
  return row;
}

test('I have a transaction hash: pasted, it opens at once, though it is older than the view', async ({
  dashboard,
  page,
}) => {
  const row = await oldRequest(dashboard.origin);
  await openRequests(page, '/requests');
  await paste(page, String(row.request_tx_hash));
  await expect(panel(page)).toContainText(String(row.sequence), { timeout: 5000 });
  await expect(page.getByText('No match in the last 24 h')).toBeVisible();
  await page.getByRole('button', { name: '1 match in all time' }).click();
  await expect(records(page)).toHaveCount(1);
});

for (const [what, wrap] of [
  ['in upper case without 0x', (hash: string) => hash.slice(2).toUpperCase()],
  ['in quotation marks with blanks', (hash: string) => ` "${hash}", `],
  ['as the address of a block explorer', (hash: string) => `https://basescan.org/tx/${hash}#eventlog`],
] as const) {
  test(`the hash is recognised ${what}`, async ({ dashboard, page }) => {
    const row = await oldRequest(dashboard.origin);
    await openRequests(page, '/requests?range=all');
    await paste(page, wrap(String(row.request_tx_hash)));
    await expect(page.locator('[data-recognised="transaction"]')).toBeAttached();
    await expect(panel(page)).toContainText(String(row.sequence));
    await expect(records(page)).toHaveCount(1);
  });
}

test('an address shows all of its requests, and a sequence is looked for on every network', async ({
  dashboard,
  page,
}) => {
  const [row] = await rowsOfService(dashboard.origin, `limit=1&max_timestamp=${hourAgo()}`);
  await openRequests(page, '/requests?range=all');
  await search(page).fill(String(row?.sender));
  await expect(count(page)).toContainText('address 0x');
  await expect(records(page).first()).toBeVisible();
  await search(page).fill(String(row?.sequence));
  await expect(page).toHaveURL(new RegExp(`q=${row?.sequence}(&|$)`));
  await expect(count(page)).toContainText(`sequence ${row?.sequence}`);
});

test('what is none of them is said at once, and the rows stay', async ({ page }) => {
  await openRequests(page, '/requests?range=all');
  const shown = await keysOf(page);
  await search(page).fill('hello there');
  await expect(page.locator('[data-recognised="none"]')).toBeVisible();
  await expect(page).not.toHaveURL(/q=/);
  expect(await keysOf(page)).toEqual(shown);
});

test('Back from a search keeps the filter before it and empties the field; Forward searches again', async ({
  page,
}) => {
  await openRequests(page, '/requests?range=all&state=failed');
  await search(page).fill('123');
  await expect(page).toHaveURL(/q=123(&|$)/);
  await search(page).fill('1234');
  await expect(page).toHaveURL(/q=1234(&|$)/);
  await page.goBack();
  await expect(page).not.toHaveURL(/q=/);
  await expect(page).toHaveURL(/state=failed/);
  await expect(search(page)).toHaveValue('');
  await page.goForward();
  await expect(search(page)).toHaveValue('1234');
});

test('what did I look for before? The last searches are offered, until I remove them', async ({ page }) => {
  await openRequests(page, '/requests?range=all');
  for (const sequence of ['181370', '181371']) {
    await search(page).fill(sequence);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(new RegExp(`q=${sequence}`));
  }
  await search(page).fill('');
  await expect(page).not.toHaveURL(/q=/);
  await search(page).click();
  const recent = page.getByRole('group', { name: 'Recent searches' });
  await expect(recent.getByRole('button', { name: /^18137/ })).toHaveText([/181371/, /181370/]);
  await recent.getByRole('button', { name: 'Remove 181371' }).click();
  await recent.getByRole('button', { name: /^181370/ }).click();
  await expect(page).toHaveURL(/q=181370/);
});
