import type { Page } from '@playwright/test';
import { expect, test } from './dashboard';
import { boxOf, button, cells, header, openRequests, records, table } from './requests-page';

/** The columns as they stand, from left to right. */
const columnsOf = (page: Page) =>
  table(page)
    .getByRole('columnheader')
    .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('data-column')));

const chooser = (page: Page) => page.getByRole('region', { name: 'Columns', exact: true });
const edge = (page: Page, label: string) => page.getByRole('separator', { name: `Width of ${label}` });
const shownLine = (page: Page, label: string) =>
  chooser(page)
    .getByRole('list', { name: 'Shown columns, from left to right' })
    .getByRole('listitem')
    .filter({ hasText: new RegExp(`Show ${label}`) });

async function openChooser(page: Page): Promise<void> {
  await button(page, 'Columns').click();
  await expect(chooser(page).getByRole('radio', { name: 'Compact' })).toBeVisible();
}

const widthOf = async (page: Page, id: string) =>
  Math.round((await boxOf(table(page).locator(`th[data-column="${id}"]`))).width);

test('the columns stand in the order that I gave them, in the link and at my next visit', async ({
  page,
}) => {
  await openRequests(page, '/requests?range=all');
  const usual = ['network', 'sequence', 'created', 'state', 'duration', 'sender', 'request-tx', 'gas-limit'];
  expect(await columnsOf(page)).toEqual(usual);
  await openChooser(page);
  await page.getByRole('button', { name: 'Move State up' }).click();
  await expect
    .poll(() => columnsOf(page))
    .toEqual(['network', 'sequence', 'state', 'created', ...usual.slice(4)]);
  await shownLine(page, 'Gas limit').dragTo(shownLine(page, 'Sequence'));
  const mine = ['network', 'gas-limit', 'sequence', 'state', 'created', 'duration', 'sender', 'request-tx'];
  await expect.poll(() => columnsOf(page)).toEqual(mine);
  await expect(page).toHaveURL(
    /cols=network\*%2Cgas-limit%2Csequence%2Cstate|cols=network\*,gas-limit,sequence/,
  );
  const link = page.url();
  await openRequests(page, '/requests?range=6h');
  expect(await columnsOf(page)).toEqual(mine);
  await openChooser(page);
  await button(page, 'Reset').click();
  await expect.poll(() => columnsOf(page)).toEqual(usual);
  await openRequests(page, link);
  expect(await columnsOf(page)).toEqual(mine);
});

test('a column becomes as wide as I need it: by dragging, by keyboard, and back to the usual', async ({
  page,
}) => {
  await openRequests(page, '/requests?range=all');
  const usual = await widthOf(page, 'sender');
  const grip = await boxOf(edge(page, 'Sender'));
  const [x, y] = [grip.x + grip.width / 2, grip.y + grip.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 120, y, { steps: 4 });
  await page.mouse.up();
  await expect(page).toHaveURL(/sender%7E\d+|sender~\d+/);
  const dragged = await widthOf(page, 'sender');
  expect(Math.abs(dragged - usual - 120)).toBeLessThanOrEqual(2);
  await openRequests(page, '/requests?range=6h');
  expect(Math.abs((await widthOf(page, 'sender')) - dragged)).toBeLessThanOrEqual(2);
  await edge(page, 'Sender').focus();
  await page.keyboard.press('Shift+ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => widthOf(page, 'sender')).toBeLessThan(dragged - 50);
  await expect(edge(page, 'Sender')).toBeFocused();
  await page.keyboard.press('Delete');
  await expect(page).not.toHaveURL(/sender(%7E|~)/);
  await edge(page, 'Sender').focus();
  await page.keyboard.press('Shift+ArrowRight');
  await expect(page).toHaveURL(/sender(%7E|~)/);
  await edge(page, 'Sender').dblclick();
  await expect(page).not.toHaveURL(/sender(%7E|~)/);
});

test('a pinned column stays in sight however far I scroll to the side', async ({ page }) => {
  await page.setViewportSize({ width: 1000, height: 800 });
  await openRequests(page, '/requests?range=all');
  await openChooser(page);
  await page.getByRole('button', { name: 'Pin State' }).click();
  await expect(page.getByRole('button', { name: 'Pin State' })).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('Escape');
  await expect.poll(async () => (await columnsOf(page)).slice(0, 2)).toEqual(['network', 'state']);
  await expect(page).toHaveURL(/state\*/);
  const [state, sequence] = [cells(page, 'state').first(), cells(page, 'sequence').first()];
  const before = { state: await boxOf(state), sequence: await boxOf(sequence) };
  await page.getByRole('region', { name: 'Rows' }).evaluate((area) => area.scrollTo({ left: 200 }));
  await expect.poll(async () => (await boxOf(sequence)).x).toBeLessThan(before.sequence.x - 50);
  expect(Math.abs((await boxOf(state)).x - before.state.x)).toBeLessThanOrEqual(1);
  await openChooser(page);
  await page.getByRole('button', { name: 'Pin State' }).click();
  await expect(page).not.toHaveURL(/state\*/);
});

test('every column can be shown and hidden, but never all of them', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 1000 });
  await openRequests(page, '/requests?range=all&cols=network,sequence');
  await openChooser(page);
  const hidden = chooser(page).getByRole('list', { name: 'Hidden columns' }).getByRole('checkbox');
  for (let left = 17; left > 0; left -= 1) {
    await expect(hidden).toHaveCount(left);
    await hidden.first().click();
  }
  await expect.poll(async () => new Set(await columnsOf(page)).size).toBe(19);
  await button(page, 'Reset').click();
  await page.keyboard.press('Escape');
  await openRequests(page, '/requests?range=all&cols=network,sequence');
  await openChooser(page);
  await shownLine(page, 'Network').getByRole('checkbox').click();
  await expect.poll(() => columnsOf(page)).toEqual(['sequence']);
  await expect(shownLine(page, 'Sequence').getByRole('checkbox')).toBeDisabled();
});

test('more rows on a screen, or more air: the density is kept, and a link may bring its own', async ({
  page,
}) => {
  await openRequests(page, '/requests?range=all');
  const heightOf = async () => (await boxOf(records(page).nth(3))).height;
  const normal = await heightOf();
  await openChooser(page);
  await chooser(page).getByRole('radio', { name: 'Compact' }).check();
  await expect(page).toHaveURL(/density=compact/);
  await expect.poll(heightOf).toBeLessThan(normal);
  const compact = await heightOf();
  await openRequests(page, '/requests?range=6h');
  expect(await heightOf()).toBe(compact);
  await openRequests(page, '/requests?range=6h&cols=network,created&density=roomy');
  expect(await heightOf()).toBeGreaterThan(normal);
  await openRequests(page, '/requests?range=6h');
  expect(await heightOf()).toBe(compact);
});

test('the header and the first column stay while I go through a thousand rows', async ({ page }) => {
  await page.setViewportSize({ width: 900, height: 800 });
  await openRequests(page, '/requests?range=all&size=1000');
  const top = (await boxOf(header(page, /^Sequence/))).y;
  const left = (await boxOf(cells(page, 'network').first())).x;
  await page
    .getByRole('region', { name: 'Rows' })
    .evaluate((area) => area.scrollTo({ left: 150, top: 12_000 }));
  await expect(table(page).locator('tr[aria-rowindex="20"]')).toHaveCount(0);
  await expect(cells(page, 'network').first()).toBeAttached();
  expect(Math.abs((await boxOf(header(page, /^Sequence/))).y - top)).toBeLessThanOrEqual(1);
  expect(Math.abs((await boxOf(cells(page, 'network').first())).x - left)).toBeLessThanOrEqual(1);
});

test('by which column is it sorted? The header says so, and each click turns it round', async ({ page }) => {
  await openRequests(page, '/requests?range=all');
  await expect(header(page, /^Created/)).toHaveAttribute('aria-sort', 'descending');
  await header(page, /^Created/)
    .getByRole('button')
    .click();
  await expect(page).toHaveURL(/sort=created\.asc/);
  await expect(header(page, /^Created/)).toHaveAttribute('aria-sort', 'ascending');
  await header(page, /^Gas limit/)
    .getByRole('button')
    .click();
  await expect(header(page, /^Gas limit/)).toHaveAttribute('aria-sort', 'descending');
  await expect(header(page, /^Created/)).not.toHaveAttribute('aria-sort', /./);
  const gas = async () =>
    (await cells(page, 'gas-limit').allTextContents()).flatMap((text) =>
      /\d/.test(text) ? [Number(text.replace(/\D/g, ''))] : [],
    );
  await expect
    .poll(async () => (await gas()).toSorted((a, b) => b - a).join() === (await gas()).join())
    .toBe(true);
});
