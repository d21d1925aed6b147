import { readFile } from 'node:fs/promises';
import AxeBuilder from '@axe-core/playwright';
import type { Download, Page } from '@playwright/test';
import { expect, test } from './dashboard';

const table = (page: Page) => page.getByRole('table', { name: 'Requests' });
const records = (page: Page) => table(page).locator('tbody tr[data-row="record"]');
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Export requests' });
const outcome = (page: Page) => dialog(page).locator('[data-export]');
const keysOf = (page: Page) =>
  records(page).evaluateAll((rows) => rows.map((row) => row.getAttribute('data-key')));

async function openExport(page: Page): Promise<void> {
  await expect(records(page).first()).toBeVisible();
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await expect(dialog(page)).toBeVisible();
}

async function startExport(page: Page, format: string): Promise<void> {
  await dialog(page)
    .getByRole('radio', { name: new RegExp(`^${format}`) })
    .check();
  await dialog(page).getByRole('button', { name: 'Start' }).click();
}

async function linesOf(download: Download): Promise<string[]> {
  return (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
}

/** How many the service counts for a query of its own. */
async function countOf(origin: string, query: string): Promise<number> {
  const answer = await (await fetch(`${origin}/api/logs/v1/logs?limit=1&${query}`)).json();
  return answer.total_results;
}

/** Rows of the past: nothing arrives among them while a test counts. */
const past = () => `&to=${new Date(Date.now() - 3_600_000).toISOString()}`;

test('can I have all of it in a table? Every match is in the CSV, not just the page, and it says it is complete', async ({
  dashboard,
  page,
}) => {
  await page.goto(`/requests?size=25${past()}`);
  await openExport(page);
  await expect(dialog(page)).toContainText(/All [\d,]+ requests/);
  const downloading = page.waitForEvent('download');
  await startExport(page, 'CSV');
  await expect(outcome(page)).toContainText(/^Complete: ([\d,]+) of \1 rows/);
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/^requests-[\dTZ]+\.csv$/);
  const lines = await linesOf(download);
  expect(lines[0]).toMatch(/^keeper,network,network_id,chain_id,sequence,created_at,/);
  expect(lines.at(-1)).toMatch(/^# complete: yes,/);
  const to = new URL(page.url()).searchParams.get('to');
  const total = await countOf(dashboard.origin, `max_timestamp=${to}`);
  expect(lines.filter((line) => line.startsWith('main,'))).toHaveLength(total);
  expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^# written: ${total},`)));
  expect(lines).toContainEqual(expect.stringMatching(/^# query: \/requests\?to=.*asof=/));
});

test('can a program read it? Each line of the NDJSON is a request as the service wrote it, filters applied', async ({
  dashboard,
  page,
}) => {
  await page.goto(`/requests?state=failed&state=callback-failed&network=8453&network=42161${past()}`);
  await openExport(page);
  const downloading = page.waitForEvent('download');
  await startExport(page, 'NDJSON');
  await expect(outcome(page)).toContainText(/^Complete: /);
  const lines = (await linesOf(await downloading)).map((line) => JSON.parse(line));
  const to = new URL(page.url()).searchParams.get('to');
  const counts = await Promise.all(
    ['8453', '42161'].flatMap((network) =>
      ['Failed', 'CallbackErrored'].map((state) =>
        countOf(dashboard.origin, `network_id=${network}&state=${state}&max_timestamp=${to}`),
      ),
    ),
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  expect(lines.at(-1).meta).toMatchObject({ written: total, expected: total, complete: true });
  const rows = lines.slice(0, -1);
  expect(rows).toHaveLength(total);
  expect(new Set(rows.map((row) => row.network_id))).toEqual(new Set(['8453', '42161']));
  expect(rows.every((row) => row.keeper === 'main' && row.user_random_number.length === 64)).toBe(true);
  const times = rows.map((row) => Date.parse(row.created_at));
  expect(times).toEqual([...times].sort((a, b) => b - a));
});

test('only the columns I look at? The CSV has them, between the keeper and what could not be read', async ({
  page,
}) => {
  await page.goto('/requests?range=6h&cols=state,sequence');
  await openExport(page);
  const downloading = page.waitForEvent('download');
  await dialog(page).getByRole('radio', { name: 'The shown ones' }).check();
  await startExport(page, 'CSV');
  expect((await linesOf(await downloading))[0]).toBe('keeper,state,sequence,problem,raw');
});

test('a cell that a spreadsheet would run is disarmed, and an odd row is in the file with its JSON', async ({
  dashboard,
  control,
}) => {
  const created = new Date(Date.now() - 60_000).toISOString();
  const reason = '=HYPERLINK("http://evil.example")';
  await control.rows('main', [
    `{"network_id":8453,"sequence":18446744073709551615,"created_at":"${created}","state":{"state":"failed","reason":${JSON.stringify(reason)}}}`,
    '{"sequence":{"odd":1}}',
  ]);
  const csv = await (await fetch(`${dashboard.origin}/api/view/requests/export?range=6h&format=csv`)).text();
  expect(csv).toContain(`"'=HYPERLINK(""http://evil.example"")"`);
  expect(csv).toContain(',18446744073709551615,');
  expect(csv).toContain('"{""sequence"":{""odd"":1}}"');
});

test('I changed my mind: a cancelled export leaves no file, and the service is not asked any more', async ({
  control,
  page,
}) => {
  await page.goto(`/requests?range=all`);
  await openExport(page);
  await control.fault({ service: 'logs:main', fault: { kind: 'delay', ms: 800 } });
  let downloads = 0;
  page.on('download', () => {
    downloads += 1;
  });
  await startExport(page, 'NDJSON');
  await expect(dialog(page).locator('[data-export="running"]')).toBeVisible();
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog(page).getByRole('button', { name: 'Start' })).toBeVisible();
  await control.noFaults();
  await expect
    .poll(async () => (await page.request.get('/api/view/requests/export?range=1m')).status())
    .toBe(200);
  expect(downloads).toBe(0);
});

test('the service fails in the middle? What came is kept, named incomplete, and says why', async ({
  control,
  page,
}) => {
  // It asks on for six times, each when calls are due again; others that fail put that off.
  test.setTimeout(180_000);
  await page.goto('/requests?range=all');
  // The histogram asks the same service, and would take the delays away.
  await expect(page.getByText(/^Exact, from/)).toBeVisible();
  await openExport(page);
  const downloading = page.waitForEvent('download');
  await control.fault({ service: 'logs:main', fault: { kind: 'delay', ms: 1500 }, count: 2 });
  await startExport(page, 'CSV');
  await expect(dialog(page).locator('[data-export="running"]')).toContainText(/rows/, { timeout: 15_000 });
  await control.noFaults();
  await control.fault({ service: 'logs:main', fault: { kind: 'status', status: 500 } });
  await expect(outcome(page)).toContainText(/^Incomplete: [\d,]+ of [\d,]+ rows/, { timeout: 120_000 });
  await expect(outcome(page)).toContainText(/failing \(500\)/);
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/-incomplete\.csv$/);
  expect((await linesOf(download)).at(-1)).toMatch(/^# complete: no,/);
});

test('the service is down? Nothing is saved, and the dialog says what failed', async ({ control, page }) => {
  await page.goto('/requests?range=all');
  // The histogram reads the same rows, and an export would share its answer.
  await expect(page.getByText(/^Exact, from/)).toBeVisible();
  await openExport(page);
  await control.fault({ service: 'logs:main', fault: { kind: 'status', status: 500 } });
  await startExport(page, 'CSV');
  await expect(dialog(page).getByRole('alert')).toContainText(/Nothing was exported.*failing/, {
    timeout: 45_000,
  });
});

test('does my colleague see the same? The shared link shows the same rows in another browser, later', async ({
  browser,
  control,
  dashboard,
  context,
  page,
}) => {
  // A request that completes meanwhile would rightly stand in the colleague's list.
  await control.clock({ stopped: true });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/requests?range=2d&state=completed&size=25&cols=sequence,network,state');
  await expect(records(page)).toHaveCount(25);
  const seen = await keysOf(page);
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByText('Link copied').first()).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
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
  await expect(
    theirs.getByText(/The sender of this link saw 987,654 requests; now [\d,]+ match\./),
  ).toBeVisible();
  await other.close();
});

test('no clipboard here? The link is shown, selected, to be copied by hand', async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
  });
  await page.goto('/requests?range=6h');
  await expect(records(page).first()).toBeVisible();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const field = page.getByRole('dialog', { name: 'Share these rows' }).getByRole('textbox');
  await expect(field).toHaveValue(/\/requests\?.*asof=/);
  await expect(field).toBeFocused();
});

test('I look at this every morning: a saved view is there after a reload, and can be renamed and deleted', async ({
  page,
}) => {
  await page.goto('/requests?range=6h&state=failed');
  await expect(page.getByRole('button', { name: 'Views' })).toBeEnabled();
  await page.getByRole('button', { name: 'Views' }).click();
  const views = page.getByRole('region', { name: 'Views' });
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
  await expect(views.getByText('None yet.')).toBeVisible();
});

for (const [name, address] of [
  ['Stuck', /\?state=pending&to=[^&]+&sort=created\.asc$/],
  ['Failed callbacks today', /\?state=callback-failed&from=[^&]+$/],
  ['Failures', /\?state=failed&state=callback-failed&range=7d$/],
  ['One network', /\?network=\d+$/],
] as const) {
  test(`the view “${name}” comes along`, async ({ page }) => {
    await page.goto('/requests?range=all');
    await expect(records(page).first()).toBeVisible();
    await page.getByRole('button', { name: 'Views' }).click();
    await page
      .getByRole('region', { name: 'Views' })
      .getByRole('button', { name: new RegExp(`^${name}`) })
      .first()
      .click();
    await expect(page).toHaveURL(address);
    await expect(page.getByRole('region', { name: 'Views' })).toBeHidden();
  });
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the dialog and the views have no accessibility violation in ${colorScheme}, and fit on a phone`, async ({
    page,
  }) => {
    await page.setViewportSize({ width: 390, height: 800 });
    await page.emulateMedia({ colorScheme });
    await page.goto('/requests?range=6h');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await expect(dialog(page)).toBeVisible();
    const inDialog = await new AxeBuilder({ page }).include('dialog').analyze();
    expect(inDialog.violations.map(({ id }) => id)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Export', exact: true })).toBeFocused();
    await page.getByRole('button', { name: 'Views' }).click();
    await expect(page.getByLabel('Save this view as')).toBeVisible();
    const inViews = await new AxeBuilder({ page }).include('[popover]:popover-open').analyze();
    expect(inViews.violations.map(({ id }) => id)).toEqual([]);
    const box = await page.getByRole('region', { name: 'Views' }).boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
  });
}

test('a service that stalls in the middle of an export is waited for, and no rate of before goes on', async ({
  control,
  page,
}) => {
  await page.goto('/requests?range=all');
  await openExport(page);
  await control.fault({ service: 'logs:main', fault: { kind: 'delay', ms: 1500 }, count: 2 });
  await startExport(page, 'NDJSON');
  const running = dialog(page).locator('[data-export="running"]');
  await expect(running).toContainText(/rows/, { timeout: 15_000 });
  await control.noFaults();
  await control.fault({ service: 'logs:main', fault: { kind: 'delay', ms: 20_000 } });
  await expect(running).toContainText('waiting for the service');
  await expect(running).not.toContainText('rows/s');
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
});
