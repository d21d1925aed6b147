import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import type { Control, Scenario } from './control';
import { expect, test } from './dashboard';
import { incidentOf, NEXT_LOOK_MS } from './pending-page';

const PROVIDER = `0x${'52'.repeat(20)}`;
const TX = `0x${'ab'.repeat(32)}`;
const NUMBER = 77_000_001;
const PATH = `/requests/8453/${NUMBER}?keeper=main&provider=${PROVIDER}&tx=${TX}`;
const PENDING = '{"state":"pending"}';
const FAILED = '{"state":"failed","reason":"No gas"}';
const COMPLETED = '{"state":"completed","callback_failed":false}';

/** A request of the test's own, whose state the test says. */
function row(state: string): string {
  const created = new Date(Date.now() - 500_000).toISOString();
  return `{"chain_id":"base","network_id":8453,"provider":"${PROVIDER}","sequence":${NUMBER},"created_at":"${created}",
    "last_updated_at":"${created}","request_block_number":34000000,"request_tx_hash":"${TX}","gas_limit":"500000",
    "user_random_number":"${'11'.repeat(32)}","sender":"0x${'cd'.repeat(20)}","state":${state}}`;
}

const watched = (page: Page) => page.getByRole('region', { name: 'Watched' });
const toggle = (page: Page) => page.getByRole('button', { name: `Watch request ${NUMBER}` });

/** Pins the request on its page, and goes to the page that shows what is watched. */
async function watch(control: Control, page: Page, state = PENDING): Promise<void> {
  await control.rows('main', [row(state)]);
  await page.goto(PATH);
  await toggle(page).click();
  await expect(toggle(page)).toHaveAttribute('aria-pressed', 'true');
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /^Pending/ })
    .click();
  // The page shows what is watched once its first look is over.
  await expect(watched(page)).toContainText(`Request ${NUMBER}`, { timeout: 30_000 });
}

test('has it finished while I did something else? What it was, and until when, stands in the list', async ({
  control,
  page,
}) => {
  await watch(control, page, FAILED);
  await expect(watched(page).getByRole('listitem')).toContainText('Failed');
  await control.rows('main', [row(COMPLETED)]);
  // A failed one is asked about once a minute, and when the page is opened.
  await page.reload();
  await expect(watched(page).getByRole('listitem')).toContainText('Completed', { timeout: 20_000 });
  await expect(watched(page).getByRole('listitem')).toContainText('was failed until');
  await expect(watched(page).locator('time')).toHaveAttribute('datetime', /^20\d\d-/);
  await expect(watched(page)).toContainText('Nothing left that can change');
  await page.reload();
  await expect(watched(page).getByRole('listitem')).toContainText('was failed until');
  await watched(page).getByRole('link').click();
  await expect(page.getByText(/callback ran\./)).toBeVisible();
});

test('the title counts what happened while nobody looked, and is itself again when somebody does', async ({
  control,
  page,
}) => {
  await page.addInitScript(() => {
    const looked = { at: true };
    Object.assign(window, { looked });
    document.hasFocus = () => looked.at;
  });
  await watch(control, page);
  await expect(watched(page)).toContainText(/Checked/);
  const title = await page.title();
  await page.evaluate(() => {
    (window as unknown as { looked: { at: boolean } }).looked.at = false;
  });
  await control.rows('main', [row(FAILED)]);
  await expect(page).toHaveTitle(`(1) ${title}`, { timeout: 20_000 });
  await page.evaluate(() => {
    (window as unknown as { looked: { at: boolean } }).looked.at = true;
    window.dispatchEvent(new Event('focus'));
  });
  await expect(page).toHaveTitle(title);
});

test('notifications come only after somebody asked for them with a click', async ({ control, page }) => {
  await page.addInitScript(() => {
    const said: string[] = [];
    Object.assign(window, { said });
    document.hasFocus = () => false;
    class FakeNotification {
      static permission = 'default';
      static async requestPermission() {
        said.push('asked');
        FakeNotification.permission = 'granted';
        return 'granted';
      }
      constructor(title: string) {
        said.push(title);
      }
    }
    Object.assign(window, { Notification: FakeNotification });
  });
  const said = () => page.evaluate(() => (window as unknown as { said: string[] }).said);
  await watch(control, page);
  await expect(watched(page)).toContainText(/Checked/);
  expect(await said()).toEqual([]);
  await watched(page).getByRole('button', { name: 'Turn on background notification' }).click();
  await expect(watched(page)).toContainText('Background notification on');
  await control.rows('main', [row(FAILED)]);
  await expect.poll(said, { timeout: 20_000 }).toEqual(['asked', `Request ${NUMBER}: pending → failed`]);
});

test('an incident is watched until it is over', async ({ control, page }) => {
  const { incidents } = await control.scenario('bad-contract');
  const made = incidents[0] as Scenario['incidents'][number];
  await page.goto('/pending');
  const card = incidentOf(page, 'R7', made.network_id);
  await card.getByRole('button', { name: /^Watch / }).click({ timeout: NEXT_LOOK_MS });
  await expect(watched(page).getByRole('listitem')).toContainText('Open, 9 pending');
  await control.reset();
  await expect(watched(page).getByRole('listitem')).toContainText('Over', { timeout: 50_000 });
  // A look in the middle of the reset may see fewer.
  await expect(watched(page).getByRole('listitem')).toContainText(/was \d pending until/);
});

test('whatever else the browser’s storage holds, the page stands, and nothing strange is shown', async ({
  page,
}) => {
  await page.addInitScript(() => {
    const entry = {
      kind: 'request',
      id: 'x',
      keeper: '<b>',
      networkId: '8453',
      sinceMs: 1,
      state: 'pending',
    };
    const watched = Array.from({ length: 500 }, () => entry);
    localStorage.setItem('ks-watch', JSON.stringify({ watched, journal: [{ atMs: 'now' }], notify: 1 }));
  });
  await page.goto('/pending');
  await expect(watched(page)).toContainText('Nothing watched.');
});

test('what is watched is taken away again, on its page and in the list', async ({ control, page }) => {
  await watch(control, page);
  await watched(page)
    .getByRole('button', { name: `Stop watching request ${NUMBER} on Base` })
    .click();
  await expect(watched(page)).toContainText('Nothing watched.');
  await page.goBack();
  await expect(toggle(page)).toHaveAttribute('aria-pressed', 'false');
});

test('another tab knows what this one watches', async ({ control, context, page }) => {
  await page.goto('/pending');
  await expect(watched(page)).toContainText('Nothing watched.');
  const other = await context.newPage();
  await control.rows('main', [row(PENDING)]);
  await other.goto(PATH);
  await toggle(other).click();
  await expect(watched(page)).toContainText(`Request ${NUMBER}`);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`in ${colorScheme} it is accessible and fits a phone`, async ({ control, page }) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 390, height: 844 });
    await watch(control, page);
    await control.rows('main', [row(FAILED)]);
    await expect(watched(page).getByRole('listitem')).toContainText('was pending until', { timeout: 20_000 });
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBeLessThanOrEqual(0);
    const { violations } = await new AxeBuilder({ page }).include('[data-watch]').analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  });
}
