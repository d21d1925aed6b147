import type { Page } from '@playwright/test';
import { expect, test } from './dashboard';

const table = (page: Page) => page.getByRole('table', { name: 'Requests' });
const records = (page: Page) => table(page).locator('tbody tr[data-row="record"]');
/** Alerts that say something: the framework keeps an empty one for the names of pages. */
const alerts = (page: Page) => page.getByRole('alert').filter({ hasText: /\S/ });
/** The status that counts: "1,234 requests …". */
const count = (page: Page) => page.getByRole('status').filter({ hasText: /requests?\b/ });

test('which requests were logged lately? The first answer holds the rows, before any script runs', async ({
  dashboard,
}) => {
  const html = await (await fetch(`${dashboard.origin}/requests`)).text();
  expect(html.match(/<tr[^>]*data-row="record"/g)?.length).toBe(50);
});

test('how many are there, and where am I in them?', async ({ dashboard, page }) => {
  await page.goto('/requests?range=7d');
  await expect(count(page)).toContainText(/\d requests?/);
  const total = Number(
    String(await count(page).textContent())
      .match(/([\d,]+) requests?/)?.[1]
      ?.replaceAll(',', ''),
  );
  const since = new Date(Date.now() - 7 * 86_400_000).toISOString();
  const answer = await (
    await fetch(`${dashboard.origin}/api/logs/v1/logs?limit=1&min_timestamp=${since}`)
  ).json();
  expect(Math.abs(answer.total_results - total)).toBeLessThan(10);
});

test('what happened before these? Paging shows each request once', async ({ page }) => {
  await page.goto('/requests?range=7d&size=25');
  await expect(records(page)).toHaveCount(25);
  const seen = await records(page).evaluateAll((rows) => rows.map((row) => row.getAttribute('data-key')));
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(page).toHaveURL(/page=2/);
  await expect.poll(async () => records(page).first().getAttribute('data-key')).not.toBe(seen[0]);
  const next = await records(page).evaluateAll((rows) => rows.map((row) => row.getAttribute('data-key')));
  expect(next).toHaveLength(25);
  await page.getByRole('button', { name: 'Previous page' }).click();
  await expect(page).not.toHaveURL(/page=2/);
});

test('only failed ones? A filter starts at the first page, and Back undoes it', async ({ page }) => {
  await page.goto('/requests?range=all&page=2');
  await expect(records(page).first()).toBeVisible();
  await page.getByLabel('State', { exact: true }).selectOption('failed');
  await expect(page).toHaveURL(/state=failed/);
  await expect(page).not.toHaveURL(/page=2/);
  await expect
    .poll(() =>
      records(page).evaluateAll((rows) => rows.every((row) => row.getAttribute('data-state') === 'failed')),
    )
    .toBe(true);
  await page.goBack();
  await expect(page).not.toHaveURL(/state=failed/);
  await expect(page).toHaveURL(/page=2/);
  await expect(page.getByLabel('State', { exact: true })).toHaveValue('');
});

test('what is chosen before the rows of the last choice are drawn is chosen as well', async ({ page }) => {
  await page.goto('/requests?range=all');
  await expect(records(page).first()).toBeVisible();
  // Nobody can choose from a list before the scripts run; an event of a test can be sent to it all the same.
  await expect(page.getByLabel('State', { exact: true })).toBeEnabled();
  await expect(page.getByLabel('Rows per page')).toBeEnabled();
  const state = await page.getByLabel('State', { exact: true }).elementHandle();
  const size = await page.getByLabel('Rows per page').elementHandle();
  await page.evaluate(
    (choices) => {
      for (const { select, value } of choices) {
        if (!(select instanceof HTMLSelectElement)) throw new Error('not a list of choices');
        select.value = value;
        select.dispatchEvent(new Event('change', { bubbles: true }));
      }
    },
    [
      { select: state, value: 'failed' },
      { select: size, value: '25' },
    ],
  );
  await expect(page).toHaveURL(/size=25/);
  await expect(page).toHaveURL(/state=failed/);
});

test('Back from a search keeps the filter that was chosen before it', async ({ page }) => {
  await page.goto('/requests?range=all');
  await page.getByLabel('State', { exact: true }).selectOption('failed');
  await expect(page).toHaveURL(/state=failed/);
  const search = page.getByLabel('Search', { exact: true });
  await search.fill('123');
  await expect(page).toHaveURL(/q=123(&|$)/);
  await search.fill('1234');
  await expect(page).toHaveURL(/q=1234(&|$)/);
  await page.goBack();
  await expect(page).not.toHaveURL(/q=/);
  await expect(page).toHaveURL(/state=failed/);
  await expect(search).toHaveValue('');
  await page.goForward();
  await expect(search).toHaveValue('1234');
});

test('Back, at the moment in which a search is handed over, empties the field as well', async ({ page }) => {
  await page.goto('/requests?range=all');
  const search = page.getByLabel('Search', { exact: true });
  await expect(search).toBeEnabled();
  await page.evaluate(() => {
    const push = history.pushState;
    history.pushState = (...args) => {
      history.pushState = push;
      history.pushState(...args);
      history.back();
    };
  });
  await search.fill('123');
  await expect(search).toHaveValue('');
  await expect(page).not.toHaveURL(/q=/);
  await page.goForward();
  await expect(search).toHaveValue('123');
});

test('what is typed at the moment in which a search is handed over stays', async ({ page }) => {
  await page.goto('/requests?range=all');
  const search = page.getByLabel('Search', { exact: true });
  await search.evaluate((field: HTMLInputElement) => {
    const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set;
    const push = history.pushState;
    history.pushState = (...args) => {
      history.pushState = push;
      history.pushState(...args);
      write?.call(field, '1234');
      field.dispatchEvent(new Event('input', { bubbles: true }));
    };
  });
  await search.fill('123');
  await expect(page).toHaveURL(/q=1234(&|$)/);
  await expect(search).toHaveValue('1234');
});

test('without scripts the page says that nothing on it is live', async ({ browser, dashboard }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  for (const path of ['/requests', '/feeds']) {
    await page.goto(dashboard.origin + path);
    await expect(page.locator('noscript p')).toBeVisible();
  }
  await context.close();
});

test('how many rows fit on a page is mine to choose', async ({ page }) => {
  await page.goto('/requests?range=all');
  await page.getByLabel('Rows per page').selectOption('100');
  await expect(page).toHaveURL(/size=100/);
  await expect(records(page)).toHaveCount(100);
});

test.describe('I have a transaction, an address or a number', () => {
  for (const [what, member, says] of [
    ['transaction', 'request_tx_hash', /transaction/i],
    ['address', 'sender', /address/i],
    ['number', 'sequence', /sequence/i],
  ] as const) {
    test(`a ${what} is recognised while it is typed, and found`, async ({ dashboard, page }) => {
      const { requests } = await (
        await fetch(`${dashboard.origin}/api/logs/v1/logs?limit=1&state=Completed`)
      ).json();
      await page.goto('/requests?range=all');
      const search = page.getByLabel('Search', { exact: true });
      await search.fill(String(requests[0][member]).replace('0x', '').toUpperCase());
      await expect(page.locator('[data-recognised]')).toHaveText(says);
      await expect(page).toHaveURL(/q=/);
      await expect(records(page).first()).toBeVisible();
      await expect(count(page)).not.toContainText(/^0 /);
    });
  }

  test('what is none of them is said at once, and the service is not asked', async ({ control, page }) => {
    await page.goto('/requests?range=all');
    await expect(records(page).first()).toBeVisible();
    await control.forgetCalls();
    await page.getByLabel('Search', { exact: true }).fill('hello there');
    await expect(page.locator('[data-recognised="none"]')).toBeVisible();
    await expect(records(page).first()).toBeVisible();
    const { calls } = await control.calls('logs:main', 'logs');
    expect(calls.filter((call) => call.query.includes('hello'))).toEqual([]);
  });
});

test('nothing there? It says so, and that is no failure', async ({ page }) => {
  await page.goto('/requests?range=all&q=18446744073709551614');
  await expect(page.getByText(/no requests/i).first()).toBeVisible();
  await expect(alerts(page)).toHaveCount(0);
});

test('the service fails? What failed and what to do is said; when it is back the rows are back', async ({
  control,
  page,
}) => {
  await control.fault({ service: 'logs:main', fault: { kind: 'status', status: 500 } });
  await page.goto('/requests?range=6h');
  await expect(alerts(page)).toContainText(/request log/i);
  await control.noFaults();
  await page.getByRole('button', { name: /try again|retry/i }).click();
  await expect(records(page).first()).toBeVisible();
  await expect(alerts(page)).toHaveCount(0);
});

test('the service fails while I read? The last rows stay and are marked as stale', async ({
  control,
  page,
}) => {
  await page.goto('/requests?range=all');
  await expect(records(page)).toHaveCount(50);
  await control.fault({ service: 'logs:main', fault: { kind: 'status', status: 500 } });
  await page.getByRole('button', { name: /refresh/i }).click();
  await expect(page.getByText(/stale since/i)).toBeVisible();
  await expect(records(page)).toHaveCount(50);
});

test('the service is slow? The frame is there at once and the rows follow in the same answer', async ({
  dashboard,
  control,
}) => {
  await control.fault({ service: 'logs:main', fault: { kind: 'delay', ms: 3000 }, count: 5 });
  const response = await fetch(`${dashboard.origin}/requests?range=3h`);
  const reader = response.body?.getReader();
  const first = new TextDecoder().decode((await reader?.read())?.value);
  expect(first).toContain('<nav');
  expect(first).not.toContain('data-row="record"');
  let rest = '';
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
    rest += new TextDecoder().decode(part.value);
  expect(rest).toContain('data-row="record"');
});

test('a link whose filter can’t be read says so instead of showing something else', async ({ page }) => {
  await page.goto('/requests?range=fortnight&size=many');
  await expect(page.getByText(/fortnight/)).toBeVisible();
  await expect(page.getByText(/many/).first()).toBeVisible();
});

test('an absolute range is asked for as it stands', async ({ control, page }) => {
  const from = new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 19);
  const to = new Date(Date.now() - 4 * 86_400_000).toISOString().slice(0, 19);
  await control.forgetCalls();
  await page.goto(`/requests?from=${from}Z&to=${to}Z`);
  await expect(records(page).first()).toBeVisible();
  const { calls } = await control.calls('logs:main', 'logs');
  const query = new URLSearchParams(calls.find((call) => call.query.includes('limit=50'))?.query);
  expect(Date.parse(query.get('min_timestamp') ?? '')).toBe(Date.parse(`${from}Z`));
  expect(Date.parse(query.get('max_timestamp') ?? '')).toBe(Date.parse(`${to}Z`));
});

test('a network that nobody knows is shown as it is', async ({ control, page }) => {
  const row = `{"chain_id":"moonbeam-9","network_id":"987654321","sequence":5,"created_at":"${new Date().toISOString()}","state":{"state":"pending"}}`;
  await control.rows('main', [row]);
  await page.goto('/requests?range=1h');
  await expect(
    table(page)
      .getByText(/987654321/)
      .first(),
  ).toBeVisible();
});

test('the block explorer is one click away', async ({ page }) => {
  await page.goto('/requests?range=all&network=8453');
  const link = records(page).first().getByRole('link').filter({ hasText: /0x/ }).last();
  await expect(link).toHaveAttribute('href', /^https:\/\/basescan\.org\/tx\/0x[0-9a-f]{64}$/);
  await expect(link).toHaveAttribute('rel', /noreferrer|noopener/);
});
