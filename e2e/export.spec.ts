import { readFile } from 'node:fs/promises';
import type { Download, Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { isAccessible } from './looks';
import { countOfService, hourAgo, keysOf, openRequests, records, untilIndexed } from './requests-page';

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Export' });

async function openExport(page: Page): Promise<void> {
  await expect(records(page).first()).toBeVisible();
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await expect(dialog(page)).toBeVisible();
}

async function exported(page: Page, format: string): Promise<Download> {
  await dialog(page).getByRole('radio', { name: format, exact: true }).check();
  const downloading = page.waitForEvent('download');
  await dialog(page)
    .getByRole('link', { name: `Export ${format}` })
    .click();
  await expect(dialog(page).getByRole('status')).toContainText('Download started');
  return downloading;
}

async function linesOf(download: Download): Promise<string[]> {
  return (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
}

/** A range that ends an hour ago, where no row arrives while a test counts. */
const past = () => `&to=${hourAgo()}`;

test('an export has every match, in all or the visible columns, as CSV or Parquet, and says that it is complete', async ({
  dashboard,
  page,
}) => {
  await page.goto(`/requests?keeper=main&size=25&cols=state,sequence${past()}`);
  await untilIndexed(page);
  await openExport(page);
  await expect(dialog(page)).toContainText(/[\d,]+ requests, newest first/);
  const download = await exported(page, 'CSV');
  expect(download.suggestedFilename()).toMatch(/\.csv$/);
  const lines = await linesOf(download);
  expect(lines[0]).toMatch(/^keeper,network,network_id,chain_id,sequence,created_at,/);
  expect(lines.at(-1)).toMatch(/^# complete: yes,/);
  const to = new URL(page.url()).searchParams.get('to');
  const total = await countOfService(dashboard.origin, `max_timestamp=${to}`);
  expect(lines.filter((line) => line.startsWith('main,'))).toHaveLength(total);
  expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^# written: ${total},`)));
  await dialog(page).getByRole('radio', { name: 'Visible columns' }).check();
  expect((await linesOf(await exported(page, 'CSV')))[0]).toBe('keeper,state,sequence,problem,raw');
  const parquet = await readFile(await (await exported(page, 'Parquet')).path());
  expect([parquet.subarray(0, 4), parquet.subarray(-4)].map(String)).toEqual(['PAR1', 'PAR1']);
});

test('a shared link shows the same rows in another browser, later', async ({
  browser,
  control,
  dashboard,
  context,
  page,
}) => {
  // The total stays the same meanwhile.
  await control.clock({ stopped: true });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openRequests(
    page,
    '/requests?range=2d&network=8453&network=42161&size=25&cols=sequence,network,state',
  );
  await expect(records(page)).toHaveCount(25);
  const seen = await keysOf(page);
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByRole('button', { name: 'Copy link' }).click();
  await expect(page.getByRole('button', { name: 'Link copied' })).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  // A link to the live view has the filters, but is not pinned to a moment.
  await page.getByRole('dialog', { name: 'Share' }).getByText('Live view').click();
  const field = page.getByRole('dialog', { name: 'Share' }).getByRole('textbox', { name: 'Link' });
  await expect(field).toHaveValue(/range=2d/);
  await expect(field).not.toHaveValue(/asof=|expected=/);
  const shared = new URL(link).searchParams;
  expect([shared.get('range'), shared.get('zone')]).toEqual([null, 'utc']);
  for (const name of ['from', 'to', 'asof', 'expected', 'cols']) expect(shared.get(name)).not.toBeNull();
  const other = await browser.newContext({ timezoneId: 'America/New_York' });
  const theirs = await other.newPage();
  await theirs.goto(dashboard.origin + new URL(link).pathname + new URL(link).search);
  await expect(records(theirs)).toHaveCount(25);
  expect(await keysOf(theirs)).toEqual(seen);
  await theirs.goto(
    `${dashboard.origin}${new URL(link).pathname}?${shared.toString().replace(/expected=\d+/, 'expected=987654')}`,
  );
  await expect(theirs.getByText(/Shared with 987,654 requests, now [\d,]+/)).toBeVisible();
  await other.close();
});

test('a saved view survives a reload, and can be renamed and deleted', async ({ page }) => {
  await page.goto('/requests?range=6h&state=failed');
  await expect(page.getByRole('button', { name: 'Views' })).toBeEnabled();
  await page.getByRole('button', { name: 'Views' }).click();
  const views = page.getByRole('dialog', { name: 'Views' });
  await views.getByLabel('Save this view as').fill('Morning failures');
  await views.getByRole('button', { name: 'Save', exact: true }).click();
  await page.goto('/requests');
  await page.getByRole('button', { name: 'Views' }).click();
  await views.getByRole('button', { name: 'Morning failures', exact: true }).click();
  await expect(page).toHaveURL(/state=failed/);
  await expect(page).toHaveURL(/range=6h/);
  await page.getByRole('button', { name: 'Views' }).click();
  await views.getByRole('button', { name: 'Rename Morning failures' }).click();
  await views.getByLabel('New name of Morning failures').fill('Evening failures');
  await page.keyboard.press('Enter');
  await expect(views.getByRole('button', { name: 'Evening failures', exact: true })).toBeVisible();
  await page.reload();
  await page.getByRole('button', { name: 'Views' }).click();
  await views.getByRole('button', { name: 'Delete Evening failures' }).click();
  await expect(views.getByRole('list', { name: 'Saved views' })).toHaveCount(0);
});

test('views, export and share are accessible and fit on a phone; three views are built in', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto('/requests?range=6h');
  await page.getByRole('button', { name: 'More', exact: true }).click();
  for (const name of ['Export', 'Share', 'Views']) {
    await page.getByRole('button', { name, exact: true }).click();
    const opened = page.getByRole('dialog', { name: new RegExp(`^${name}`) });
    await expect(opened).toBeVisible();
    const box = await opened.boundingBox();
    expect(box?.x ?? -1).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
    const views = name === 'Views' ? ['Stuck', 'Reverted callbacks today', 'Failures'] : [];
    for (const view of views)
      await expect(opened.getByRole('button', { name: new RegExp(`^${view}`) })).toBeVisible();
    await isAccessible(page, '[role="dialog"]');
    await page.keyboard.press('Escape');
    await expect(opened).toHaveCount(0);
    await expect(page.getByRole('button', { name, exact: true })).toBeFocused();
  }
});
