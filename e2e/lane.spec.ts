import type { Page } from '@playwright/test';
import type { Control, Scenario } from './control';
import { expect, test } from './fresh-dashboard';
import { grouped, laneMark, laneOf, part, pathOf } from './request-part';

/** Sets a scenario and opens its oldest stuck request; gives what was made once its lane is drawn. */
async function open(control: Control, page: Page, name: string): Promise<Scenario['incidents'][number]> {
  const { incidents } = await control.scenario(name);
  const made = incidents[0] as Scenario['incidents'][number];
  await page.goto(pathOf(made));
  await expect(laneOf(page)).toBeVisible({ timeout: 30_000 });
  return made;
}

test('by keyboard alone: along the lane to what stands out, select, open', async ({ control, page }) => {
  const made = await open(control, page, 'overtaken');
  const number = made.requests[0]?.sequence ?? 0;
  await laneOf(page).focus();
  await expect(laneMark(page)).toHaveAttribute(
    'aria-label',
    new RegExp(`^Sequence ${grouped(number)}, stuck, created .+, overtaken by 2\\d$`),
  );
  await page.keyboard.press('ArrowRight');
  await expect(laneMark(page)).toHaveAttribute(
    'aria-label',
    new RegExp(`^Sequence ${grouped(number + 1)}, completed`),
  );
  await page.keyboard.press('ArrowUp');
  await expect(laneMark(page)).toHaveAttribute('data-state', 'stuck');
  for (let step = 0; step < 4; step++) await page.keyboard.press('Shift+ArrowRight');
  const selection = part(page, 'Sequence lane').getByRole('status');
  await expect(selection).toContainText(
    `Selected: ${grouped(number)} to ${grouped(number + 4)}, 5 requests.`,
  );
  await page.keyboard.press('Escape');
  await expect(selection).toBeEmpty();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`/requests/${made.network_id}/${number + 5}\\?`));
});

test('a drag over the lane leads to those rows in the table', async ({ control, page }) => {
  const made = await open(control, page, 'gap');
  const number = made.requests[0]?.sequence ?? 0;
  await expect(part(page, 'Sequence lane')).toContainText('3 are missing');
  await laneOf(page).scrollIntoViewIfNeeded();
  const box = await laneMark(page).boundingBox();
  if (box === null) throw new Error('the mark is not on screen');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 26, y, { steps: 4 });
  await page.mouse.up();
  const selection = part(page, 'Sequence lane').getByRole('status');
  await expect(selection).toContainText(
    `Selected: ${grouped(number)} to ${grouped(number + 2)}, 3 requests.`,
  );
  await selection.getByRole('link', { name: 'Show them in the table' }).click();
  await expect(page).toHaveURL(new RegExp(`/requests\\?.*network=${made.network_id}.*from=`));
  await expect(page.locator('tr[data-row="record"]')).toHaveCount(3);
  for (const one of [number, number + 1, number + 2]) {
    await expect(page.locator('tr[data-row="record"]').filter({ hasText: String(one) })).toBeVisible();
  }
});

test('a click on a mark goes to its request, and its neighbours say which is which', async ({
  control,
  page,
}) => {
  const made = await open(control, page, 'overtaken');
  const number = made.requests[0]?.sequence ?? 0;
  await laneOf(page).scrollIntoViewIfNeeded();
  const box = await laneMark(page).boundingBox();
  if (box === null) throw new Error('the mark is not on screen');
  await page.mouse.move(box.x + box.width / 2 + 13, box.y + box.height / 2);
  await expect(part(page, 'Sequence lane')).toContainText(`Sequence ${grouped(number + 1)}, completed`);
  await page.mouse.down();
  await page.mouse.up();
  await expect(page).toHaveURL(new RegExp(`/requests/${made.network_id}/${number + 1}\\?`));
});

/** An answer of the lane with so many marks, one of them stuck and a gap before it. */
function longLane(marks: number): string {
  const nowMs = Date.now();
  const items: object[] = Array.from({ length: marks }, (_, index) => ({
    kind: 'request',
    key: `main/8453/0xab/${index}/0x${index}`,
    sequence: String(index),
    createdMs: nowMs - (marks - index) * 100,
    state: index === marks / 2 ? 'stuck' : 'completed',
    ...(index === marks / 2 ? { overtakenBy: marks / 2 - 1 } : {}),
    twins: [],
  }));
  items.splice(10, 0, { kind: 'gap', from: '3', to: '5', count: '3' });
  const figures = { missingNumbers: '3', overtaken: 1, twins: 0, unseen: 0, unreadable: 0 };
  return JSON.stringify({
    atMs: nowMs,
    provider: '0xab',
    providers: [],
    fromMs: 0,
    toMs: nowMs,
    items,
    ...figures,
  });
}

test('five thousand marks are a few elements, and the keyboard goes through them', async ({
  control,
  page,
}) => {
  await page.route('**/api/view/pending/lane?*', (route) =>
    route.fulfill({ contentType: 'application/json', body: longLane(5_000) }),
  );
  await open(control, page, 'gave-up');
  await expect(part(page, 'Sequence lane')).toContainText('5,000 requests, numbers 0 to 4,999: 1 stuck');
  expect(await part(page, 'Sequence lane').locator('*').count()).toBeLessThan(80);
  await laneOf(page).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await expect(laneMark(page)).toHaveAttribute('aria-label', '3 numbers missing: 3 to 5');
  for (let step = 0; step < 60; step++) await page.keyboard.press('PageDown');
  await page.keyboard.press('ArrowDown');
  await expect(laneMark(page)).toHaveAttribute(
    'aria-label',
    /^Sequence 2,500, stuck, .+, overtaken by 2499$/,
  );
  await page.keyboard.press('Shift+End');
  await expect(part(page, 'Sequence lane').getByRole('status')).toContainText('2,500 requests');
  await expect(laneMark(page)).toBeInViewport();
});
