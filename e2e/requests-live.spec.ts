import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { button, keysOf, openRequests, panel, records, totalOf } from './requests-page';

const paused = (page: Page) => page.getByRole('button', { name: /^Paused/ });
const fresh = (page: Page) => page.getByRole('button', { name: /^\d+\+? new$/ });

/** Updates are held back while the pointer is over the rows. */
const movePointerAway = (page: Page) => page.mouse.move(2, 2);

async function totalOfChart(page: Page): Promise<number> {
  const words = await page
    .getByRole('region', { name: 'Requests over time' })
    .locator('p.sr-only')
    .textContent({ timeout: 30_000 });
  return Number(/^([\d,]+) request/.exec(String(words))?.[1]?.replaceAll(',', ''));
}

test('live mode adds marked rows at the top, announced at most every five seconds; rows, count and chart agree', async ({
  control,
  page,
}) => {
  await openRequests(page, '/requests?range=all');
  const before = await keysOf(page);
  const total = await totalOf(page);
  await page.evaluate(() => {
    const region = document.querySelector('[data-announcements]');
    const announcedMs: number[] = [];
    Object.assign(window, { announcedMs });
    if (region === null) throw new Error('no live region');
    new MutationObserver(() => announcedMs.push(performance.now())).observe(region, {
      subtree: true,
      childList: true,
      characterData: true,
    });
  });
  await button(page, 'Live').click();
  await expect(button(page, 'Live')).toHaveAttribute('aria-pressed', 'true');
  await movePointerAway(page);
  await control.clock({ speed: 20 });
  await expect(page.locator('tr[data-mark="new"]').first()).toBeVisible();
  await expect.poll(async () => (await keysOf(page))[0]).not.toBe(before[0]);
  await expect.poll(() => totalOf(page)).toBeGreaterThan(total);
  const announcedMs = () => page.evaluate(() => (window as unknown as { announcedMs: number[] }).announcedMs);
  await expect.poll(async () => (await announcedMs()).length, { timeout: 30_000 }).toBeGreaterThan(1);
  const moments = await announcedMs();
  const gaps = moments.slice(1).map((ms, at) => ms - (moments[at] ?? 0));
  // A changed text causes two mutations within 50 ms. Announcements are at least 4 s apart.
  expect(gaps.filter((gap) => gap > 50 && gap < 4000)).toEqual([]);
  await control.clock({ stopped: true });
  await expect.poll(async () => (await totalOfChart(page)) === (await totalOf(page))).toBe(true);
});

test('without live mode nothing moves, rows, count and chart agree, and a click adds the counted new rows', async ({
  control,
  page,
}) => {
  let counted = 0;
  await page.route('**/api/view/requests/summary**', async (route) => {
    counted += 1;
    if (counted === 1) await control.logs('main', { kind: 'burst', count: 7 });
    await route.continue();
  });
  await openRequests(page, '/requests?range=all&not=network:8453');
  await expect(records(page)).toHaveCount(50);
  const before = await keysOf(page);
  await expect.poll(() => totalOfChart(page)).toBeGreaterThan(0);
  expect(await totalOfChart(page)).toBe(await totalOf(page));
  await control.clock({ speed: 20 });
  await expect(fresh(page)).toBeVisible();
  expect(await totalOfChart(page)).toBe(await totalOf(page));
  expect(await keysOf(page)).toEqual(before);
  await fresh(page).click();
  await expect.poll(async () => (await keysOf(page))[0]).not.toBe(before[0]);
});

/** Readings that hold updates back. */
const READING: [
  what: string,
  read: (page: Page) => Promise<void>,
  lookUp: (page: Page) => Promise<unknown>,
][] = [
  ['the pointer is over the rows', (page) => records(page).nth(3).hover(), movePointerAway],
  [
    'a row has the focus',
    (page) => records(page).nth(0).press('ArrowDown'),
    (page) => page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur()),
  ],
  [
    'text is selected',
    async (page) => {
      // A row may move while it is clicked.
      await expect(() => records(page).nth(3).locator('td').nth(1).selectText({ timeout: 1000 })).toPass();
    },
    (page) => page.evaluate(() => getSelection()?.removeAllRanges()),
  ],
  [
    'the table is scrolled',
    (page) => page.getByRole('region', { name: 'Rows' }).evaluate((area) => area.scrollTo({ top: 200 })),
    (page) => page.getByRole('region', { name: 'Rows' }).evaluate((area) => area.scrollTo({ top: 0 })),
  ],
];

test('live mode holds still under pointer, focus, selection, scroll or an open request, and counts waiting rows', async ({
  control,
  page,
}) => {
  await openRequests(page, '/requests?range=all&live=2');
  await movePointerAway(page);
  for (const [what, read, lookUp] of READING) {
    await test.step(what, async () => {
      await expect(paused(page)).toHaveCount(0);
      await read(page);
      if (what !== READING[0]?.[0]) await movePointerAway(page);
      await expect(paused(page)).toBeVisible();
      await lookUp(page);
    });
  }
  await records(page).nth(3).click();
  await expect(panel(page)).toBeVisible();
  await movePointerAway(page);
  await expect(paused(page)).toBeVisible();
  const keys = await keysOf(page);
  await control.clock({ speed: 20 });
  await expect(page.getByRole('button', { name: /^Paused · \d+\+? new$/ })).toBeVisible();
  expect(await keysOf(page)).toEqual(keys);
});

test('a visible pending request finishes in its row, marked', async ({ control, page }) => {
  await openRequests(page, '/requests?range=all&live=1');
  await movePointerAway(page);
  const { at } = await control.logs('main', { kind: 'burst', count: 1, pendingS: 20 });
  const atOnce = `/api/logs/v1/logs?min_timestamp=${at}&max_timestamp=${at}`;
  const { requests } = await (await page.request.get(atOnce)).json();
  expect(requests).toHaveLength(1);
  const mine = page.locator(`tbody tr[data-key*="${requests[0].request_tx_hash}"]`);
  await expect(mine).toHaveAttribute('data-state', 'pending');
  await control.clock({ speed: 5 });
  // Three requests in a hundred fail.
  await expect(mine).toHaveAttribute('data-state', /completed|failed/, { timeout: 30_000 });
  await expect(mine).toHaveAttribute('data-mark', 'changed');
});
