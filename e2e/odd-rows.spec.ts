import { expect, test } from './dashboard';

/** A row as a deployed service writes it, as raw JSON, so that every digit is the test's own. */
function row(members: Record<string, string>): string {
  const usual: Record<string, string> = {
    chain_id: '"base"',
    network_id: '8453',
    provider: `"0x${'52'.repeat(20)}"`,
    sequence: '7',
    created_at: `"${new Date(Date.now() - 60_000).toISOString()}"`,
    last_updated_at: `"${new Date(Date.now() - 50_000).toISOString()}"`,
    request_block_number: '34000000',
    request_tx_hash: `"0x${'ab'.repeat(32)}"`,
    gas_limit: '500000',
    user_random_number: `"${'11'.repeat(32)}"`,
    sender: `"0x${'cd'.repeat(20)}"`,
    state: '{"state":"pending"}',
  };
  const all = { ...usual, ...members };
  return `{${Object.entries(all)
    .map(([name, value]) => `"${name}":${value}`)
    .join(',')}}`;
}

for (const dialect of ['text', 'number'] as const) {
  test(`numbers that the service writes as ${dialect} are shown, and passed on as text`, async ({
    dashboard,
    control,
    page,
  }) => {
    await control.dialect(dialect);
    const answer = await fetch(`${dashboard.origin}/api/logs/v1/logs?limit=10&network_id=8453`);
    const { requests } = await answer.json();
    expect(requests).toHaveLength(10);
    for (const request of requests) {
      expect(typeof request.network_id).toBe('string');
      expect(typeof request.gas_limit).toBe('string');
    }
    await page.goto('/requests?network=8453&range=all');
    const table = page.getByRole('table', { name: 'Requests' });
    await expect(table.getByText('Base', { exact: true }).first()).toBeVisible();
  });
}

test('an unknown state is shown by its wire name', async ({ control, page }) => {
  await control.rows('main', [row({ state: '{"state":"levitating","height":3}' })]);
  await page.goto('/requests?range=all');
  await expect(page.getByRole('table', { name: 'Requests' }).getByText('levitating')).toBeVisible();
});

test('a failed request whose provider_random_number is null is shown', async ({ control, page }) => {
  await control.rows('main', [
    row({
      sequence: '4711',
      state: '{"state":"failed","reason":"Reverted: 0x1c26714c","provider_random_number":null}',
    }),
  ]);
  await page.goto('/requests?range=all');
  const found = page
    .getByRole('row')
    .filter({ hasText: '4,711' })
    .or(page.getByRole('row').filter({ hasText: '4711' }));
  await expect(found.getByText(/failed/i).first()).toBeVisible();
});

test('one unreadable row among many stands above them, and the others live', async ({ control, page }) => {
  const rows = Array.from({ length: 50 }, (_, n) =>
    row({ sequence: String(900_000 + n), request_tx_hash: `"0x${String(n).padStart(64, '0')}"` }),
  );
  rows[20] = '{"sequence":{"not":"a number"},"note":"what is this"}';
  await control.rows('main', rows);
  await page.goto('/requests?range=all&size=50');
  const table = page.getByRole('table', { name: 'Requests' });
  await expect(table.locator('tbody tr[data-row="record"]')).toHaveCount(50);
  await expect(table.locator('tbody tr[data-row="unreadable"]')).toHaveCount(1);
  await expect(page.getByText(/1 unreadable/)).toBeVisible();
});

test('two networks with the same sequence number are two rows', async ({ control, page }) => {
  await control.rows('main', [
    row({ sequence: '777777', network_id: '8453' }),
    row({ sequence: '777777', network_id: '42161', chain_id: '"arbitrum-one"' }),
  ]);
  await page.goto('/requests?range=all');
  const rows = page
    .getByRole('table', { name: 'Requests' })
    .getByRole('row')
    .filter({ hasText: /777,?777/ });
  await expect(rows).toHaveCount(2);
});

test('the largest sequence number keeps every digit, in the table and through the gateway', async ({
  dashboard,
  control,
  page,
}) => {
  await control.rows('main', [row({ sequence: '18446744073709551615' })]);
  const text = await (await fetch(`${dashboard.origin}/api/logs/v1/logs?limit=1`)).text();
  expect(text).toContain('"sequence":18446744073709551615');
  await page.goto('/requests?range=all');
  const cell = page.getByRole('table', { name: 'Requests' }).getByText(/^18,?446,?744,?073,?709,?551,?615$/);
  for (const width of [1440, 1280, 1024, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await expect(cell).toBeVisible();
    // Nothing of it may be cut off by the width of its column.
    await expect.poll(() => cell.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
  }
});

test('markup and direction overrides in a row stay text', async ({ control, page }) => {
  await control.rows('main', [
    row({
      state: '{"state":"<img src=x onerror=alert(1)>\\u202Eabc"}',
      chain_id: '"<b>bold</b>"',
      network_id: '987654321',
    }),
  ]);
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    dialog.dismiss();
  });
  await page.goto('/requests?range=all');
  const table = page.getByRole('table', { name: 'Requests' });
  await expect(table.getByText('<img src=x onerror=alert(1)>')).toBeVisible();
  expect(await table.locator('img, b').count()).toBe(0);
  expect(dialogs).toEqual([]);
});

test('members that the service invents and members that are missing hurt nobody', async ({
  dashboard,
  control,
  page,
}) => {
  const bare = `{"network_id":"8453","sequence":31337,"created_at":"${new Date().toISOString()}","invented":{"deep":[1,2.50,12345678901234567890]}}`;
  await control.rows('main', [bare]);
  const text = await (await fetch(`${dashboard.origin}/api/logs/v1/logs?limit=1`)).text();
  expect(text).toContain('"invented":{"deep":[1,2.50,12345678901234567890]}');
  await page.goto('/requests?range=all');
  await expect(page.getByRole('table', { name: 'Requests' }).getByText(/^31,?337$/)).toBeVisible();
});
