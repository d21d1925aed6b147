import type { Page } from '@playwright/test';
import { expect, test } from './dashboard';
import { hourAgo, openRequests, panel, records } from './requests-page';

const options = (page: Page) => page.getByRole('dialog', { name: 'Command palette' }).getByRole('option');

async function type(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Go to' });
  await expect(field).toBeFocused();
  await field.fill(text);
}

test('Ctrl K goes to the requests of a state', async ({ page }) => {
  await openRequests(page, '/requests?range=all');
  await type(page, 'callback fail');
  await expect(options(page).first()).toHaveText(/Requests whose callback failed/);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/requests\?state=callback-failed$/);
  await expect(records(page).first()).toHaveAttribute('data-state', 'callback-failed');
});

test('where was I? Ctrl K leads back to a request that I looked at, and to what I searched for', async ({
  page,
}) => {
  await openRequests(page, `/requests?to=${hourAgo()}`);
  await records(page).nth(2).click();
  await expect(panel(page)).toHaveAttribute('data-open-request', /\//);
  const key = String(await panel(page).getAttribute('data-open-request'));
  const sequence = key.split('/').at(-2) ?? '';
  await page.keyboard.press('Escape');
  await page.getByLabel('Search', { exact: true }).fill('4711');
  await page.getByLabel('Search', { exact: true }).press('Enter');
  await expect(page).toHaveURL(/q=4711/);
  await openRequests(page, '/requests?range=all');
  await type(page, sequence);
  await options(page)
    .filter({ hasText: new RegExp(`^(?!Find)\\D.* ${sequence}`) })
    .first()
    .click();
  await expect(page).toHaveURL(new RegExp(`/requests/\\d+/${sequence}\\?`));
  await type(page, '47');
  await options(page).filter({ hasText: /^4711/ }).first().click();
  await expect(page).toHaveURL(/q=4711/);
});

/** Holds the parts of the page that are loaded from now on. @returns lets them come */
async function holdParts(page: Page): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/_next/static/chunks/**', async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

test('what I type before the palette is loaded is in it, and the page hears none of it', async ({ page }) => {
  await openRequests(page, '/requests?range=all');
  const release = await holdParts(page);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('callback faill');
  await page.keyboard.press('Backspace');
  const field = page.getByRole('combobox', { name: 'Go to' });
  await expect(field).toHaveValue('callback fail');
  await expect(options(page)).toHaveCount(0);
  release();
  await expect(options(page).first()).toBeVisible();
  await expect(field).toBeFocused();
  await expect(field).toHaveValue('callback fail');
  await expect(page).not.toHaveURL(/live=/);
});

test('Enter before the palette is loaded goes there once it is', async ({ page }) => {
  await openRequests(page, '/requests?range=all');
  const release = await holdParts(page);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('callback fail');
  await page.keyboard.press('Enter');
  release();
  await expect(page).toHaveURL(/\/requests\?state=callback-failed$/);
  await expect(page.getByRole('dialog', { name: 'Command palette' })).toHaveCount(0);
});

test('Escape before the palette is loaded leaves it closed', async ({ page }) => {
  await openRequests(page, '/requests?range=all');
  const release = await holdParts(page);
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await expect(palette.getByRole('status')).toHaveText('Loading…');
  await page.keyboard.press('Escape');
  release();
  // Another part, asked for later: the first has had time to open.
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await expect(palette).toHaveCount(0);
});
