import type { Control } from './control';
import { expect, test } from './dashboard';
import {
  button,
  count,
  countOfService,
  keysOf,
  openRequests,
  records,
  rowsOfService,
  table,
  totalOf,
} from './requests-page';

const MINUTE_MS = 60_000;

/** Stops the clock of the service at a moment when at least two requests are under way; gives that moment. */
async function stopWithRunning(origin: string, control: Control, scenario?: string): Promise<number> {
  let atMs = Date.now() - MINUTE_MS;
  await control.clock({ set: new Date(atMs).toISOString(), stopped: true });
  // The clock only goes forward from here: set back, it would begin the world anew.
  if (scenario !== undefined) await control.scenario(scenario);
  for (; ; atMs += 1500) {
    await control.clock({ set: new Date(atMs).toISOString() });
    const rows = await rowsOfService(origin, 'limit=25&state=Pending');
    const young = rows.filter(({ created_at }) => atMs - Date.parse(String(created_at)) < 15_000);
    if (young.length >= 2) return atMs;
  }
}

test('requests finish while I page through the pending ones: none is skipped', async ({
  control,
  dashboard,
  page,
}) => {
  // With the stuck ones of a broken network there is a second page.
  const atMs = await stopWithRunning(dashboard.origin, control, 'rpc-outage');
  await openRequests(page, '/requests?range=all&state=pending&size=25');
  const before = await totalOf(page);
  expect(before).toBeGreaterThan(25);
  const first = await keysOf(page);
  await control.clock({ set: new Date(atMs + 3 * MINUTE_MS).toISOString() });
  const asof = new Date(atMs).toISOString();
  const left = await countOfService(dashboard.origin, `state=Pending&max_timestamp=${asof}`);
  expect(left).toBeLessThan(before);
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(page).toHaveURL(/page=2/);
  const second = await keysOf(page);
  expect(second.filter((key) => first.includes(key))).toEqual([]);
  // Whoever was on neither page would have been skipped.
  expect(second).toHaveLength(before - 25);
});

test('requests finish before my colleague opens the link: the page says that it is not what I saw', async ({
  browser,
  context,
  control,
  dashboard,
  page,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const atMs = await stopWithRunning(dashboard.origin, control);
  await openRequests(page, '/requests?range=all&state=pending');
  const seen = await totalOf(page);
  await button(page, 'Share').click();
  await expect(page.getByText('Link copied').first()).toBeVisible();
  const link = new URL(await page.evaluate(() => navigator.clipboard.readText()));
  const other = await browser.newContext();
  const theirs = await other.newPage();
  await theirs.goto(dashboard.origin + link.pathname + link.search);
  await expect(records(theirs)).toHaveCount(seen);
  await expect(theirs.getByText('The sender of this link saw')).toHaveCount(0);
  await control.clock({ set: new Date(atMs + 3 * MINUTE_MS).toISOString() });
  await theirs.goto(dashboard.origin + link.pathname + link.search);
  await expect(
    theirs.getByText(new RegExp(`^The sender of this link saw ${seen} requests; now \\d+ match`)),
  ).toBeVisible();
  const now = Number((await theirs.getByText(/^The sender/).textContent())?.match(/now (\d+)/)?.[1]);
  expect(now).toBeLessThan(seen);
  await expect(records(theirs)).toHaveCount(now);
  await other.close();
});

test('the rows of the view before stay, dimmed, until the new ones are there', async ({ control, page }) => {
  await openRequests(page, '/requests?range=7d');
  const before = await keysOf(page);
  await control.fault({ service: 'logs:main', fault: { kind: 'delay', ms: 2500 } });
  await page.getByLabel('State', { exact: true }).selectOption('failed');
  await expect(table(page)).toHaveAttribute('aria-busy', 'true');
  expect(await keysOf(page)).toEqual(before);
  await expect(table(page).locator('tbody')).toHaveCSS('filter', 'grayscale(1)');
  await control.noFaults();
  await expect(count(page)).toContainText('failed', { timeout: 20_000 });
  await expect(table(page)).toHaveAttribute('aria-busy', 'false', { timeout: 20_000 });
  await expect(table(page).locator('tbody')).toHaveCSS('filter', 'none');
  expect(await keysOf(page)).not.toEqual(before);
});
