import type { Page } from '@playwright/test';
import { RULE } from '@/sandbox/scenarios/rule-ids';
import { expect, test } from './fixtures';
import { isAccessible, looksWell } from './looks';
import { incidentOf, NEXT_LOOK_MS, opened } from './pending-page';

const way = (page: Page) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Pending/ });

test('acknowledging an incident quiets the badge for everybody', async ({
  control,
  page,
  browser,
  dashboard,
}) => {
  const [made] = (await control.scenario('bad-contract')).incidents;
  if (made === undefined) throw new Error('nothing happened');
  const elsewhere = await browser.newContext({ baseURL: dashboard.origin });
  const other = await elsewhere.newPage();
  await other.goto('/feeds');
  await expect(way(other)).toHaveAccessibleName(/\d+ requests are stuck/, { timeout: NEXT_LOOK_MS });
  // A dialog opens with a frame, and a background page may get none.
  await page.bringToFront();
  await page.goto('/pending');
  const row = incidentOf(page, RULE.oneSender, made.network_id);
  const panel = await opened(row);
  await panel.getByRole('button', { name: /^Acknowledge/ }).click();
  await page.getByRole('combobox', { name: 'Duration' }).selectOption('For 1 day');
  await page.getByRole('textbox', { name: 'Note' }).fill('their contract, told them');
  await isAccessible(page, '[role="dialog"]');
  await page.getByRole('button', { name: 'Acknowledge', exact: true }).click();
  await expect(panel.getByText(/^Acknowledged .*until .*their contract, told them/)).toBeVisible();
  await expect(row).toContainText('Acknowledged');
  const all = page.getByRole('button', { name: /^Acknowledge all/ });
  if (await all.isVisible()) {
    await all.click();
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).click();
    await expect(all).toBeHidden();
  }
  await expect(way(other)).toHaveAccessibleName('Pending', { timeout: NEXT_LOOK_MS });
  await other.goto('/pending');
  await expect(incidentOf(other, RULE.oneSender, made.network_id)).toContainText('Acknowledged');
  await elsewhere.close();
});

test('the history has each incident with its cause, duration, what people did, and weekly figures', async ({
  control,
  page,
}) => {
  const [made] = (await control.scenario('rpc-outage')).incidents;
  if (made === undefined) throw new Error('nothing happened');
  await page.goto('/pending');
  const panel = await opened(incidentOf(page, RULE.wholeNetwork, made.network_id));
  await panel.getByRole('button', { name: /^Acknowledge/ }).click();
  await page.getByRole('button', { name: 'Acknowledge', exact: true }).click();
  await expect(panel.getByText(/^Acknowledged/)).toBeVisible();
  await panel.getByRole('button', { name: /^Undo acknowledgement/ }).click();
  await expect(panel.getByRole('button', { name: /^Acknowledge/ })).toBeVisible();
  await page.getByRole('link', { name: 'History' }).click();
  await expect(page.getByRole('heading', { name: 'History', level: 1 })).toBeVisible();
  const row = page.locator(`tr[data-incident][data-rule="${RULE.wholeNetwork}"]`);
  await expect(row).toContainText('Whole network');
  await row.getByText(/^\d+ events$/).click();
  const events = row.locator('[data-event]');
  await expect(events.filter({ hasText: 'Opened' })).toContainText(`${made.pending} stuck`);
  await expect(events.filter({ hasText: /Acknowledgement undone/ })).toBeVisible();
  const steps = page.getByRole('list', { name: 'Time steps, oldest first' }).locator('[data-step]');
  await expect(steps.last()).toHaveAttribute('data-step', 'affected');
  await expect(steps.last().getByRole('link')).toHaveAttribute('href', /network=.*from=/);
  const figure = page.locator('dl').filter({ hasText: 'Ongoing' });
  for (const range of ['30 d', '90 d']) {
    await page.getByRole('radiogroup', { name: 'Range' }).getByText(range).click();
    await expect(page).toHaveURL(new RegExp(`range=${range.replace(' ', '')}`));
    const degraded = /^(failing|callbacks-failing|slow|silent)$/;
    const rules = await page
      .locator('tr[data-incident]')
      .evaluateAll((rows) => rows.map((listedRow) => listedRow.getAttribute('data-rule')));
    const listed = rules.filter((rule) => !degraded.test(rule ?? '')).length;
    await expect(figure).toContainText(new RegExp(`^Incidents${listed}\\s*Degraded`));
  }
  const bars = page.getByRole('list', { name: 'Timeline of Base' }).getByRole('link');
  await expect(bars.last()).toHaveAttribute('aria-label', /^Critical: Whole network, .*ongoing$/);
  // The incident began before the recording, so its first part is outlined and its time is marked.
  const parts = bars.last().locator('[data-recorded]');
  await expect(parts.first()).toHaveAttribute('data-recorded', 'afterwards');
  await expect(row.locator('[data-backdated]')).toHaveText('From the log');
  await expect(page.locator('[data-lane] [data-part="unknown"]').first()).toHaveAttribute(
    'title',
    'Not recorded',
  );
  await expect(figure).toContainText(/Time to acknowledge\s*\d+ (s|min)\s*1 of \d+/);
  await expect(row).toContainText('Critical');
  await expect(row.getByRole('link', { name: /view requests/ })).toHaveAttribute('href', /network=.*from=/);
  const weeks = page.locator('tr[data-week]');
  await expect(weeks.last().locator('[data-figure="requests"]')).not.toHaveText('0');
  await expect(page.getByText(/^Indexed since \d{4}-\d\d-\d\d\. Incidents recorded since/)).toBeVisible();
  await expect(weeks.first().locator('[data-figure="answered"]')).toHaveText(/^\d+(\.\d)?%$/);
  await expect(weeks.first().locator('[data-figure="longest"]')).toHaveText(/min|h|d/);
  await looksWell(page);
  const network = page.getByRole('combobox', { name: 'Network' });
  const names = await network.locator('option').allTextContents();
  expect(names.length).toBeGreaterThan(1);
  const others = await network.locator(`option:not([value="${made.network_id}"]):not([value=""])`).first();
  await network.selectOption(await others.getAttribute('value'));
  await expect(page).toHaveURL(/network=/);
  await expect(row).toHaveCount(0);
  await row.page().goBack();
  await expect(row).toHaveCount(1);
});

test.describe('before a keeper was read', () => {
  test.use({ settings: { LOGS_URL: 'http://127.0.0.1:9' } });

  test('the history says that the recording has not begun, and calls no number zero', async ({ page }) => {
    await page.goto('/pending/history');
    const figure = (name: string) =>
      page
        .locator('dl > div')
        .filter({ hasText: new RegExp(`^${name}`) })
        .locator('dd');
    for (const name of ['Incidents', 'Degraded networks', 'Ongoing'])
      await expect(figure(name)).toHaveText('—');
    await expect(page.getByText(/Incidents are not recorded of all keepers yet\. Updated/)).toBeVisible();
    await expect(
      page.getByText('None known. Not every keeper’s pending requests could be checked yet.'),
    ).toBeVisible();
    await expect(page.getByText(/^None in the recorded part/)).toHaveCount(0);
    await looksWell(page);
  });
});

test.describe('with a webhook', () => {
  test.use({ settings: { ALERT_WEBHOOK_URL: 'http://127.0.0.1:9/hook', ALERT_WEBHOOK_FORMAT: 'slack' } });

  test('a test of the webhook reports its outcome, and the list keeps it', async ({ control, page }) => {
    const [made] = (await control.scenario('rpc-outage')).incidents;
    await page.goto('/pending');
    await expect(incidentOf(page, RULE.wholeNetwork, made?.network_id ?? '')).toBeVisible({
      timeout: NEXT_LOOK_MS,
    });
    await page.getByRole('link', { name: 'Alerts', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Alerts', level: 1 })).toBeVisible();
    await page.getByRole('button', { name: 'Send test' }).click();
    await expect(page.getByRole('alert').filter({ hasText: 'Test failed: Unreachable' })).toBeVisible();
    const row = page.locator('tr[data-notice="test"]');
    await expect(row).toHaveAttribute('data-state', 'given-up');
    await expect(page.locator('[data-alerts="failing"]')).toContainText('Alerts are not arriving');
    const opening = page.locator('[data-rule-event="incident.opened"]');
    await expect(opening).toHaveAttribute('data-on', 'yes');
    await expect(opening).toContainText('1 active');
    await expect(page.locator('[data-rule-event="network.slow"]')).toContainText('On');
    await expect(page.locator('[data-rule-event="network.slow"]')).toContainText(
      'p95 above 10.0 s and at least 2 × usual',
    );
    await expect(page.locator('[data-rule-event="feed.stale"]')).toContainText('Off: FEEDS not set');
    await looksWell(page);
  });
});

test('without a webhook the page says that alerts are off, how to turn them on, and what is acknowledged', async ({
  control,
  page,
}) => {
  const [made] = (await control.scenario('rpc-outage')).incidents;
  await page.goto('/pending/alerts');
  await expect(page.locator('[data-alerts="off"]')).toContainText('Alerts are off');
  await page.getByRole('button', { name: 'Set up a webhook' }).click();
  await expect(page.getByRole('button', { name: 'Send test' })).toBeDisabled();
  await expect(page.getByText('Needs ALERT_WEBHOOK_URL')).toBeVisible();
  const active = page.getByRole('region', { name: 'Active alerts' }).locator('[data-holding]');
  const opening = active.and(page.locator('[data-holding="incident.opened"]'));
  await expect(opening).toContainText(/\d+ stuck/, { timeout: 2 * NEXT_LOOK_MS });
  await expect(opening).toHaveAttribute('data-state', 'none');
  await expect(async () => {
    const count = await active.count();
    const noun = count === 1 ? '1 alert' : `${count} alerts`;
    await expect(page.locator('[data-alerts="off"]')).toContainText(`: ${noun} reached nobody.`, {
      timeout: 1000,
    });
  }).toPass();
  await expect(opening.getByRole('button', { name: /^Acknowledge: / })).toBeVisible();
  const setup = page.getByRole('region', { name: 'Set up' });
  await expect(setup.getByRole('button', { name: 'Copy settings' })).toBeHidden();
  await setup.getByLabel('Webhook address').fill('hooks.example.com');
  await expect(setup).toContainText('Use an http or https URL');
  await setup.getByLabel('Webhook address').fill('https://alerts.example.com/hook');
  await expect(setup).toContainText(
    /ALERT_WEBHOOK_URL=https:\/\/alerts\.example\.com\/hook\s+ALERT_WEBHOOK_FORMAT=json/,
  );
  await expect(setup).toContainText("'https://alerts.example.com/hook'");
  await expect(setup.getByRole('button', { name: 'Copy settings' })).toBeVisible();
  await expect(setup.locator('pre').last()).toContainText(/\d+ stuck/);
  await setup.getByLabel('Format of the example').getByText('JSON').click();
  await expect(setup.locator('pre').last()).toContainText('"event": "incident.opened"');
  await expect(page.locator('[data-rule-event]')).toHaveCount(16);
  await expect(page.locator('[data-on="yes"]')).toHaveCount(0);
  await expect(page.locator('[data-rule-event="network.slow"]')).toContainText(/^\s*Off/);
  const acknowledged = page.getByRole('region', { name: 'Acknowledged', exact: true });
  await expect(acknowledged).toContainText('Nothing is acknowledged.');
  await page.goto('/pending');
  const panel = await opened(incidentOf(page, RULE.wholeNetwork, made?.network_id ?? ''));
  await panel.getByRole('button', { name: /^Acknowledge/ }).click();
  await page.getByRole('textbox', { name: 'Note' }).fill('RPC is down');
  await page.getByRole('button', { name: 'Acknowledge', exact: true }).click();
  await expect(panel.getByText(/^Acknowledged/)).toBeVisible();
  await page.getByRole('link', { name: 'Alerts', exact: true }).click();
  await expect(acknowledged).toContainText('Incident on Base: whole network');
  await expect(acknowledged).toContainText('RPC is down');
  await looksWell(page);
  await acknowledged.getByRole('button', { name: /^Undo acknowledgement/ }).click();
  await expect(acknowledged).toContainText('Nothing is acknowledged.', { timeout: NEXT_LOOK_MS });
});

test('the history of an open page is updated', async ({ page }) => {
  await page.clock.install();
  await page.goto('/pending/history');
  const updated = page.getByText(/Updated \d/);
  const before = await updated.textContent();
  const afterAMinute = async () => {
    await page.clock.runFor(70_000);
    return updated.textContent();
  };
  // A refresh replaces one under way, so a slow machine gets time for one.
  await expect.poll(afterAMinute, { intervals: [5000], timeout: 60_000 }).not.toBe(before);
});
