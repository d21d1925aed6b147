import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from './dashboard';
import { incidentOf, incidents, NEXT_LOOK_MS, STALE_MS, standing, unfold } from './pending-page';

/** What is old is said after half a minute. */
test.describe.configure({ timeout: 120_000 });

const open = async (page: Page, path = '/pending') => {
  await page.goto(path);
  // Controls are disabled until the page's scripts run.
  await expect(page.getByRole('button', { name: 'Command palette' })).toBeEnabled();
};

test('is anything stuck? The first answer says so at once, before any script runs, however slow the service', async ({
  control,
  dashboard,
}) => {
  const { incidents: made } = await control.scenario('rpc-outage');
  const delayMs = 8000;
  await control.fault({ service: 'logs:main', route: 'logs', fault: { kind: 'delay', ms: delayMs } });
  const begun = Date.now();
  const html = await (await fetch(`${dashboard.origin}/pending`)).text();
  expect(Date.now() - begun).toBeLessThan(delayMs);
  expect(html).toMatch(new RegExp(`data-rule="R6"[^>]*data-network="${made[0]?.network_id}"`));
  expect(html).toMatch(/requests are stuck/);
});

test('the way there is in the navigation, with how many are stuck, on every page', async ({
  control,
  page,
}) => {
  await control.scenario('rpc-outage');
  await open(page, '/feeds');
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Pending/ });
  await expect(link).toHaveAccessibleName(/\d\d requests are stuck/, { timeout: 2 * NEXT_LOOK_MS });
  await link.click();
  await expect(page).toHaveURL(/\/pending$/);
  await expect(incidents(page).first()).toBeVisible();
});

test('the overview shows what is stuck first, and each incident leads to its evidence', async ({
  control,
  page,
}) => {
  const { incidents: made } = await control.scenario('mixed-outage-and-contract');
  await open(page, '/');
  const lines = page.locator('li[data-incident]');
  await expect(lines.filter({ hasText: 'This sender’s contract' })).toBeVisible({ timeout: NEXT_LOOK_MS });
  await expect(lines.first()).toContainText('Critical');
  await lines.first().getByRole('link').click();
  await expect(page).toHaveURL(/\/pending\?incident=/);
  const card = incidentOf(page, 'R6', made[0]?.network_id ?? '');
  await expect(card.getByRole('heading', { name: 'Evidence' })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/\/$/);
});

test('what does it rest on? Figures, the rows that prove it, and the calls to repeat', async ({
  control,
  page,
}) => {
  const { incidents: made } = await control.scenario('bad-contract');
  await open(page);
  const card = incidentOf(page, 'R7', made[0]?.network_id ?? '');
  await expect(card).toBeVisible({ timeout: NEXT_LOOK_MS });
  await unfold(card);
  const number = made[0]?.requests[0]?.sequence;
  const proof = card.getByRole('link', { name: String(number).replace(/\B(?=(\d{3})+$)/g, ',') }).first();
  await expect(proof).toHaveAttribute('href', new RegExp(`^/requests/${made[0]?.network_id}/${number}\\?`));
  await card
    .getByText(/^Evidence: \d+ calls?$/)
    .first()
    .click();
  await expect(card.locator('pre').first()).toContainText('Bearer $LOGS_API_KEY');
  await expect(card.getByText(/^9 in all, oldest first/)).toBeVisible();
  await expect(card.getByRole('link', { name: /Transaction .* block explorer/ }).first()).toHaveAttribute(
    'href',
    /^https:\/\//,
  );
  await card.getByRole('link', { name: 'In the request table' }).click();
  await expect(page).toHaveURL(/state=pending/);
  await expect(page.getByRole('table', { name: 'Requests' }).locator('tbody tr[data-row]')).toHaveCount(9);
});

test('whoever takes over gets the incident as Markdown, in one click', async ({ context, control, page }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { incidents: made } = await control.scenario('rpc-outage');
  await open(page);
  const card = incidentOf(page, 'R6', made[0]?.network_id ?? '');
  await expect(card).toBeVisible({ timeout: NEXT_LOOK_MS });
  await card.getByRole('button', { name: /^Hand over/ }).click();
  await expect(card.getByText('Copied as Markdown')).toBeVisible();
  const paper = await page.evaluate(() => navigator.clipboard.readText());
  expect(paper).toMatch(/^## \[.* pending, 12 senders, since .*\]\(<http/);
  expect(paper).toContain('### Next steps');
  expect(paper).toContain('$LOGS_API_KEY');
});

test('where the browser lets no page copy, the text is there to be copied by hand', async ({
  control,
  page,
}) => {
  await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await control.scenario('bad-contract');
  await open(page);
  const card = page.locator('[data-incident][data-rule="R7"]');
  await expect(card).toBeVisible({ timeout: NEXT_LOOK_MS });
  await card.getByRole('button', { name: /^Hand over/ }).click();
  await expect(page.getByRole('dialog', { name: 'Hand over' }).getByRole('textbox')).toHaveValue(/^## /);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('it is worked by keyboard alone', async ({ control, page }) => {
  await control.scenario('rpc-outage');
  await open(page);
  const card = page.locator('[data-incident][data-rule="R6"]');
  await expect(card).toBeVisible({ timeout: NEXT_LOOK_MS });
  const opener = card.getByRole('heading', { level: 3 }).getByRole('button');
  for (let step = 0; step < 40; step++) {
    await page.keyboard.press('Tab');
    if (await opener.evaluate((element) => element === document.activeElement)) break;
  }
  await expect(opener).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(opener).toHaveAttribute('aria-expanded', 'true');
  await expect(card.getByRole('heading', { name: 'Next steps' })).toBeVisible();
  await expect(opener).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(card.locator(':focus')).toHaveText('In the request table');
  await page.goBack();
  await expect(opener).toHaveAttribute('aria-expanded', 'false');
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`an opened incident has no accessibility violation in ${colorScheme}`, async ({ control, page }) => {
    await page.emulateMedia({ colorScheme });
    await control.scenario('mixed-twin-and-silence');
    await open(page);
    const card = page.locator('[data-incident][data-rule="R9"]');
    await expect(card).toBeVisible({ timeout: NEXT_LOOK_MS });
    await unfold(card);
    await expect(card.getByText(/in all, oldest first/)).toBeVisible();
    const single = page.locator('[data-single]').first();
    await unfold(single);
    await expect(single.locator('[data-diagnosis="complete"]')).toBeVisible({ timeout: NEXT_LOOK_MS });
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).slice(0, 3)}`)).toEqual(
      [],
    );
  });
}

test('a link to an incident that is over says so', async ({ control, page }) => {
  await control.scenario('healthy');
  await open(page, '/pending?incident=main%2F8453%2Fnetwork');
  await expect(page.getByText(/incident of this link is over/)).toBeVisible({ timeout: NEXT_LOOK_MS });
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(page).toHaveURL(/\/pending$/);
});

test('the service fails? What is stuck stays, as a lower bound, with what failed; it recovers by itself', async ({
  control,
  page,
}) => {
  const { incidents: made } = await control.scenario('bad-contract');
  await open(page);
  const card = incidentOf(page, 'R7', made[0]?.network_id ?? '');
  await expect(standing(page)).toHaveText(/^9 requests are stuck/);
  await control.fault({ service: 'logs:main', route: 'logs', fault: { kind: 'drop' } });
  await expect(page.getByRole('list', { name: 'Sync' })).toContainText(/request log/i, {
    timeout: NEXT_LOOK_MS,
  });
  await expect(standing(page)).toContainText('At least 9 requests are stuck', { timeout: STALE_MS });
  await expect(card).toBeVisible();
  await control.noFaults();
  await expect(standing(page)).toHaveText(/^9 requests are stuck/, { timeout: STALE_MS });
  await expect(page.getByRole('list', { name: 'Sync' })).toHaveCount(0);
});

test('nothing is called calm that nobody has looked at', async ({ control, page }) => {
  await control.scenario('healthy');
  await open(page);
  await expect(standing(page)).toContainText('Nothing is stuck');
  await control.fault({ service: 'logs:main', route: 'logs', fault: { kind: 'status', status: 500 } });
  await expect(standing(page)).toContainText('Stuck: unknown', { timeout: STALE_MS });
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Pending/ });
  await expect(link).toHaveAccessibleName(/stuck: unknown/, { timeout: NEXT_LOOK_MS });
});
