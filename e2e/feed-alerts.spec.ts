import type { Page } from '@playwright/test';
import { expect, startDashboard, test } from './dashboard';
import { test as ownDashboard } from './fresh-dashboard';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';

async function openAlerts(page: Page, symbol = 'Crypto.BTC/USD') {
  const card = page.getByRole('region', { name: symbol });
  await expect(card.locator('[data-figure="price"]')).toHaveText(/\d/);
  const name = `Alerts for ${symbol.slice(symbol.indexOf('.') + 1)}`;
  const dialog = page.getByRole('dialog', { name });
  await expect(async () => {
    await card.getByRole('button', { name: /alert/i }).click({ timeout: 2_000 });
    await expect(dialog).toBeVisible({ timeout: 2_000 });
  }).toPass();
  return { card, dialog };
}

test('can I be told when a price is above a number? The tile shows it, this browser keeps it, and I can take it away', async ({
  page,
}) => {
  await page.goto(`/feeds?ids=${BTC}`);
  const { card, dialog } = await openAlerts(page);
  await dialog.getByLabel('Price', { exact: true }).fill('0.5');
  await dialog.getByRole('button', { name: 'Add alert' }).click();
  await expect(dialog.getByRole('listitem')).toContainText('Price above 0.5');
  await expect(dialog.getByRole('listitem')).toContainText('Raised');
  await page.keyboard.press('Escape');
  await expect(card).toHaveAttribute('data-alerts', 'raised');
  await page.reload();
  await expect(card).toHaveAttribute('data-alerts', 'raised');
  await page.getByRole('button', { name: 'Alerts: 1 raised' }).click();
  const list = page.getByRole('dialog', { name: 'Alerts' });
  await list.getByRole('button', { name: /Remove alert BTC\/USD: price above 0.5/ }).click();
  await expect(list).toContainText('None yet');
  await expect(card).toHaveAttribute('data-alerts', 'none');
});

test('what is no number is refused with a reason, and nothing is added', async ({ page }) => {
  await page.goto(`/feeds?ids=${BTC}`);
  const { dialog } = await openAlerts(page);
  await dialog.getByLabel('Price', { exact: true }).fill('1e5');
  await dialog.getByRole('button', { name: 'Add alert' }).click();
  await expect(dialog.getByRole('status')).toContainText('Type a number');
  await expect(dialog.getByRole('listitem')).toHaveCount(0);
  await dialog.getByLabel('When').selectOption('Price moves more than');
  await dialog.getByLabel('Number (%)').fill('50');
  await dialog.getByLabel('Within').selectOption('15 min');
  await dialog.getByRole('button', { name: 'Add alert' }).click();
  await expect(dialog.getByRole('listitem')).toContainText('Price moves more than 50 % within 15 min');
  await expect(dialog.getByRole('listitem')).toContainText('Watching');
});

test('is the price uncertain? A confidence wider than so many basis points is told', async ({ page }) => {
  await page.goto('/feeds?ids=Sandbox.WIDE/USD');
  const { card, dialog } = await openAlerts(page, 'Sandbox.WIDE/USD');
  await dialog.getByLabel('When').selectOption('Confidence wider than');
  await dialog.getByLabel('Number (bp)').fill('5000');
  await dialog.getByRole('button', { name: 'Add alert' }).click();
  await expect(dialog.getByRole('listitem')).toContainText('Confidence wider than 5,000 bp');
  await expect(dialog.getByRole('listitem')).toContainText('Raised');
  await page.keyboard.press('Escape');
  await expect(card).toHaveAttribute('data-alerts', 'raised');
});

type Shown = { title: string; tag: string };

/** A browser whose person allows notifications, and which notes those that are shown. */
async function noteNotifications(page: Page): Promise<() => Promise<Shown[]>> {
  await page.addInitScript(() => {
    const shown: Shown[] = [];
    class Noted {
      static permission = 'default';
      static async requestPermission() {
        Noted.permission = 'granted';
        return 'granted';
      }
      onclick = null;
      constructor(title: string, { tag = '' }: NotificationOptions = {}) {
        shown.push({ title, tag });
      }
    }
    Object.assign(window, { Notification: Noted, shownNotifications: shown });
  });
  return () => page.evaluate(() => Reflect.get(window, 'shownNotifications'));
}

/** What a page sees when another tab is in front of it, which a browser without a window never has. */
async function look(page: Page, where: 'elsewhere' | 'here'): Promise<void> {
  await page.evaluate((isHidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: isHidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }, where === 'elsewhere');
}

const impatient = ownDashboard.extend({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the wanted fixtures from this pattern
  dashboard: async ({}, use) => {
    const dashboard = await startDashboard({ FEED_LATE_S: '2', FEED_STALE_S: '4' });
    await use(dashboard);
    await dashboard.stop();
  },
});

impatient(
  'a feed falls silent while I look elsewhere? Title and notification tell me, once, and it is over when it is back',
  async ({ control, page }) => {
    const notified = await noteNotifications(page);
    await page.goto(`/feeds?ids=${BTC}`);
    const { card, dialog } = await openAlerts(page);
    await dialog.getByLabel('When').selectOption('Feed is stale');
    await dialog.getByRole('button', { name: 'Add alert' }).click();
    await expect(dialog.getByRole('listitem')).toContainText('No update for longer than usual (stale)');
    await dialog.getByLabel('Notification while nobody looks').check();
    await expect(dialog.getByRole('listitem')).toContainText('Watching');
    await page.keyboard.press('Escape');
    const title = await page.title();

    await look(page, 'elsewhere');
    await control.clock({ stopped: true });
    await expect(card).toHaveAttribute('data-alerts', 'raised', { timeout: 30_000 });
    await expect(card).toHaveAttribute('data-state', 'stale');
    await expect(page).toHaveTitle(`(1) ${title}`);
    expect((await notified()).map((one) => one.title)).toEqual([
      'BTC/USD: no update for longer than usual (stale)',
    ]);

    await control.clock({ stopped: false, set: new Date().toISOString() });
    await expect(card).toHaveAttribute('data-state', 'fresh', { timeout: 20_000 });
    await expect(card).toHaveAttribute('data-alerts', 'set', { timeout: 30_000 });
    expect(await notified()).toHaveLength(1);
    await look(page, 'here');
    await expect(page).toHaveTitle(title);
  },
);

test('the browser forbids notifications? It says so, and the choice is taken back', async ({ page }) => {
  await page.addInitScript(() => {
    const Forbidden = { permission: 'denied', requestPermission: async () => 'denied' };
    Object.assign(window, { Notification: Forbidden });
  });
  await page.goto(`/feeds?ids=${BTC}`);
  const { dialog } = await openAlerts(page);
  await dialog.getByLabel('Notification while nobody looks').click();
  await expect(dialog.getByRole('alert')).toContainText('does not allow notifications');
  await expect(dialog.getByLabel('Notification while nobody looks')).not.toBeChecked();
});

/** Notes which notes are played, and in which pages there was an attempt at all. */
async function noteSounds(page: Page): Promise<() => Promise<{ contexts: number; notes: number }>> {
  await page.addInitScript(() => {
    const sounds = { contexts: 0, notes: 0 };
    const param = { value: 0, setValueAtTime: () => {}, linearRampToValueAtTime: () => {} };
    const node = { connect: () => node, gain: param, frequency: param, stop: () => {} };
    class Noted {
      currentTime = 0;
      constructor() {
        sounds.contexts += 1;
      }
      async resume() {}
      createGain = () => node;
      createOscillator = () => ({ ...node, start: () => (sounds.notes += 1) });
    }
    Object.assign(window, { AudioContext: Noted, sounds });
  });
  return () => page.evaluate(() => Reflect.get(window, 'sounds'));
}

impatient(
  'can I hear it? A choice of sound is tried at once, an alert sounds, and a page that nobody has touched stays silent',
  async ({ context, control, page }) => {
    const heard = await noteSounds(page);
    await page.goto(`/feeds?ids=${BTC}`);
    const { card, dialog } = await openAlerts(page);
    expect((await heard()).contexts).toBe(0);
    await dialog.getByLabel('Sound').check();
    expect(await heard()).toEqual({ contexts: 1, notes: 2 });
    await dialog.getByLabel('When').selectOption('Feed is stale');
    await dialog.getByRole('button', { name: 'Add alert' }).click();
    await expect(dialog.getByRole('listitem')).toContainText('Watching');

    const untouched = await context.newPage();
    const heardThere = await noteSounds(untouched);
    // Whatever Playwright asks of a page counts as a touch.
    await untouched.addInitScript(() => {
      const never = { hasBeenActive: false, isActive: false };
      Object.defineProperty(navigator, 'userActivation', { value: never });
    });
    await untouched.goto(page.url());
    const cardThere = untouched.getByRole('region', { name: 'Crypto.BTC/USD' });
    await expect(cardThere).toHaveAttribute('data-alerts', 'set');
    await expect(cardThere).toHaveAttribute('data-state', 'fresh');
    await control.clock({ stopped: true });
    await expect(card).toHaveAttribute('data-alerts', 'raised', { timeout: 30_000 });
    await expect(cardThere).toHaveAttribute('data-alerts', 'raised', { timeout: 30_000 });
    await expect.poll(async () => (await heard()).notes).toBe(4);
    expect(await heardThere()).toEqual({ contexts: 0, notes: 0 });
  },
);
