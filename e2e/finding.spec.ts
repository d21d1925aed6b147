import type { Page } from '@playwright/test';
import { expect, test } from './dashboard';
import {
  button,
  cells,
  count,
  countOfService,
  hourAgo,
  keysOf,
  openRequests,
  records,
  rowsOfService,
  totalOf,
} from './requests-page';

const search = (page: Page) => page.getByLabel('Search', { exact: true });
const recent = (page: Page) => page.getByRole('group', { name: 'Recent searches' });
const recentOf = (page: Page) =>
  recent(page)
    .getByRole('listitem')
    .getByRole('button', { name: /sequence|transaction/ });

/** The window of a filter, opened by the button of the same name. */
async function openWindow(page: Page, name: string) {
  await button(page, name).click();
  const window = page.getByRole('dialog', { name });
  await expect(window).toBeVisible();
  return window;
}

/** A cell's own menu, as the right button of the mouse opens it. */
async function fromMenu(page: Page, column: string, item: 'Only this' | 'Not this'): Promise<void> {
  await cells(page, column).first().click({ button: 'right' });
  await page.getByRole('menuitem', { name: item }).click();
}

test.describe('whatever I pasted, it is recognised and leads to the request', () => {
  for (const [what, pasted] of [
    ['a reveal transaction', (row) => row.reveal],
    ['an address of a block explorer’s page', (row) => `https://basescan.org/tx/${row.request}#eventlog`],
    [
      'upper case with blanks and a line break',
      (row) => `  ${row.reveal.slice(0, 30)}\n ${row.reveal.slice(30).toUpperCase()} `,
    ],
    ['a hash without 0x', (row) => row.request.slice(2)],
  ] as [string, (row: { request: string; reveal: string }) => string][]) {
    test(what, async ({ dashboard, page }) => {
      const [row] = await rowsOfService(
        dashboard.origin,
        `limit=1&state=Completed&max_timestamp=${hourAgo()}`,
      );
      const { request_tx_hash: request = '', state } = row ?? {};
      const reveal = (state as unknown as { reveal_tx_hash: string }).reveal_tx_hash;
      await openRequests(page, '/requests?range=all');
      await search(page).fill(pasted({ request, reveal }));
      await expect(page.locator('[data-recognised="transaction"]')).toHaveText(
        'Recognised: transaction hash',
      );
      await expect(page).toHaveURL(/q=0x[0-9a-f]{64}/);
      await expect.poll(async () => (await keysOf(page)).every((key) => key?.includes(request))).toBe(true);
    });
  }
});

test('what did I look for before? The last searches are offered, until I forget them', async ({ page }) => {
  await openRequests(page, '/requests?range=all');
  for (const sequence of ['181370', '181371']) {
    await search(page).fill(sequence);
    await search(page).press('Enter');
    await expect(page).toHaveURL(new RegExp(`q=${sequence}`));
  }
  await openRequests(page, '/requests?range=all');
  await search(page).click();
  await expect(recentOf(page)).toHaveText([/181371/, /181370/]);
  await search(page).press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(recentOf(page).nth(1)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/q=181370/);
  await expect(search(page)).toBeFocused();
  await expect(recent(page)).toHaveCount(0);
  await search(page).press('ArrowDown');
  await search(page).press('ArrowDown');
  await page.keyboard.press('Delete');
  await expect(recentOf(page)).toHaveCount(1);
  await button(page, 'Forget all').click();
  await expect(recent(page)).toHaveCount(0);
  await page.reload();
  await search(page).click();
  await expect(recent(page)).toHaveCount(0);
});

test('only this provider and this much gas: the ends of a range, and both lifted at once', async ({
  page,
}) => {
  await openRequests(page, `/requests?to=${hourAgo()}`);
  const gas = async () =>
    (await cells(page, 'gas-limit').allTextContents()).map((text) => Number(text.replace(/\D/g, '')));
  const all = (await gas()).toSorted((a, b) => a - b);
  const middle = all[25] ?? 0;
  const window = await openWindow(page, 'Filter loaded rows');
  await window.getByLabel('Lowest gas limit').fill(String(middle));
  await window.getByLabel('Lowest gas limit').press('Enter');
  await expect(page).toHaveURL(new RegExp(`gas=${middle}-`));
  await expect.poll(gas).toHaveLength(all.filter((limit) => limit >= middle).length);
  await window.getByLabel('Highest gas limit').fill(String(middle).replace(/\B(?=(\d{3})+$)/g, ','));
  await window.getByLabel('Highest gas limit').press('Enter');
  await expect(page).toHaveURL(new RegExp(`gas=${middle}-${middle}`));
  await expect.poll(async () => new Set(await gas())).toEqual(new Set([middle]));
  await window.getByLabel('Lowest gas limit').fill('much');
  await expect(window.getByText('Digits, such as 500,000')).toBeVisible();
  await window.getByLabel('Lowest gas limit').fill(String(middle));
  const providers = window.getByRole('group', { name: 'Providers of the loaded rows' });
  await providers.getByRole('checkbox').first().check();
  await expect(page).toHaveURL(/only=provider/);
  await page.keyboard.press('Escape');
  await button(page, 'Remove all').click();
  await expect(records(page)).toHaveCount(50);
  await expect(page).not.toHaveURL(/gas=|only=/);
});

test('everything but this network, everything but this state: the rest of all matches, counted by the service', async ({
  control,
  dashboard,
  page,
}) => {
  await control.clock({ stopped: true });
  const to = hourAgo();
  await openRequests(page, `/requests?to=${to}`);
  const all = await totalOf(page);
  for (const [column, param] of [
    ['network', 'network_id'],
    ['state', 'state'],
  ] as const) {
    const [row] = await rowsOfService(dashboard.origin, `limit=1&max_timestamp=${to}`);
    const value = column === 'network' ? row?.network_id : 'Completed';
    await fromMenu(page, column, 'Not this');
    await expect(page).toHaveURL(new RegExp(`[?&]${column}=`));
    await expect(page).not.toHaveURL(/not=/);
    const without = await countOfService(dashboard.origin, `${param}=${value}&max_timestamp=${to}`);
    expect(without).toBeGreaterThan(0);
    await expect.poll(() => totalOf(page)).toBe(all - without);
    await page.goBack();
    await expect.poll(() => totalOf(page)).toBe(all);
  }
});

test('how many of each? The counts in the lists of a filter are the service’s own', async ({
  control,
  dashboard,
  page,
}) => {
  await control.clock({ stopped: true });
  const to = hourAgo();
  await openRequests(page, `/requests?to=${to}`);
  const figureOf = async (name: RegExp) => {
    const item = page.getByRole('listitem').filter({ has: page.getByRole('checkbox', { name }) });
    return Number((await item.locator('.num').textContent())?.replaceAll(',', ''));
  };
  for (const [window, name, query] of [
    ['Choose several states', /^Failed/, 'state=Failed'],
    ['Choose several networks', /^Base 8453/, 'network_id=8453'],
    ['Choose several keepers', /^test/, 'keeper=test'],
  ] as const) {
    await openWindow(page, window);
    const expected = await countOfService(dashboard.origin, `${query}&max_timestamp=${to}`);
    await expect.poll(() => figureOf(name)).toBe(expected);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog', { name: window })).toBeHidden();
  }
});

test('several states of both keepers: one list by time, with the sum of all counts', async ({
  control,
  dashboard,
  page,
}) => {
  await control.clock({ stopped: true });
  const to = hourAgo();
  await openRequests(page, `/requests?to=${to}&cols=keeper,state,created`);
  await openWindow(page, 'Choose several keepers');
  await page.getByRole('checkbox', { name: /^test/ }).check();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/keeper=main&keeper=test/);
  await openWindow(page, 'Choose several states');
  await page.getByRole('checkbox', { name: /^Failed/ }).check();
  await page.getByRole('checkbox', { name: /^Callback failed/ }).check();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/state=failed&state=callback-failed|state=callback-failed&state=failed/);
  let sum = 0;
  for (const keeper of ['main', 'test']) {
    for (const state of ['Failed', 'CallbackErrored']) {
      sum += await countOfService(dashboard.origin, `keeper=${keeper}&state=${state}&max_timestamp=${to}`);
    }
  }
  await expect.poll(() => totalOf(page)).toBe(sum);
  await expect(count(page)).toContainText(/main and test|test and main/);
  const made = await cells(page, 'created')
    .locator('time')
    .evaluateAll((times) => times.map((time) => Date.parse(String(time.getAttribute('datetime')))));
  expect(made).toEqual(made.toSorted((a, b) => b - a));
  const keepers = new Set((await cells(page, 'keeper').allTextContents()).map((text) => text.trim()));
  expect(keepers).toEqual(new Set(['main', 'test']));
});

test('what is chosen while the address bar is behind is added to what was chosen last', async ({ page }) => {
  await openRequests(page, '/requests?range=all');
  const state = page.getByLabel('State', { exact: true });
  await expect(state).toBeEnabled();
  const size = await page.getByLabel('Rows per page').elementHandle();
  await state.evaluate((select, ofSize) => {
    const choose = (element: Node | null, value: string) => {
      if (!(element instanceof HTMLSelectElement)) throw new Error('not a list of choices');
      element.value = value;
      element.dispatchEvent(new Event('change', { bubbles: true }));
    };
    const before = window.location.href;
    choose(select, 'completed');
    // As the router does while it catches up with several addresses.
    History.prototype.replaceState.call(window.history, window.history.state, '', before);
    choose(ofSize, '25');
  }, size);
  await expect(page).toHaveURL(/size=25/);
  await expect(page).toHaveURL(/state=completed/);
  await expect(records(page)).toHaveCount(25);
});
