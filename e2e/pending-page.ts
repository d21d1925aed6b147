import { expect, type Locator, type Page } from '@playwright/test';

/** The index follows within seconds, on a busy machine more slowly. */
export const NEXT_LOOK_MS = 30_000;

/** Longer than the half minute without a sync after which the data are called stale. */
export const STALE_MS = 60_000;

export const incidentOf = (page: Page, rule: string, networkId: string) =>
  page.locator(`tr[data-incident][data-rule="${rule}"][data-network="${networkId}"]`);

export const incidents = (page: Page) => page.locator('tr[data-incident]');

export const pageStatus = (page: Page) => page.locator('[data-status] [role="status"]').first();

export const singleOf = (page: Page, hash: string) => page.locator(`tr[data-single$="${hash}" i]`);

/** The button that opens a row; others beside it act without opening. */
export const openerOf = (row: Locator) => row.locator('[data-opener]');

export async function opened(row: Locator): Promise<Locator> {
  await expect(row).toBeVisible({ timeout: NEXT_LOOK_MS });
  await openerOf(row).click();
  await expect(row.getByRole('button', { expanded: true })).toBeVisible();
  return row.page().getByRole('complementary', { name: 'Details' });
}

export const verdictOf = (scope: Locator, rule: string) =>
  scope.locator(`li[data-rule="${rule}"][data-holds="yes"]`).first();

export function figureOf(scope: Locator, label: string): Locator {
  const name = scope.page().locator('dt', { hasText: new RegExp(`^${label}$`) });
  return scope.locator('dl > div').filter({ has: name }).locator('dd').first();
}

/** `12:03:07 UTC`. */
export const clockOf = (iso: string) => `${iso.slice(11, 19)} UTC`;
