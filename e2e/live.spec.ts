import type { Page } from '@playwright/test';
import { expect, test } from './dashboard';
import { button, keysOf, openRequests, panel, records } from './requests-page';

const every = (page: Page) => page.getByLabel('Every', { exact: true });
const paused = (page: Page) => page.getByText(/^Paused while you read: \d+ new rows?/);

test('how often it looks is mine to choose, and a link brings its own pace', async ({ control, page }) => {
  await openRequests(page, '/requests?range=all');
  await button(page, 'Live').click();
  await expect(every(page)).toBeVisible();
  await expect(every(page).locator('option')).toHaveText(['1 s', '2 s', '5 s', '10 s', '30 s']);
  await every(page).selectOption('1');
  await expect(page).toHaveURL(/live=1(&|$)/);
  await control.forgetCalls();
  const asked = async () =>
    (await control.calls('logs:main', 'logs')).calls.filter(({ query }) => query.includes('limit=50')).length;
  await expect.poll(asked, { timeout: 20_000 }).toBeGreaterThan(4);
  await openRequests(page, '/requests?range=all&live=7');
  await expect(every(page)).toHaveValue('7');
  await openRequests(page, '/requests?range=all&live=3600');
  await expect(page.getByText('3600').first()).toBeVisible();
  await expect(button(page, 'Live')).toHaveAttribute('aria-pressed', 'false');
});

/** One request as the service writes it, in a state of its own. */
function row(state: Record<string, unknown>): string {
  const at = new Date(Date.now() - 5000).toISOString();
  return JSON.stringify({
    ...{ chain_id: 'base', network_id: '8453', provider: `0x${'52'.repeat(20)}`, sequence: 987654 },
    ...{ created_at: CREATED, last_updated_at: at, request_block_number: 34000000, gas_limit: '500000' },
    ...{ request_tx_hash: `0x${'ab'.repeat(32)}`, sender: `0x${'cd'.repeat(20)}` },
    user_random_number: '11'.repeat(32),
    state,
  });
}

const CREATED = new Date(Date.now() - 10_000).toISOString();

test('a pending request that I see is seen to finish, in its place and marked', async ({ control, page }) => {
  await control.clock({ stopped: true });
  await control.rows('main', [row({ state: 'pending' })]);
  await openRequests(page, '/requests?range=all&live=1');
  await page.mouse.move(2, 2);
  const mine = records(page).filter({ hasText: /987,?654/ });
  await expect(mine).toHaveAttribute('data-state', 'pending');
  const before = await keysOf(page);
  await control.rows('main', [row({ state: 'completed', callback_failed: false, gas_used: '123456' })]);
  await expect(mine).toHaveAttribute('data-state', 'completed');
  await expect(mine).toContainText('Completed');
  await expect(mine).toHaveAttribute('data-mark', 'changed');
  expect(await keysOf(page)).toEqual(before);
});

test('an open request holds the table still; what waits is counted, and comes when it is closed', async ({
  control,
  page,
}) => {
  await openRequests(page, '/requests?range=all&live=1');
  await records(page).nth(4).click();
  await expect(panel(page)).toBeVisible();
  await page.mouse.move(2, 2);
  await control.clock({ speed: 10 });
  await expect(paused(page)).toBeVisible();
  const held = await keysOf(page);
  await expect(page.getByText(/^Paused while you read: \d\d+ new rows/)).toBeVisible({ timeout: 20_000 });
  expect(await keysOf(page)).toEqual(held);
  await page.keyboard.press('Escape');
  await expect(panel(page)).toHaveCount(0);
  await page.getByRole('link', { name: 'Keeperscope' }).first().focus();
  await expect(paused(page)).toHaveCount(0);
  await expect.poll(async () => (await keysOf(page))[0]).not.toBe(held[0]);
});

test('more came than fit on the page? It says that some were never shown', async ({ control, page }) => {
  await openRequests(page, '/requests?range=all&live=1&size=25');
  await page.mouse.move(2, 2);
  await control.clock({ speed: 600 });
  await expect(
    page.getByText(/^More came at \d\d:\d\d:\d\d UTC than fit on the page: some were not shown$/),
  ).toBeVisible({ timeout: 20_000 });
});

test('a screen reader hears of new rows at most every five seconds', async ({ control, page }) => {
  await openRequests(page, '/requests?range=all');
  const said = () =>
    page.evaluate(() => (window as unknown as { said: { atMs: number; text: string }[] }).said);
  await page.evaluate(() => {
    const [place, said] = [
      document.querySelector('[data-announcements]'),
      [] as { atMs: number; text: string }[],
    ];
    Object.assign(window, { said });
    if (place === null) throw new Error('nothing is announced here');
    new MutationObserver(() => said.push({ atMs: performance.now(), text: place.textContent })).observe(
      place,
      {
        childList: true,
        subtree: true,
        characterData: true,
      },
    );
  });
  await button(page, 'Live').click();
  await every(page).selectOption('1');
  await page.mouse.move(2, 2);
  await control.clock({ speed: 10 });
  await expect.poll(async () => (await said()).length, { timeout: 40_000 }).toBeGreaterThanOrEqual(3);
  const all = await said();
  expect(all.some(({ text }) => /^\d+ new requests?, \d+ changed$/.test(text))).toBe(true);
  const gaps = all.slice(1).map(({ atMs }, index) => atMs - (all[index]?.atMs ?? 0));
  // What is said is drawn a little later than it is meant, on a busy machine.
  expect(Math.min(...gaps)).toBeGreaterThan(4000);
  // Nor does the count, which changes with every row, speak for itself.
  await expect(page.getByRole('status').filter({ hasText: /requests?\b/ })).toHaveAttribute(
    'aria-live',
    'off',
  );
});

test('new rows wait while text in the table is selected', async ({ control, page }) => {
  await openRequests(page, '/requests?range=all&live=1');
  await page.mouse.move(2, 2);
  const select = (how: 'selectAllChildren' | 'collapse') =>
    records(page)
      .nth(3)
      .evaluate((row, name) => document.getSelection()?.[name](row), how);
  await select('selectAllChildren');
  await control.clock({ speed: 10 });
  await expect(paused(page)).toBeVisible();
  const held = await keysOf(page);
  await select('collapse');
  await expect.poll(async () => (await keysOf(page))[0]).not.toBe(held[0]);
});

test('a selection that went with its rows holds nothing', async ({ control, page }) => {
  await openRequests(page, '/requests?range=all&live=1');
  await page.mouse.move(2, 2);
  await records(page)
    .nth(3)
    .evaluate((row) => document.getSelection()?.selectAllChildren(row));
  await page.getByLabel('Keeper', { exact: true }).selectOption('test');
  await expect(records(page).first()).toHaveAttribute('data-key', /^test\//);
  const [first] = await keysOf(page);
  await control.clock({ speed: 60 });
  await expect.poll(async () => (await keysOf(page))[0], { timeout: 20_000 }).not.toBe(first);
});
