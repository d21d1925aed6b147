import { expect, type Locator, type Page } from '@playwright/test';

/** The index follows within seconds, on a busy machine more slowly. */
export const NEXT_LOOK_MS = 30_000;

/** After half a minute without a sync the data are called stale. */
export const STALE_MS = 60_000;

/** Row of the incident of a rule on a network. */
export const incidentOf = (page: Page, rule: string, networkId: string) =>
  page.locator(`tr[data-incident][data-rule="${rule}"][data-network="${networkId}"]`);

export const incidents = (page: Page) => page.locator('tr[data-incident]');

/** Status line of the page. */
export const pageStatus = (page: Page) => page.locator('[data-status] [role="status"]').first();

/** The row of the single stuck request with this transaction. */
export const singleOf = (page: Page, hash: string) => page.locator(`tr[data-single$="${hash}" i]`);

/** The button that opens a row; others beside it act without opening. */
export const openerOf = (row: Locator) => row.locator('[data-opener]');

/** Opens a row, and returns the panel beside the table. */
export async function opened(row: Locator): Promise<Locator> {
  await expect(row).toBeVisible({ timeout: NEXT_LOOK_MS });
  await openerOf(row).click();
  await expect(row.getByRole('button', { expanded: true })).toBeVisible();
  return row.page().getByRole('complementary', { name: 'Details' });
}

/** The verdict of a rule within the open details. */
export const verdictOf = (scope: Locator, rule: string) =>
  scope.locator(`li[data-rule="${rule}"][data-holds="yes"]`).first();

/** The value of a figure by its name. */
export function figureOf(scope: Locator, label: string): Locator {
  const name = scope.page().locator('dt', { hasText: new RegExp(`^${label}$`) });
  return scope.locator('dl > div').filter({ has: name }).locator('dd').first();
}

/** `12:03:07 UTC` for an ISO time; a time on another day starts with the day. */
export const clockOf = (iso: string) => `${iso.slice(11, 19)} UTC`;
