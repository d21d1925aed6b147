import type { Locator, Page } from '@playwright/test';
import { BOARD, BTC, ETH, EUR, expectOrder, grip, openBoard, SOL, SYMBOLS } from './board-page';
import { expect, test } from './dashboard';

/** The window of boards, open. */
async function openBoards(page: Page): Promise<Locator> {
  const panel = page.getByRole('dialog', { name: 'Boards' });
  await expect(async () => {
    await page.getByRole('button', { name: /^Boards/ }).click({ timeout: 2_000 });
    await expect(panel).toBeVisible({ timeout: 2_000 });
  }).toPass();
  return panel;
}

test('can I keep this board, give it another name, come back to it, and throw it away?', async ({ page }) => {
  await openBoard(page, `${BOARD}&window=15m`);
  const panel = await openBoards(page);
  await panel.getByLabel('Save this board as').fill('Majors');
  await panel.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(panel.getByRole('button', { name: 'Majors', exact: true })).toHaveAttribute(
    'aria-current',
    'true',
  );
  await panel.getByRole('button', { name: 'Rename Majors' }).click();
  await panel.getByLabel('New name of Majors').fill('Large ones');
  await page.keyboard.press('Enter');
  await expect(panel.getByRole('button', { name: 'Large ones', exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Boards Large ones' })).toBeVisible();

  await openBoard(page, `/feeds?ids=${SOL}`, [SOL]);
  await expect(page.getByRole('button', { name: 'Boards', exact: true })).toBeVisible();
  const again = await openBoards(page);
  await again.getByRole('button', { name: 'Large ones', exact: true }).click();
  await expect(again).toBeHidden();
  await expectOrder(page, SYMBOLS);
  await expect(page).toHaveURL(/window=15m/);
  await page.goBack();
  await expectOrder(page, [SOL]);

  const last = await openBoards(page);
  await last.getByRole('button', { name: 'Delete Large ones' }).click();
  await expect(last).toContainText('None yet');
  await page.reload();
  await expect(await openBoards(page)).toContainText('None yet');
});

test('can I save under a name that is taken, or under none? It says what happens', async ({ page }) => {
  await openBoard(page, `/feeds?ids=${SOL}`, [SOL]);
  const panel = await openBoards(page);
  const save = async (name: string, word: string) => {
    await panel.getByLabel('Save this board as').fill(name);
    await panel.getByRole('button', { name: word, exact: true }).click();
  };
  await save('   ', 'Save');
  await expect(panel.getByRole('alert')).toContainText('A name has 1 to 60 letters.');
  await save('One', 'Save');
  await save('Two', 'Save');
  await panel.getByRole('button', { name: 'Rename Two' }).click();
  await panel.getByLabel('New name of Two').fill('One');
  await page.keyboard.press('Enter');
  await expect(panel.getByRole('alert')).toContainText('Another board has this name.');
  await page.keyboard.press('Escape');
  await expect(panel.getByRole('button', { name: 'Two', exact: true })).toBeVisible();
  await save('One', 'Replace');
  await expect(panel.getByRole('list', { name: 'Named boards' }).getByRole('listitem')).toHaveCount(2);
});

test('can I send it to somebody? The link shows the same board in another browser', async ({
  browser,
  page,
}) => {
  await openBoard(page);
  await grip(page, EUR).focus();
  await page.keyboard.press('Home');
  await page.getByRole('button', { name: 'Large', exact: true }).click();
  await page.getByRole('button', { name: '1 min', exact: true }).click();
  await expect(page).toHaveURL(/window=1m/);
  const panel = await openBoards(page);
  const link = await panel.getByRole('textbox', { name: 'Link to this board' }).inputValue();
  expect(link).toBe(page.url());
  const other = await browser.newContext();
  const theirs = await other.newPage();
  await theirs.goto(link);
  await expectOrder(theirs, [EUR, BTC, ETH, SOL]);
  await expect(theirs.getByRole('button', { name: 'Large', exact: true })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await expect(theirs.getByRole('button', { name: '1 min', exact: true })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await other.close();
});
