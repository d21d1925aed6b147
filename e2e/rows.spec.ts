import { expect, test } from './fixtures';
import { openRequests, panel, records, table } from './requests-page';
import { secondsAgo, wireRow } from './wire-row';

const row = (sequence: string | number, members: Record<string, string> = {}) =>
  wireRow({
    sequence: String(sequence),
    request_tx_hash: `"0x${String(sequence).padStart(64, '0')}"`,
    ...members,
  });

/** A sequence, with or without commas. */
const numbered = (sequence: number) =>
  new RegExp(`^${String(sequence).replaceAll(/(?=(\\d{3})+$)/g, ',?')}$`);

test('rows with numbers as text, unknown states and members, or missing ones are all shown', async ({
  dashboard,
  control,
  page,
}) => {
  const hostile = '"=<img src=x onerror=alert(1)>\\u202Eabc"';
  const bare = `{"network_id":"8453","sequence":31337,"created_at":${secondsAgo(1)},"invented":{"deep":[1,2.50,12345678901234567890]}}`;
  const noNumber = '{"state":"failed","reason":"Reverted: 0x1c26714c","provider_random_number":null}';
  await control.rows('main', [
    bare,
    row(4711, { state: noNumber }),
    row(4712, { state: '{"state":"levitating","height":3}', network_id: '"8453"', gas_limit: '"500000"' }),
    row(777_777),
    row(777_777, { network_id: '42161', chain_id: '"arbitrum-one"' }),
    row('18446744073709551615'),
    row(4713, { state: `{"state":${hostile}}`, chain_id: '"<b>bold</b>"', network_id: '987654321' }),
    '{"sequence":{"not":"a number"},"note":"what is this"}',
  ]);
  const text = await (await fetch(`${dashboard.origin}/api/logs/v1/logs?limit=8`)).text();
  expect(text).toContain('"invented":{"deep":[1,2.50,12345678901234567890]}');
  expect(text).toContain('"sequence":18446744073709551615');
  for (const dialect of ['number', 'text'] as const) {
    await control.dialect(dialect);
    const answer = await fetch(`${dashboard.origin}/api/logs/v1/logs?limit=50&offset=8`);
    for (const { network_id, gas_limit } of (await answer.json()).requests)
      expect([typeof network_id, typeof gas_limit]).toEqual(['string', 'string']);
  }
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    dialog.dismiss();
  });
  await openRequests(page, '/requests?range=all');
  const rowOf = (sequence: number) => records(page).filter({ has: page.getByText(numbered(sequence)) });
  await expect(rowOf(31337)).toBeVisible();
  await expect(rowOf(4711)).toHaveAttribute('data-state', 'failed');
  await expect(rowOf(4712)).toContainText('levitating');
  await expect(rowOf(777_777)).toHaveCount(2);
  await expect(records(page)).toHaveCount(50);
  await expect(table(page).locator('tbody tr[data-row="unreadable"]')).toHaveCount(1);
  await expect(page.getByText(/1 unreadable/)).toBeVisible();
  await table(page).locator('tbody tr[data-row="unreadable"]').click();
  await expect(panel(page)).toContainText('what is this');
  await panel(page).getByRole('button', { name: 'Close' }).click();
  await expect(rowOf(4713)).toContainText('<img src=x onerror=alert(1)>');
  expect(await table(page).locator('img, b').count()).toBe(0);
  expect(await table(page).textContent()).not.toContain('\u202e');
  const largest = table(page).getByText(/^18,?446,?744,?073,?709,?551,?615$/);
  for (const width of [1440, 1280, 1024, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await expect(largest).toBeVisible();
    await expect.poll(() => largest.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  }
  expect(dialogs).toEqual([]);
});

test('megabytes, script links and direction overrides stay short texts, and the page works', async ({
  control,
  page,
}) => {
  const long = 'a'.repeat(1024 * 1024);
  await control.rows('main', [
    row(881_001, { state: `{"state":"failed","reason":"${long}"}` }),
    row(881_002, { chain_id: `"${long}"`, network_id: '"987654321"' }),
    row(881_003, { sender: '"javascript:alert(1)"', request_tx_hash: '"javascript:alert(2)"' }),
    row(881_004, { state: '{"state":"failed","reason":"\\u202Etxt.exe\\u0000\\u001b[31m"}' }),
  ]);
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    dialog.dismiss();
  });
  await openRequests(page, '/requests?range=all&keeper=main');
  for (const n of [1, 2, 3, 4]) {
    await expect(table(page).getByText(new RegExp(`^881,?00${n}$`))).toBeVisible();
  }
  const lengths = await records(page)
    .locator('td')
    .evaluateAll((all) => all.map((cell) => cell.textContent?.length ?? 0));
  expect(Math.max(...lengths)).toBeLessThan(2000);
  await expect(page.locator('a[href^="javascript:" i]')).toHaveCount(0);
  expect(await table(page).textContent()).not.toContain('\u202e');
  expect(dialogs).toEqual([]);
});

test.describe('a clock that is off', () => {
  test.use({ fresh: true });

  test('a service clock ten minutes behind is reported in the table and on the services page, without blaming either clock', async ({
    control,
    page,
  }) => {
    await control.clock({ set: new Date(Date.now() - 600_000).toISOString() });
    await openRequests(page, '/requests?range=all&keeper=main&zone=relative');
    const note = page.getByText(/request log service’s clock is (9|10) min.* behind this dashboard’s/);
    await expect(note).toContainText('Either clock may be off');
    const row = page.locator('tbody a[href^="/requests/"]').first();
    await page.goto((await row.getAttribute('href')) ?? '');
    await expect(page.getByText(/(9|10) min.* behind .*looks older than it is; its verdict/)).toBeVisible();
    await page.goto('/pending');
    await expect(
      page.getByText(/request log service.* (9|10) min.* behind .*look older than they are/),
    ).toBeVisible();
    await page.goto('/services');
    const host = page.locator('tr').filter({ has: page.getByRole('rowheader', { name: /^Logs main/ }) });
    const clock = host.locator('[data-fact="key"]');
    await page.getByRole('button', { name: 'Check now' }).click();
    await expect(clock).toContainText(/Clock (9|10) min.* behind$/);
    await expect(clock.getByTitle(/ dated .*Either clock may be wrong/)).toBeVisible();
    await control.clock({ set: new Date().toISOString() });
    await expect(async () => {
      await page.getByRole('button', { name: 'Check now' }).click();
      await expect(clock).toContainText('OK', { timeout: 1500 });
    }).toPass({ timeout: 30_000 });
    await openRequests(page, '/requests?range=all&keeper=main&zone=relative');
    await expect(note).toHaveCount(0);
  });
});
