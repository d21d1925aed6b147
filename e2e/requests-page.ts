import { expect, type Locator, type Page } from '@playwright/test';

export const table = (page: Page) => page.getByRole('table', { name: 'Requests' });
export const records = (page: Page) => table(page).locator('tbody tr[data-row="record"]');
/** "1,234 requests …". */
export const count = (page: Page) => page.getByRole('status').filter({ hasText: /requests?\b/ });
export const panel = (page: Page) => page.getByRole('complementary', { name: 'Request' });
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
export const header = (page: Page, name: RegExp) => table(page).getByRole('columnheader', { name });
export const cells = (page: Page, column: string) => records(page).locator(`td[data-column="${column}"]`);

/** Waits for rows and controls, which are disabled until the page's scripts run. */
export async function openRequests(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await expect(records(page).first()).toBeVisible();
  await expect(button(page, 'Live')).toBeEnabled();
  // The first 25 rows are drawn first, the others of a short list right after; longer lists draw those in sight.
  const undrawn = () =>
    table(page).evaluate((element) => {
      const rows = Number(element.getAttribute('aria-rowcount')) - 1;
      return rows > 50 ? 0 : Math.max(0, rows - element.querySelectorAll('tbody tr').length);
    });
  await expect.poll(undrawn).toBe(0);
}

export async function untilIndexed(page: Page): Promise<void> {
  await expect(page.locator('[data-sync="live"]')).toContainText('All since', { timeout: 30_000 });
}

/** Keys of the rows, from top to bottom. */
export function keysOf(page: Page): Promise<(string | null)[]> {
  return records(page).evaluateAll((rows) => rows.map((row) => row.getAttribute('data-key')));
}

/** Total of the status line. */
export async function totalOf(page: Page): Promise<number> {
  const digits = /([\d,]+) requests?/.exec(String(await count(page).textContent()))?.[1] ?? '';
  return Number(digits.replaceAll(',', ''));
}

export async function countOfService(origin: string, query: string): Promise<number> {
  const answer = await (await fetch(`${origin}/api/logs/v1/logs?limit=1&${query}`)).json();
  return answer.total_results;
}

/** Newest first. */
export async function rowsOfService(origin: string, query: string): Promise<Record<string, string>[]> {
  const answer = await (await fetch(`${origin}/api/logs/v1/logs?${query}`)).json();
  return answer.requests;
}

/** Whole seconds. Nothing arrives before that time while a test counts. */
export const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString().replace(/\.\d+/, '');

/** Fails when the element is not rendered. */
export async function boxOf(place: Locator) {
  const box = await place.boundingBox();
  if (box === null) throw new Error('not drawn');
  return box;
}

/** Closes the list. */
export async function choose(page: Page, filter: string, ...options: string[]): Promise<void> {
  const field = page.getByRole('combobox', { name: filter, exact: true });
  await field.click();
  for (const name of options) await page.getByRole('option', { name, exact: true }).click();
  if ((await field.getAttribute('aria-expanded')) === 'true') await page.keyboard.press('Escape');
  await expect(field).toHaveAttribute('aria-expanded', 'false');
}

/** Layout shift so far, as measured by the browser. */
export function shiftSoFar(page: Page): Promise<{ sum: number; moved: string }> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        let sum = 0;
        const moved: string[] = [];
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            const shift = entry as PerformanceEntry & {
              value: number;
              hadRecentInput: boolean;
              sources: { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[];
            };
            if (shift.hadRecentInput) continue;
            sum += shift.value;
            for (const { node, previousRect: before, currentRect: after } of shift.sources) {
              const text = `${node?.nodeName} “${node?.textContent?.slice(0, 40)}”`;
              moved.push(`${text} from ${before.x}, ${before.y} to ${after.x}, ${after.y}`);
            }
          }
        }).observe({ type: 'layout-shift', buffered: true });
        // The observer gets buffered entries in a task of its own.
        setTimeout(() => resolve({ sum, moved: moved.join('\n') }), 100);
      }),
  );
}
