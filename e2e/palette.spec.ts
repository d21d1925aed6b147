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
