import type { Page } from '@playwright/test';
import type { Control } from './control';
import { expect, test } from './dashboard';
import { countOfService, openRequests, records, totalOf } from './requests-page';

const range = (page: Page) => page.getByLabel('Time range', { exact: true });
const end = (page: Page, name: 'From' | 'To') => page.getByLabel(name, { exact: true });
const length = (page: Page) => page.getByLabel('Length', { exact: true });

const HOUR_MS = 3_600_000;

/** A moment so many hours ago, `2026-11-20T08:00:03`: browsers leave out seconds that are 0. */
const wall = (hoursAgo: number) =>
  new Date(Date.now() - hoursAgo * HOUR_MS).toISOString().replace(/\d\d\.\d+Z$/, '03');

/** Whether a call asks for the rows of the first page: the histogram may read on where others end. */
const isFirstPage = ({ query }: { query: string }) =>
  query.includes('limit=50') && !/offset=[1-9]/.test(query);

/** The bounds of the last question for the first page, unix milliseconds; NaN where there is none. */
async function lastAsked(control: Control): Promise<{ min: number; max: number }> {
  const { calls } = await control.calls('logs:main', 'logs');
  const query = new URLSearchParams(calls.findLast(isFirstPage)?.query);
  return {
    min: Date.parse(query.get('min_timestamp') ?? ''),
    max: Date.parse(query.get('max_timestamp') ?? ''),
  };
}

/** Where each question for a first page began, unix milliseconds: two that go out together come in either order. */
async function startsAsked(control: Control): Promise<number[]> {
  const { calls } = await control.calls('logs:main', 'logs');
  const starts = calls
    .filter(isFirstPage)
    .map(({ query }) => new URLSearchParams(query).get('min_timestamp'));
  return starts.map((start) => Date.parse(start ?? ''));
}

/** When the rows on screen were made, unix milliseconds. */
const created = async (page: Page) =>
  (
    await records(page)
      .locator('td[data-column="created"] time')
      .evaluateAll((times) => times.map((time) => time.getAttribute('datetime')))
  ).map((iso) => Date.parse(String(iso)));

test('the last quarter of an hour, hour, day, month? Each choice asks for just that', async ({
  control,
  page,
}) => {
  // Not from what is chosen below: rows that came just now are not asked for again.
  await openRequests(page, '/requests?range=3h');
  for (const [value, hours] of [
    ['15m', 0.25],
    ['1h', 1],
    ['6h', 6],
    ['7d', 168],
    ['30d', 720],
    ['24h', 24],
  ] as const) {
    await range(page).selectOption(value);
    // The usual range is not written out.
    await expect(page).toHaveURL(value === '24h' ? /\/requests$/ : new RegExp(`range=${value}`));
    await expect
      .poll(async () => Math.abs(Date.now() - hours * HOUR_MS - (await lastAsked(control)).min))
      .toBeLessThan(60_000);
  }
  await range(page).selectOption('all');
  await expect(page).toHaveURL(/range=all/);
  await expect.poll(async () => (await lastAsked(control)).min).toBeNaN();
});

test('a relative range stays relative: the same link asks from later on when it is opened later', async ({
  control,
  page,
}) => {
  await openRequests(page, '/requests?range=6h');
  const { min } = await lastAsked(control);
  await expect.poll(() => Date.now() - min - 6 * HOUR_MS).toBeGreaterThan(2000);
  await control.forgetCalls();
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect.poll(async () => (await lastAsked(control)).min).toBeGreaterThan(min);
  await expect(page).toHaveURL(/range=6h/);
  await control.forgetCalls();
  await page.reload();
  await expect.poll(async () => (await lastAsked(control)).min).toBeGreaterThan(min);
});

test('none of the offered lengths fits? I type one of my own', async ({ control, page }) => {
  await openRequests(page, '/requests?range=all');
  await range(page).selectOption({ label: 'Another length…' });
  await length(page).fill('soon');
  await expect(page.getByText('Such as 45m, 2d, 90s')).toBeVisible();
  await length(page).press('Enter');
  await expect(page).toHaveURL(/range=all/);
  await length(page).fill('45m');
  await length(page).press('Enter');
  await expect(page).toHaveURL(/range=45m/);
  await expect
    .poll(async () => Math.abs(Date.now() - 0.75 * HOUR_MS - (await lastAsked(control)).min))
    .toBeLessThan(60_000);
  await expect(range(page).locator('option:checked')).toHaveText(/45 min/i);
  await length(page).fill('2d');
  await length(page).press('Tab');
  await expect(page).toHaveURL(/range=2d/);
  await page.goBack();
  await expect(page).toHaveURL(/range=45m/);
  await expect(length(page)).toHaveValue('45m');
});

test('from one second to another, typed in UTC: these rows and no others', async ({ dashboard, page }) => {
  await openRequests(page, '/requests?range=all');
  await range(page).selectOption({ label: 'From … to' });
  await expect(end(page, 'To')).toHaveValue(/Z$/);
  const [from, to] = [wall(30), wall(10)];
  await end(page, 'From').fill(from);
  await end(page, 'From').press('Enter');
  await end(page, 'To').fill(`${to}Z`);
  await end(page, 'To').press('Enter');
  const asked = () => new URL(page.url()).searchParams;
  await expect.poll(() => [asked().get('from'), asked().get('to')]).toEqual([from, `${to}Z`]);
  const expected = await countOfService(dashboard.origin, `min_timestamp=${from}Z&max_timestamp=${to}Z`);
  expect(expected).toBeGreaterThan(0);
  await expect.poll(() => totalOf(page)).toBe(expected);
  await expect
    .poll(async () =>
      (await created(page)).every((ms) => ms >= Date.parse(`${from}Z`) && ms <= Date.parse(`${to}Z`)),
    )
    .toBe(true);
});

test('typed by the clock of this computer, it is asked for as that moment', async ({
  baseURL,
  context,
  control,
  page,
}) => {
  await context.addCookies([{ name: 'ks-zone', value: 'local:Europe/Berlin', url: baseURL }]);
  await openRequests(page, '/requests?range=all');
  await range(page).selectOption({ label: 'From … to' });
  await expect(page.getByText('ISO time, Europe/Berlin').first()).toBeVisible();
  await end(page, 'To').fill('');
  await end(page, 'To').press('Enter');
  await expect(page).not.toHaveURL(/[?&]to=/);
  // An hour of winter time, one hour ahead of UTC; no row is so old.
  await end(page, 'From').fill('2026-01-15T09:30:03');
  await end(page, 'From').press('Enter');
  await expect.poll(() => new URL(page.url()).searchParams.get('from')).toBe('2026-01-15T09:30:03+01:00');
  await expect.poll(() => startsAsked(control)).toContain(Date.UTC(2026, 0, 15, 8, 30, 3));
  await page.getByRole('group', { name: 'Times' }).getByRole('button', { name: 'UTC' }).click();
  await expect(page.getByText('ISO time, UTC').first()).toBeVisible();
  await end(page, 'From').fill('2026-01-15T09:30:03');
  await end(page, 'From').press('Enter');
  await expect.poll(() => startsAsked(control)).toContain(Date.UTC(2026, 0, 15, 9, 30, 3));
});

test('picked in the calendar, to the second', async ({ control, page }) => {
  await page.addInitScript(() => {
    HTMLInputElement.prototype.showPicker = function showPicker() {
      this.dataset.shown = this.value;
    };
  });
  const [from, to] = [wall(50), wall(20)];
  await openRequests(page, `/requests?from=${from}Z&to=${to}Z`);
  const picker = page.locator('input[type="datetime-local"]');
  await page.getByRole('button', { name: 'Calendar for the beginning' }).click();
  await expect(picker.first()).toHaveAttribute('data-shown', from);
  await expect(picker.first()).toHaveAttribute('step', '1');
  const picked = wall(40);
  await picker.first().fill(picked, { force: true });
  await expect.poll(() => startsAsked(control)).toContain(Date.parse(`${picked}Z`));
  await expect(end(page, 'From')).toHaveValue(`${picked}Z`);
  await expect.poll(async () => (await lastAsked(control)).min).toBe(Date.parse(`${picked}Z`));
  const later = wall(12);
  await page.getByRole('button', { name: 'Calendar for the end' }).click();
  await picker.last().fill(later, { force: true });
  await expect.poll(() => new URL(page.url()).searchParams.get('to')).toBe(`${later}Z`);
  await expect.poll(async () => (await lastAsked(control)).max).toBe(Date.parse(`${later}Z`));
});

test('an end that can’t be is said beside the field, and nothing else happens', async ({ page }) => {
  const [from, to] = [wall(30), wall(10)];
  await openRequests(page, `/requests?from=${from}Z&to=${to}Z`);
  const address = page.url();
  for (const [text, words] of [
    ['yesterday', 'Write it like 2026-11-20T08:00Z'],
    [wall(40), 'Ends before it begins'],
  ] as const) {
    await end(page, 'To').fill(text);
    await end(page, 'To').press('Enter');
    await expect(page.getByText(words)).toBeVisible();
    await expect(end(page, 'To')).toHaveAttribute('aria-invalid', 'true');
  }
  expect(page.url()).toBe(address);
  await expect(records(page).first()).toBeVisible();
});
