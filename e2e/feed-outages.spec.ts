import type { Page } from '@playwright/test';
import type { Dashboard } from './dashboard';
import { firstOfSeconds, heldTicks, lacking, shownTicks, type Tick, type Witness } from './feed-witness';
import { expect } from './fresh-dashboard';
import { BACK, BTC, DOWN, openChart, published, reader, state, test, wholeSeconds } from './witnessed-chart';

test.describe.configure({ mode: 'parallel' });
test.beforeEach(() => test.setTimeout(180_000));

/** The chart has all that our server holds since then, nothing twice. */
async function expectAllHeld(
  page: Page,
  { origin }: Dashboard,
  witness: Witness,
  fromS: number,
): Promise<Tick[]> {
  await published(witness, 4);
  const held = await heldTicks(origin, BTC, fromS + 1);
  expect(held.length).toBeGreaterThan(5);
  let shown: Tick[] = [];
  const isLacking = async () => {
    shown = await shownTicks(page);
    return lacking(held, shown);
  };
  await expect.poll(isLacking, { timeout: 60_000, intervals: [500] }).toEqual([]);
  const slots = shown.map(({ slot }) => slot);
  expect(slots.length).toBe(new Set(slots).size);
  return shown;
}

/** Whether two texts of the chart stand apart from each other, above or beside. */
async function isApart(
  page: Page,
  ...texts: [string, RegExp]
): Promise<'apart' | 'overlapping' | 'not there'> {
  const [a, b] = await Promise.all(texts.map((text) => page.getByText(text).boundingBox({ timeout: 5_000 })));
  if (!a || !b) return 'not there';
  const isBeside = a.x + a.width <= b.x || b.x + b.width <= a.x;
  return isBeside || a.y + a.height <= b.y || b.y + b.height <= a.y ? 'apart' : 'overlapping';
}

// The longest first, so that two workers end together.
test('the first host stays down? Prices come from the second one, the page says so, and they return', async ({
  page,
  dashboard,
  control,
  witness,
}) => {
  await openChart(page, witness);
  const fromS = witness.ticks().at(-1)?.publishS ?? 0;
  await control.fault({ service: 'updates', fault: { kind: 'drop' } });
  await control.fault({ service: 'updates', route: 'stream', fault: { kind: 'reset-stream' } });
  await expect(page.getByText(/On the second host since .*, because the first is down\./)).toBeVisible(BACK);
  await expect(state(page)).toHaveAttribute('data-connection', 'live', BACK);
  const price = page.locator('[data-figure="price"]');
  await expect(price).not.toHaveText(String(await price.textContent()));
  // The outage ends where the host changes: both are said, and neither hides the other.
  await expect.poll(() => isApart(page, 'Now from the second host', /^Reconnected after/)).toBe('apart');
  await control.noFaults();
  await expect(page.getByText(/Back on the first host since/)).toBeVisible({ timeout: 90_000 });
  await expect(page.getByText('Now from the first host')).toBeAttached();
  await expect(state(page)).toHaveAttribute('data-connection', 'live', BACK);
  await expectAllHeld(page, dashboard, witness, fromS);
});

test('the service restarts? The chart says so, keeps its prices, and shades and counts what we missed', async ({
  page,
  dashboard,
  control,
  witness,
}) => {
  await openChart(page, witness);
  const fromS = witness.ticks().at(-1)?.publishS ?? 0;
  await published(witness, 6);
  const cutS = Math.floor(Date.now() / 1000);
  await control.fault({ service: 'updates', fault: { kind: 'drop' } });
  await control.fault({ service: 'updates', route: 'stream', fault: { kind: 'reset-stream' } });
  await expect(state(page)).toHaveAttribute('data-connection', DOWN);
  await published(witness, 8);
  await expect(page.locator('[data-figure="price"]')).toHaveText(/\d/);
  await control.noFaults();
  await expect(state(page)).toHaveAttribute('data-connection', 'live', BACK);
  await expect(page.getByText(/Interrupted at /)).toBeVisible(BACK);

  const shown = await expectAllHeld(page, dashboard, witness, fromS);
  const before = wholeSeconds(witness, fromS).filter(({ publishS }) => publishS < cutS);
  expect(before.length).toBeGreaterThan(1);
  expect(lacking(before, shown)).toEqual([]);
  expect(lacking(firstOfSeconds(wholeSeconds(witness, fromS)), shown).length).toBeGreaterThan(1);

  // What it looks like: a shade, a mark, a sentence, and a row of the table.
  await expect(page.locator('.shade-missed').first()).toBeAttached();
  await expect(page.getByText(/^Reconnected after/)).toBeVisible();
  await expect(page.locator('[data-gaps~="missed"]')).toContainText(/We missed updates/);
  const row = page.getByRole('table', { name: /Updates of/ }).locator('[data-gap="missed"]');
  await expect(row.first()).toContainText('it did not reach us');
});

test('the service closes its streams again and again? The chart goes on, and it is no alarm', async ({
  page,
  dashboard,
  control,
  witness,
}) => {
  await openChart(page, witness);
  const fromS = witness.ticks().at(-1)?.publishS ?? 0;
  await page.evaluate(() => {
    const seen = new Set<string>();
    Object.assign(window, { seenStates: seen });
    const look = () =>
      seen.add(document.querySelector('[data-connection]')?.getAttribute('data-connection') ?? '');
    new MutationObserver(look).observe(document.body, {
      subtree: true,
      attributeFilter: ['data-connection'],
    });
  });
  const opened = async () => (await control.calls('updates', 'stream')).total;
  for (let close = 0; close < 8; close += 1) {
    const before = await opened();
    await control.fault({ service: 'updates', route: 'stream', fault: { kind: 'close-stream' } });
    await expect.poll(opened, BACK).toBe(before + 1);
    await published(witness, 4);
  }
  await expect(state(page)).toHaveAttribute('data-connection', 'live', BACK);
  await expectAllHeld(page, dashboard, witness, fromS);
  await expect(page.getByText(/Planned close, reconnected (after|within)/).first()).toBeAttached();
  const states = await page.evaluate(() => [...(Reflect.get(window, 'seenStates') as Set<string>)]);
  // It is no alarm.
  expect(states.filter((one) => DOWN.test(one))).toEqual([]);
});

test('the service is down while fifty watch? One attempt at a time, ever rarer, and all are live again', async ({
  page,
  dashboard,
  control,
  witness,
}) => {
  await openChart(page, witness);
  const readers = await Promise.all(Array.from({ length: 50 }, () => reader(dashboard.origin)));
  const updates = () => readers.map(({ count }) => count());
  await expect.poll(() => Math.min(...updates()), BACK).toBeGreaterThan(1);
  expect((await control.calls('updates', 'stream')).total).toBe(1);
  await control.forgetCalls();
  const sinceMs = Date.now();
  await control.fault({ service: 'updates', fault: { kind: 'status', status: 503 } });
  await control.fault({ service: 'updates', route: 'stream', fault: { kind: 'reset-stream' } });
  await expect(state(page)).toHaveAttribute('data-connection', DOWN);
  // Half a second after the loss, then 1, 2 and 4 s apart, give or take a quarter: three in 5 s, or fewer where all is slow.
  const attempts = async () => (await control.calls('updates', 'stream')).total;
  await expect.poll(attempts, { intervals: [50] }).toBeGreaterThan(1);
  await expect.poll(() => Date.now() - sinceMs, { intervals: [50] }).toBeGreaterThan(5_000);
  expect(await attempts()).toBeLessThanOrEqual(3);
  await control.noFaults();
  await expect(state(page)).toHaveAttribute('data-connection', 'live', BACK);
  const then = updates();
  await expect.poll(() => updates().every((now, at) => now > (then[at] ?? 0)), BACK).toBe(true);
  expect(await attempts()).toBeLessThanOrEqual(5);
  for (const { end } of readers) end();
});
