import type { Page } from '@playwright/test';
import { RULE } from '@/sandbox/scenarios/rule-ids';
import { expect, test } from './fixtures';
import { looksWell } from './looks';
import {
  figureOf,
  incidentOf,
  incidents,
  NEXT_LOOK_MS,
  opened,
  openerOf,
  pageStatus,
  STALE_MS,
  singleOf,
  verdictOf,
} from './pending-page';
import { secondsAgo, TX, wireRow } from './wire-row';

const open = async (page: Page, path = '/pending') => {
  await page.goto(path);
  // Controls are disabled until the page's scripts run.
  await expect(page.getByRole('button', { name: 'Command palette' })).toBeEnabled();
};

const way = (page: Page) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Pending/ });

test('the first HTML says whether anything is stuck, before any script runs, however slow the service', async ({
  control,
  dashboard,
}) => {
  const { incidents: made } = await control.scenario('rpc-outage');
  const firstHtml = async () => (await fetch(`${dashboard.origin}/pending`)).text();
  await expect.poll(firstHtml, { timeout: 30_000 }).toMatch(/requests are stuck/);
  const delayMs = 8000;
  await control.fault({ service: 'logs:main', route: 'logs', fault: { kind: 'delay', ms: delayMs } });
  const begun = Date.now();
  const html = await firstHtml();
  expect(Date.now() - begun).toBeLessThan(delayMs);
  expect(html).toMatch(
    new RegExp(`data-rule="${RULE.wholeNetwork}"[^>]*data-network="${made[0]?.network_id}"`),
  );
  expect(html).toMatch(/requests are stuck/);
});

test('a stuck network is one incident with size, senders, start and a report, linked from the navigation', async ({
  context,
  control,
  page,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const [made] = (await control.scenario('rpc-outage')).incidents;
  if (made === undefined) throw new Error('nothing happened');
  await open(page, '/feeds');
  await expect(way(page)).toHaveAccessibleName(/\d\d requests are stuck/, { timeout: 2 * NEXT_LOOK_MS });
  await way(page).click();
  await expect(page).toHaveURL(/\/pending$/);
  const row = incidentOf(page, RULE.wholeNetwork, made.network_id);
  await expect(row).toContainText(made.since.slice(11, 19), { timeout: NEXT_LOOK_MS });
  await expect(incidents(page).first()).toHaveAttribute('data-severity', 'critical');
  // Another one comes every few minutes.
  const name = new RegExp(`: (${made.pending}|${made.pending + 1}) stuck, ${made.senders} senders`);
  await expect(openerOf(row)).toHaveAccessibleName(name);
  const size = /: (\d+) stuck/.exec((await openerOf(row).getAttribute('aria-label')) ?? '')?.[1];
  await expect(pageStatus(page)).toContainText(`${size} requests are stuck`);
  await expect(way(page)).toHaveAccessibleName(new RegExp(`${size} requests are stuck`));
  const panel = await opened(row);
  const verdict = verdictOf(panel, RULE.wholeNetwork);
  await expect(figureOf(verdict, 'Share pending')).toHaveText('100%');
  await expect(figureOf(verdict, 'Senders')).toHaveText(String(made.senders));
  await panel.getByRole('button', { name: /^Copy report/ }).click();
  await expect(panel.getByRole('button', { name: 'Copied' })).toBeVisible();
  const paper = await page.evaluate(() => navigator.clipboard.readText());
  expect(paper).toMatch(/^## \[.* stuck, 12 senders, since .*\]\(<http/);
  await panel.getByText('Report as Markdown').click();
  await expect(panel.getByRole('textbox', { name: 'Report' })).toHaveValue(/^## /);
});

test('an incident shows its figures, the rows that prove it, and the calls to repeat', async ({
  control,
  page,
}) => {
  const [made] = (await control.scenario('bad-contract')).incidents;
  await open(page);
  const panel = await opened(incidentOf(page, RULE.oneSender, made?.network_id ?? ''));
  await expect(panel).toContainText(String(made?.requests[0]?.sender));
  const verdict = verdictOf(panel, RULE.oneSender);
  await expect(figureOf(verdict, 'Pending of this sender')).toHaveText('9');
  const sequence = made?.requests[0]?.sequence;
  const proof = verdict.getByRole('link', { name: String(sequence), exact: true });
  await expect(proof).toHaveAttribute('href', new RegExp(`^/requests/${made?.network_id}/${sequence}\\?`));
  await panel
    .getByText(/^Details: \d+ calls?$/)
    .first()
    .click();
  await expect(panel.locator('pre').first()).toContainText('Bearer $LOGS_API_KEY');
  await expect(panel.getByText(/^9 in all, oldest first/)).toBeVisible();
  const explorer = panel.getByRole('link', { name: /Transaction .* block explorer/ }).first();
  await expect(explorer).toHaveAttribute('href', /^https:\/\//);
  await panel.getByRole('link', { name: 'View requests' }).click();
  await expect(page).toHaveURL(/state=pending/);
  await expect(page.getByRole('table', { name: 'Requests' }).locator('tbody tr[data-row]')).toHaveCount(9);
});

test('a silent network is shown with its duration and its typical interval', async ({ control, page }) => {
  const [made] = (await control.scenario('silence')).incidents;
  await open(page);
  const row = incidentOf(page, RULE.networkQuiet, made?.network_id ?? '');
  // The chain makes no blocks either, which replaces the log's cause until a reveal was simulated.
  await expect(row).toContainText(/(Nothing logged for|Newest block is) (39|40|41) min/, {
    timeout: NEXT_LOOK_MS,
  });
  await expect(page.locator('tr[data-keeper]').first()).toHaveAttribute('data-quiet', 'yes');
});

test('the panel shows the outcome of a request while the table beside it is held still', async ({
  control,
  page,
}) => {
  const row = (state: string) =>
    wireRow({ created_at: secondsAgo(500), last_updated_at: secondsAgo(500), state });
  await control.rows('main', [row('{"state":"pending"}')]);
  await page.goto(`/requests?network=8453&state=pending&range=1h&q=${TX}`);
  await page.locator('tr[data-row="record"]').locator('td').first().click();
  const panel = page.getByRole('complementary', { name: 'Request' });
  await expect(panel.locator('[data-diagnosis="complete"]')).toBeVisible({ timeout: NEXT_LOOK_MS });
  await control.rows('main', [row('{"state":"failed","reason":"No gas"}')]);
  await expect(panel.getByRole('heading', { name: 'Failure' })).toBeVisible({ timeout: NEXT_LOOK_MS });
  await expect(panel.getByRole('heading', { name: 'Diagnosis' })).toHaveCount(0);
});

test('the page works by keyboard alone', async ({ control, page }) => {
  await control.scenario('rpc-outage');
  await open(page);
  const row = page.locator(`tr[data-incident][data-rule="${RULE.wholeNetwork}"]`);
  await expect(row).toBeVisible({ timeout: NEXT_LOOK_MS });
  const opener = openerOf(row);
  for (let step = 0; step < 40; step++) {
    await page.keyboard.press('Tab');
    if (await opener.evaluate((element) => element === document.activeElement)) break;
  }
  await page.keyboard.press('Enter');
  await expect(opener).toHaveAttribute('aria-expanded', 'true');
  const panel = page.getByRole('complementary', { name: 'Details' });
  await expect(panel).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(panel.locator(':focus')).toHaveText('Acknowledge');
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);
  await expect(opener).toBeFocused();
});

test('j and k go through the list, Enter opens, and j goes on while the panel is open', async ({
  control,
  page,
}) => {
  await control.scenario('mixed-outage-and-contract');
  await open(page);
  const openers = page.locator('tr[data-incident] [data-opener]');
  await expect(openers).toHaveCount(2, { timeout: NEXT_LOOK_MS });
  await page.keyboard.press('j');
  await expect(openers.first()).toBeFocused();
  await page.keyboard.press('j');
  await expect(openers.nth(1)).toBeFocused();
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await expect(openers.first()).toHaveAttribute('aria-expanded', 'true');
  const panel = page.getByRole('complementary', { name: 'Details' });
  await expect(panel).toContainText('Whole network');
  await page.keyboard.press('j');
  await expect(openers.nth(1)).toHaveAttribute('aria-expanded', 'true');
  await expect(panel).toContainText('One sender’s requests');
});

/** Shares neither sender nor provider with any other request. */
function lonely(number: number, ageS: number): string {
  const sequence = String(88_000_000 + number);
  const hex = (digits: number) => `"0x${sequence.padStart(digits, '0')}"`;
  return wireRow({
    sequence,
    sender: hex(40),
    provider: hex(40),
    request_tx_hash: hex(64),
    created_at: secondsAgo(ageS),
    last_updated_at: secondsAgo(ageS),
    state: '{"state":"pending"}',
  });
}

const stuckRows = (count: number, ageS: (at: number) => number) =>
  Array.from({ length: count }, (_, at) => lonely(at, ageS(at)));

test('25 old orphans of a healthy keeper are grouped by cause without a badge; a new stuck request is reported at once', async ({
  control,
  page,
}) => {
  await control.scenario('healthy');
  await control.rows(
    'main',
    stuckRows(60, (at) => (2 + at / 2) * 86_400),
  );
  await open(page);
  const parked = page.locator('[data-parked="60"]');
  await expect(parked).toBeVisible({ timeout: NEXT_LOOK_MS });
  await expect(pageStatus(page)).toContainText('Nothing new is stuck');
  await expect(way(page)).toHaveAccessibleName('Pending');
  await parked.getByText('60 parked').click();
  const row = parked.locator('tr[data-group]').first();
  await expect(row).toContainText('Base');
  const panel = await opened(row);
  const lines = panel.locator('tr[data-member]');
  await expect(lines).toHaveCount(25);
  await expect(panel).toContainText('1–25 of 60, 35 more');
  await panel.getByRole('button', { name: 'Older' }).click();
  await expect(panel).toContainText('26–50 of 60, 10 more');
  await lines
    .first()
    .getByRole('button', { name: /^Diagnosis of request/ })
    .click();
  await expect(panel.locator('[data-diagnosis="complete"]')).toBeVisible({ timeout: NEXT_LOOK_MS });
  await expect(panel).toContainText('Next step:');
  await panel.getByRole('button', { name: 'Back to group' }).click();
  await expect(lines.first()).toBeVisible();
  await looksWell(page);
  await control.rows('main', [lonely(99, 500)]);
  await expect(way(page)).toHaveAccessibleName(/1 request is stuck/, { timeout: NEXT_LOOK_MS });
  await expect(pageStatus(page)).toContainText('1 request is stuck');
  await expect(page.locator('tr[data-single]')).toBeVisible({ timeout: NEXT_LOOK_MS });
});

test('single requests of one cause are one line, acknowledged as one', async ({ control, page }) => {
  await control.scenario('healthy');
  await control.rows(
    'main',
    stuckRows(4, (at) => 1000 + at * 1000),
  );
  await open(page);
  const row = page.locator('tr[data-group]').first();
  const panel = await opened(row);
  await expect(pageStatus(page)).toContainText('4 requests are stuck');
  await panel.getByRole('button', { name: /^Acknowledge/ }).click();
  await page.getByRole('button', { name: 'Acknowledge', exact: true }).click();
  await expect(panel.getByText('All acknowledged')).toBeVisible({ timeout: NEXT_LOOK_MS });
  await expect(pageStatus(page)).toContainText('Nothing new is stuck');
  await expect(pageStatus(page)).toContainText('4 acknowledged');
  await expect(way(page)).toHaveAccessibleName('Pending');
  await panel.getByRole('button', { name: /^Undo/ }).click();
  await expect(pageStatus(page)).toContainText('4 requests are stuck', { timeout: NEXT_LOOK_MS });
});

test('with 200 single stuck requests the page is sent in at most 150 kB', async ({
  control,
  dashboard,
  page,
}) => {
  await control.scenario('healthy');
  await control.rows(
    'main',
    stuckRows(200, (at) => 1000 + at * 400),
  );
  await open(page);
  await expect(pageStatus(page)).toContainText('200 requests are stuck', { timeout: NEXT_LOOK_MS });
  const html = await (await fetch(`${dashboard.origin}/pending`)).text();
  expect(html).toContain('200 requests are stuck');
  expect(html.length).toBeLessThan(150_000);
});

test('an open incident and an open request are accessible and fit', async ({ control, page }) => {
  await control.scenario('mixed-twin-and-silence');
  await open(page);
  await expect(incidents(page).first()).toBeVisible({ timeout: NEXT_LOOK_MS });
  await openerOf(incidents(page).first()).click();
  await expect(page.getByText(/in all, oldest first/)).toBeVisible();
  await looksWell(page);
  await page.keyboard.press('Escape');
  await openerOf(page.locator('tr[data-single]').first()).click();
  await expect(page.locator('[data-diagnosis="complete"]')).toBeVisible({ timeout: NEXT_LOOK_MS });
  await looksWell(page);
});

test('while the service fails, stuck requests stay as a lower bound with the failure, and the page recovers', async ({
  control,
  page,
}) => {
  const [made] = (await control.scenario('bad-contract')).incidents;
  await open(page);
  await expect(pageStatus(page)).toHaveText(/^\s*9 requests are stuck/);
  await control.fault({ service: 'logs:main', route: 'logs', fault: { kind: 'drop' } });
  const sync = page.getByRole('list', { name: 'Sync' });
  await expect(sync).toContainText(/request log/i, { timeout: NEXT_LOOK_MS });
  // The data are old after half a minute by the sandbox's clock.
  await control.clock({ speed: 20 });
  await expect(pageStatus(page)).toContainText('At least 9 requests are stuck', { timeout: STALE_MS });
  await expect(incidentOf(page, RULE.oneSender, made?.network_id ?? '')).toBeVisible();
  await control.clock({ speed: 1 });
  await control.noFaults();
  await expect(pageStatus(page)).toHaveText(/^\s*9 requests are stuck/, { timeout: STALE_MS });
  await expect(sync).toHaveCount(0);
});

test.describe('from its start', () => {
  // Wallets are polled once a minute, so those of another test's scenario would still be problems.
  test.use({ fresh: true });

  test('a healthy keeper shows nothing stuck, an unreadable one unknown, and a link to an ended incident says so', async ({
    control,
    page,
  }) => {
    await control.scenario('healthy');
    await open(page, '/');
    const problems = page.getByRole('region', { name: 'Problems now' });
    await expect(problems.getByRole('status')).toHaveText(/^No problems since .*\d\d:\d\d:\d\d UTC$/, {
      timeout: NEXT_LOOK_MS,
    });
    await expect(page.locator('[data-figure="pending"]')).toContainText(/\d/);
    await expect(page.locator('[data-problem="incident"]')).toHaveCount(0);
    await expect(way(page)).toHaveAccessibleName('Pending');
    await page.goto('/pending?incident=main%2F8453%2Fnetwork');
    await expect(page.getByText(/incident of this link is closed/)).toBeVisible({ timeout: NEXT_LOOK_MS });
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await expect(page).toHaveURL(/\/pending$/);
    await expect(pageStatus(page)).toContainText('Nothing is stuck');
    await expect(page.getByText(/^Synced \d\d:\d\d:\d\d UTC/)).toBeVisible();
    await expect(page.locator('tr[data-network]').first()).toBeVisible();
    for (const none of [incidents(page), singleOf(page, ''), page.locator('tr[data-quiet="yes"]')])
      await expect(none).toHaveCount(0);
    await control.fault({ service: 'logs:main', route: 'logs', fault: { kind: 'status', status: 500 } });
    await control.clock({ speed: 20 });
    await expect(pageStatus(page)).toContainText('Stuck: unknown', { timeout: STALE_MS });
    await expect(way(page)).toHaveAccessibleName(/stuck: unknown/, { timeout: NEXT_LOOK_MS });
  });
});

test.describe('without a log service', () => {
  test.use({ settings: { UPDATES_URL: 'http://127.0.0.1:9', SANDBOX: 'off' } });

  test('there is no claim about stuck requests, and the navigation has no mark', async ({ page }) => {
    await page.goto('/feeds');
    await expect(way(page)).toHaveAccessibleName('Pending');
    await expect(way(page)).toHaveText('Pending');
    await page.goto('/pending');
    await expect(page.getByText('No request log service is configured.')).toBeVisible();
  });
});
