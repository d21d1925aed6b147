import { controlOf } from './control';
import { expect, startDashboard, test } from './dashboard';
import { openRequests, records, table } from './requests-page';

/** A row as raw JSON, so that every character is the test's own. */
function row(sequence: number, members: Record<string, string>): string {
  const usual: Record<string, string> = {
    chain_id: '"base"',
    network_id: '"8453"',
    provider: `"0x${'52'.repeat(20)}"`,
    sequence: String(sequence),
    created_at: `"${new Date(Date.now() - 60_000).toISOString()}"`,
    request_tx_hash: `"0x${String(sequence).padStart(64, '0')}"`,
    sender: `"0x${'cd'.repeat(20)}"`,
    state: '{"state":"pending"}',
  };
  const members_ = Object.entries({ ...usual, ...members });
  return `{${members_.map(([name, value]) => `"${name}":${value}`).join(',')}}`;
}

const secondsAgo = (seconds: number) => `"${new Date(Date.now() - seconds * 1000).toISOString()}"`;

test('rows come out of order? Each is there once, in the order of time, and the page goes on', async ({
  control,
  page,
}) => {
  const ages = [300, 20, 900, 60, 600];
  await control.rows(
    'main',
    ages.map((age, n) => row(880_000 + n, { created_at: secondsAgo(age) })),
  );
  await openRequests(page, '/requests?range=all&keeper=main');
  await expect(records(page)).toHaveCount(50);
  const numbers = (await table(page).textContent())?.match(/88000[0-4]/g) ?? [];
  const newestFirst = [...ages.entries()].sort(([, a], [, b]) => a - b);
  expect(numbers).toEqual(newestFirst.map(([n]) => String(880_000 + n)));
  await openRequests(page, '/requests?range=1h&keeper=main&sort=network.asc');
  for (const [n] of ages.entries()) {
    await expect(table(page).getByText(new RegExp(`^88000${n}$`))).toHaveCount(1);
  }
});

test('a text of a megabyte, a link that is a script, a text that turns round? Texts they stay, short ones, and the page lives', async ({
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
    .evaluateAll((all) => all.map((one) => one.textContent?.length ?? 0));
  expect(Math.max(...lengths)).toBeLessThan(2000);
  await expect(page.locator('a[href^="javascript:" i]')).toHaveCount(0);
  expect(await table(page).textContent()).not.toContain('\u202e');
  expect(dialogs).toEqual([]);
});

test('times with nanoseconds, without a zone, or that no calendar has? They are read as UTC, kept, or said to be unreadable', async ({
  control,
  dashboard,
  page,
}) => {
  await control.rows('main', [
    row(882_001, { created_at: '"2026-01-02T03:04:05.123456789Z"' }),
    row(882_002, { created_at: '"2026-01-02T03:04:06"' }),
    row(882_003, { created_at: '"2026-02-30T00:00:00Z"' }),
    row(882_004, { created_at: '"soon"' }),
  ]);
  const text = await (await fetch(`${dashboard.origin}/api/logs/v1/logs?limit=4`)).text();
  expect(text).toContain('"2026-01-02T03:04:05.123456789Z"');
  await openRequests(page, '/requests?from=2026-01-02&to=2026-01-03&keeper=main&zone=utc');
  const cell = (n: number) =>
    records(page)
      .filter({ hasText: new RegExp(`882,?00${n}`) })
      .locator('td[data-column="created"] time');
  await expect(cell(1)).toHaveText(/03:04:05/);
  await expect(cell(2)).toHaveText(/03:04:06/);
  await expect(page.getByText(/2 unreadable/)).toBeVisible();
  await expect(page.getByText(/Invalid Date|NaN/)).toHaveCount(0);
});

test('the clock of the service is ten minutes ahead? A notice says so, and no age is negative', async ({
  page,
}) => {
  const own = await startDashboard();
  try {
    const ahead = new Date(Date.now() + 600_000).toISOString();
    await controlOf(own.sandbox).clock({ set: ahead });
    await openRequests(page, `${own.origin}/requests?range=all&keeper=main&zone=relative`);
    await expect(page.getByText(/clock is (9|10) min.* ahead of this dashboard’s/)).toBeVisible();
    const cells = await records(page).locator('td').allTextContents();
    expect(cells.length).toBeGreaterThan(100);
    expect(cells.filter((text) => /[-−]\d[\d.]* ?(ms|s|min|h|d)\b/.test(text))).toEqual([]);
  } finally {
    await own.stop();
  }
});

test('the clock of the service is ten minutes behind? The table and the services page say so, and call neither clock wrong', async ({
  page,
}) => {
  const own = await startDashboard();
  try {
    const behind = new Date(Date.now() - 600_000).toISOString();
    await controlOf(own.sandbox).clock({ set: behind });
    await openRequests(page, `${own.origin}/requests?range=all&keeper=main&zone=relative`);
    const note = page.getByText(/request log service’s clock is (9|10) min.* behind this dashboard’s/);
    await expect(note).toContainText('Either clock may be off');
    await page.goto(`${own.origin}/pending`);
    const stuckNote = page.getByText(/request log service.* (9|10) min.* behind .*may count as stuck/);
    await expect(stuckNote).toBeVisible();
    await page.goto(`${own.origin}/services`);
    const clock = (name: string) =>
      page
        .locator('tr')
        .filter({ has: page.getByRole('rowheader', { name: new RegExp(`^${name}`) }) })
        .locator('[data-fact="clock"]');
    await page.getByRole('button', { name: 'Check now' }).click();
    await expect(clock('Logs main')).toHaveText(/^(9|10) min.* behind$/);
    await expect(clock('Logs main').getByTitle(/ is dated .*Either clock may be wrong/)).toBeVisible();
    await controlOf(own.sandbox).clock({ set: new Date().toISOString() });
    // Pressed again within two seconds nothing is asked anew.
    await expect(async () => {
      await page.getByRole('button', { name: 'Check now' }).click();
      await expect(clock('Logs main')).toContainText('In sync', { timeout: 1500 });
    }).toPass({ timeout: 15_000 });
    await openRequests(page, `${own.origin}/requests?range=all&keeper=main&zone=relative`);
    await expect(note).toHaveCount(0);
  } finally {
    await own.stop();
  }
});

test('a query has line breaks and terminal codes? Each line of the log is still one JSON object', async ({
  dashboard,
  page,
}) => {
  const hostile = encodeURIComponent('a\n{"level":"error"}\r\u001b[2J\u2028b');
  await fetch(`${dashboard.origin}/api/logs/v1/logs?query=${hostile}&x=${hostile}`);
  await page.goto(`/requests?range=all&q=${hostile}`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const lines = dashboard.stdout().split('\n').filter(Boolean);
  for (const line of lines) expect(Object.keys(JSON.parse(line)).length).toBeGreaterThan(1);
  const unseen = lines.flatMap((line) => [...line].filter((one) => one < ' ' || one > '~'));
  expect(unseen).toEqual([]);
});
