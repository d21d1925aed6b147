import type { Page } from '@playwright/test';
import { RULE } from '@/sandbox/scenarios/rule-ids';
import { openBoard, tile } from './board-page';
import type { Control, Scenario } from './control';
import { expect, test } from './fixtures';
import { looksWell } from './looks';
import { incidentOf, opened } from './pending-page';
import { PROVIDER, secondsAgo, TX, wireRow } from './wire-row';

const BTC = 'Crypto.BTC/USD';

/** Records signals to a user who allows notifications, from a document without focus. */
async function recordSignals(page: Page, permission: 'granted' | 'denied' = 'granted') {
  await page.addInitScript((answer) => {
    const signals = {
      notices: [] as string[],
      permissionRequests: 0,
      contexts: 0,
      notes: 0,
      isFocused: true,
    };
    const param = { value: 0, setValueAtTime: () => {}, linearRampToValueAtTime: () => {} };
    const node = { connect: () => node, gain: param, frequency: param, stop: () => {} };
    class Notification {
      static permission = 'default';
      static async requestPermission() {
        signals.permissionRequests += 1;
        Notification.permission = answer;
        return answer;
      }
      onclick = null;
      constructor(title: string) {
        signals.notices.push(title);
      }
    }
    class AudioContext {
      currentTime = 0;
      constructor() {
        signals.contexts += 1;
      }
      async resume() {}
      createGain = () => node;
      createOscillator = () => ({ ...node, start: () => (signals.notes += 1) });
    }
    document.hasFocus = () => signals.isFocused;
    Object.assign(window, { Notification, AudioContext, signals });
  }, permission);
  type Signals = { notices: string[]; permissionRequests: number; contexts: number; notes: number };
  return {
    read: () => page.evaluate(() => Reflect.get(window, 'signals') as Signals),
    setFocus: (where: 'elsewhere' | 'here') =>
      page.evaluate((isFocused) => {
        Object.assign(Reflect.get(window, 'signals'), { isFocused });
        window.dispatchEvent(new Event('focus'));
      }, where === 'here'),
  };
}

async function openAlerts(page: Page, symbol = BTC) {
  await openBoard(page, `/feeds?ids=${symbol}`, [symbol]);
  const dialog = page.getByRole('dialog', { name: `Alerts for ${symbol.slice(symbol.indexOf('.') + 1)}` });
  await expect(async () => {
    await tile(page, symbol).getByRole('button', { name: /alert/i }).click({ timeout: 2_000 });
    await expect(dialog).toBeVisible({ timeout: 2_000 });
  }).toPass();
  return { card: tile(page, symbol), dialog };
}

test('a price alert shows on its tile, is kept by this browser, reports forbidden notifications, and can be removed', async ({
  page,
}) => {
  await recordSignals(page, 'denied');
  const { card, dialog } = await openAlerts(page);
  const number = dialog.getByLabel('Price', { exact: true });
  await number.fill('1e5');
  await dialog.getByRole('button', { name: 'Add alert' }).click();
  await expect(dialog.getByRole('status')).toContainText('Type a number');
  await number.fill('0.5');
  await dialog.getByRole('button', { name: 'Add alert' }).click();
  await expect(dialog.getByRole('listitem')).toContainText('Price above 0.5');
  await expect(dialog.getByRole('listitem')).toContainText('Triggered');
  await dialog.getByLabel('When').selectOption('Price moves more than');
  await dialog.getByLabel('Number (%)').fill('50');
  await dialog.getByLabel('Within').selectOption('15 min');
  await dialog.getByRole('button', { name: 'Add alert' }).click();
  const moving = dialog.getByRole('listitem').filter({ hasText: 'Price moves more than 50% within 15 min' });
  await expect(moving).toContainText('Watching');
  await dialog.getByLabel('Background notification').click();
  await expect(dialog.getByRole('alert')).toContainText('Notifications are blocked');
  await expect(dialog.getByLabel('Background notification')).not.toBeChecked();
  await page.keyboard.press('Escape');
  await expect(card).toHaveAttribute('data-alerts', 'raised');
  // The feed is also watched on a page that does not show it.
  await openBoard(page, '/feeds?ids=Crypto.ETH/USD', ['Crypto.ETH/USD']);
  await page.getByRole('button', { name: 'Alerts: 1 raised' }).click();
  const list = page.getByRole('dialog', { name: 'Alerts' });
  for (const name of [/Remove alert BTC\/USD: price above 0.5/, /Remove alert BTC\/USD: price moves/]) {
    await list.getByRole('button', { name }).click();
  }
  await expect(list).toContainText('No alerts.');
});

test.describe('a feed that soon becomes stale', () => {
  test.use({ fresh: true, settings: { FEED_LATE_S: '2', FEED_STALE_S: '4' } });

  test('a feed that falls silent alerts once by title, sound and notification, until it is back', async ({
    control,
    page,
  }) => {
    const signals = await recordSignals(page);
    const { card, dialog } = await openAlerts(page);
    await dialog.getByLabel('When').selectOption('Feed is stale');
    await dialog.getByRole('button', { name: 'Add alert' }).click();
    expect((await signals.read()).contexts).toBe(0);
    await dialog.getByLabel('Sound').check();
    expect(await signals.read()).toMatchObject({ contexts: 1, notes: 2 });
    await dialog.getByLabel('Background notification').check();
    await expect(dialog.getByRole('listitem')).toContainText('Watching');
    await page.keyboard.press('Escape');
    const title = await page.title();
    await signals.setFocus('elsewhere');
    await control.clock({ stopped: true });
    await expect(card).toHaveAttribute('data-alerts', 'raised', { timeout: 30_000 });
    await expect(card).toHaveAttribute('data-state', 'stale');
    await expect(page).toHaveTitle(`● ${title}`);
    const notices = ['BTC/USD: feed is stale'];
    expect(await signals.read()).toMatchObject({ notices, notes: 4 });
    await control.clock({ stopped: false, set: new Date().toISOString() });
    await expect(card).toHaveAttribute('data-alerts', 'set', { timeout: 60_000 });
    expect((await signals.read()).notices).toEqual(notices);
    await signals.setFocus('here');
    await expect(page).toHaveTitle(title);
  });
});

const NUMBER = 77_000_001;
const PATH = `/requests/8453/${NUMBER}?keeper=main&provider=${PROVIDER}&tx=${TX}`;
const PENDING = '{"state":"pending"}';
const FAILED = '{"state":"failed","reason":"No gas"}';
const COMPLETED = '{"state":"completed","callback_failed":false}';

const row = (state: string) =>
  wireRow({ sequence: String(NUMBER), created_at: secondsAgo(500), last_updated_at: secondsAgo(500), state });

const watched = (page: Page) => page.getByRole('region', { name: 'Watched' });
const toggle = (page: Page) => page.getByRole('button', { name: `Watch request ${NUMBER}` });

async function watch(control: Control, page: Page, state = PENDING): Promise<void> {
  await control.rows('main', [row(state)]);
  await page.goto(PATH);
  await toggle(page).click();
  await expect(toggle(page)).toHaveAttribute('aria-pressed', 'true');
  const nav = page.getByRole('navigation', { name: 'Main' });
  await nav.getByRole('link', { name: /^Pending/ }).click();
  await expect(watched(page)).toContainText(`Request ${NUMBER}`, { timeout: 30_000 });
}

test('a watched request that changes alerts by title and notification, and the list shows its former state', async ({
  control,
  page,
}) => {
  const signals = await recordSignals(page);
  await watch(control, page);
  await expect(watched(page)).toContainText(/Checked/);
  await looksWell(page, '[data-watch]');
  await watched(page).getByRole('button', { name: 'Turn on background notification' }).click();
  await expect(watched(page)).toContainText('Background notification on');
  await signals.setFocus('elsewhere');
  await control.rows('main', [row(FAILED)]);
  await expect(page).toHaveTitle(/^● .*Pending/, { timeout: 30_000 });
  expect(await signals.read()).toMatchObject({
    permissionRequests: 1,
    notices: [`Request ${NUMBER}: pending → failed`],
  });
  await signals.setFocus('here');
  await expect(page).toHaveTitle(/^(\(\d+\) )?Pending/);
  await control.rows('main', [row(COMPLETED)]);
  // A failed request is polled once a minute, and when the page is opened.
  await page.reload();
  await expect(watched(page).getByRole('listitem')).toContainText('Completed', { timeout: 30_000 });
  await expect(watched(page).getByRole('listitem')).toContainText('was failed until');
  await expect(watched(page)).toContainText('No further changes');
});

test('an incident is watched until it is over', async ({ control, page }) => {
  const { incidents } = await control.scenario('bad-contract');
  const made = incidents[0] as Scenario['incidents'][number];
  await page.goto('/pending');
  const panel = await opened(incidentOf(page, RULE.oneSender, made.network_id));
  await panel.getByRole('button', { name: /^Watch / }).click();
  await expect(watched(page).getByRole('listitem')).toContainText(/Open, \d stuck/);
  await control.reset();
  await expect(watched(page).getByRole('listitem')).toContainText('Over', { timeout: 60_000 });
});

test('watched items are shared by all tabs, kept from earlier versions, and can be removed', async ({
  control,
  context,
  page,
}) => {
  await context.addInitScript(() => {
    // A new tab begins at about:blank, which has no storage.
    if (location.protocol === 'about:') return;
    const entry = {
      kind: 'request',
      id: 'x',
      keeper: '<b>',
      networkId: '8453',
      sinceMs: 1,
      state: 'pending',
    };
    localStorage.setItem(
      'ks-watch',
      JSON.stringify({ watched: [entry], journal: [{ atMs: 'now' }], notify: 'yes' }),
    );
  });
  await page.goto('/pending');
  await expect(watched(page)).toContainText('Nothing watched.');
  const other = await context.newPage();
  await control.rows('main', [row(PENDING)]);
  await other.goto(PATH);
  await toggle(other).click();
  await expect(watched(page)).toContainText(`Request ${NUMBER}`);
  await expect(watched(page)).toContainText('Background notification on');
  const stop = page.getByRole('button', { name: `Stop watching request ${NUMBER} on Base` });
  await stop.click();
  await expect(watched(page)).toContainText('Nothing watched.');
  await expect(toggle(other)).toHaveAttribute('aria-pressed', 'false');
});
