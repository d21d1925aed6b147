import { expect, type Locator, type Page } from '@playwright/test';

/** What the specs of the log table have in common: its parts as a user knows them. */

export const table = (page: Page) => page.getByRole('table', { name: 'Requests' });
export const records = (page: Page) => table(page).locator('tbody tr[data-row="record"]');
/** The status that counts: "1,234 requests …". */
export const count = (page: Page) => page.getByRole('status').filter({ hasText: /requests?\b/ });
export const panel = (page: Page) => page.getByRole('complementary', { name: 'Request' });
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
export const header = (page: Page, name: RegExp) => table(page).getByRole('columnheader', { name });
export const cells = (page: Page, column: string) => records(page).locator(`td[data-column="${column}"]`);

/** Opens the log table and waits for its rows and for its controls, which are disabled until the page's scripts run. */
export async function openRequests(page: Page, address: string): Promise<void> {
  await page.goto(address);
  // One that has just been started, or reset, reads them first.
  await expect(records(page).first()).toBeVisible();
  await expect(button(page, 'Columns')).toBeEnabled();
}

/** The index holds every row of the service. */
export async function untilIndexed(page: Page): Promise<void> {
  await expect(page.locator('[data-sync="live"]')).toContainText('All since', { timeout: 30_000 });
}

/** The rows on screen by their keys, from top to bottom. */
export function keysOf(page: Page): Promise<(string | null)[]> {
  return records(page).evaluateAll((rows) => rows.map((row) => row.getAttribute('data-key')));
}

/** The figure of the status: how many requests match. */
export async function totalOf(page: Page): Promise<number> {
  const digits = /([\d,]+) requests?/.exec(String(await count(page).textContent()))?.[1] ?? '';
  return Number(digits.replaceAll(',', ''));
}

/** How many the service counts for a query of its own. */
export async function countOfService(origin: string, query: string): Promise<number> {
  const answer = await (await fetch(`${origin}/api/logs/v1/logs?limit=1&${query}`)).json();
  return answer.total_results;
}

/** Rows of the service as it sends them, newest first. */
export async function rowsOfService(origin: string, query: string): Promise<Record<string, string>[]> {
  const answer = await (await fetch(`${origin}/api/logs/v1/logs?${query}`)).json();
  return answer.requests;
}

/** The time of one hour ago, to whole seconds: nothing arrives before it while a test counts. */
export const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString().replace(/\.\d+/, '');

/** Where something stands in the window; fails where it is not drawn. */
export async function boxOf(place: Locator) {
  const box = await place.boundingBox();
  if (box === null) throw new Error('not drawn');
  return box;
}

/** Chooses in one of the filters: an option by its exact name. The list is closed again. */
export async function choose(page: Page, filter: string, ...options: string[]): Promise<void> {
  const field = page.getByRole('combobox', { name: filter, exact: true });
  await field.click();
  for (const name of options) await page.getByRole('option', { name, exact: true }).click();
  if ((await field.getAttribute('aria-expanded')) === 'true') await page.keyboard.press('Escape');
  await expect(field).toHaveAttribute('aria-expanded', 'false');
}

/** How much the page jumped so far, by the browser's own measure. */
export function shiftSoFar(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            const shift = entry as PerformanceEntry & { value: number; hadRecentInput: boolean };
            if (!shift.hadRecentInput) sum += shift.value;
          }
        }).observe({ type: 'layout-shift', buffered: true });
        // The observer is told of what was buffered in a task of its own.
        setTimeout(() => resolve(sum), 100);
      }),
  );
}
