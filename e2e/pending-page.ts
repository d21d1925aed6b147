import { expect, type Locator, type Page } from '@playwright/test';

/** The index follows within seconds, on a busy machine in more of them. */
export const NEXT_LOOK_MS = 30_000;

/** After half a minute without a sync what is known is called old. */
export const STALE_MS = 60_000;

/** Card of the incident of a rule on a network. */
export const incidentOf = (page: Page, rule: string, networkId: string) =>
  page.locator(`[data-incident][data-rule="${rule}"][data-network="${networkId}"]`);

export const incidents = (page: Page) => page.locator('[data-incident]');

/** The line that says whether anything is stuck. */
export const standing = (page: Page) => page.locator('[data-standing] [role="status"]').first();

/** The single stuck request with this transaction. */
export const singleOf = (page: Page, hash: string) => page.locator(`[data-single$="${hash}" i]`);

/** Unfolds a card and gives what it unfolds. */
export async function unfold(card: Locator): Promise<Locator> {
  const opener = card.getByRole('button', { expanded: false }).first();
  await opener.click();
  await expect(card.getByRole('button', { expanded: true }).first()).toBeVisible();
  return card;
}

/** The verdict of a rule that holds, within what is unfolded. */
export const verdictOf = (scope: Locator, rule: string) =>
  scope.locator(`li[data-rule="${rule}"][data-holds="yes"]`).first();

/** The value of a figure by its name. */
export function figureOf(scope: Locator, label: string): Locator {
  const name = scope.page().locator('dt', { hasText: new RegExp(`^${label}$`) });
  return scope.locator('dl > div').filter({ has: name }).locator('dd').first();
}

/** Waits until this single request is listed, and gives its diagnosis once that is complete. */
export async function diagnosisOf(page: Page, hash: string): Promise<Locator> {
  const single = singleOf(page, hash);
  await expect(single).toBeVisible({ timeout: NEXT_LOOK_MS });
  await unfold(single);
  const diagnosis = single.locator('[data-diagnosis="complete"]');
  await expect(diagnosis).toBeVisible({ timeout: NEXT_LOOK_MS });
  return diagnosis;
}

/** `12:03:07 UTC` of an ISO time; a moment of another day has the day in front. */
export const clockOf = (iso: string) => `${iso.slice(11, 19)} UTC`;
