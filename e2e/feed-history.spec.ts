import { cuttableWay } from './cuttable-way';
import { lacking, shownTicks } from './feed-witness';
import { expect } from './fresh-dashboard';
import { BACK, DOWN, openChart, published, reader, state, test, wholeSeconds } from './witnessed-chart';

test.describe.configure({ mode: 'parallel' });
test.beforeEach(() => test.setTimeout(180_000));

test('a colleague has watched for a while? My chart has all that our server received since', async ({
  page,
  dashboard,
  witness,
}) => {
  const colleague = await reader(dashboard.origin);
  await expect.poll(() => colleague.count(), BACK).toBeGreaterThan(0);
  const fromS = witness.ticks().at(-1)?.publishS ?? 0;
  await published(witness, 12);
  await openChart(page, witness);
  const wanted = wholeSeconds(witness, fromS);
  const isLacking = async () => lacking(wanted, await shownTicks(page));
  await expect.poll(isLacking, { ...BACK, intervals: [500] }).toEqual([]);
  colleague.end();
});

test('my computer slept, or was offline? The chart lacks nothing that was published meanwhile', async ({
  page,
  dashboard,
  witness,
}) => {
  const way = await cuttableWay(dashboard.origin);
  await openChart(page, witness, way.origin);
  const fromS = witness.ticks().at(-1)?.publishS ?? 0;
  await page.evaluate(() => document.dispatchEvent(new Event('freeze')));
  await published(witness, 8);
  await page.evaluate(() => document.dispatchEvent(new Event('resume')));
  await expect(state(page)).toHaveAttribute('data-connection', 'live', BACK);
  way.cut();
  await expect(state(page)).toHaveAttribute('data-connection', DOWN);
  await published(witness, 8);
  way.restore();
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await expect(state(page)).toHaveAttribute('data-connection', 'live', BACK);
  await published(witness, 4);
  const wanted = wholeSeconds(witness, fromS);
  const isLacking = async () => lacking(wanted, await shownTicks(page));
  await expect.poll(isLacking, { ...BACK, intervals: [500] }).toEqual([]);
  await expect(page.locator('[data-gaps]')).not.toHaveAttribute('data-gaps', /missed/);
  way.close();
});

test('the market was closed? That is shaded as silence of the feed, not as ours', async ({ page }) => {
  await page.goto('/feeds/Sandbox.MARKET/USD?window=1h&to=2026-01-05T15:00:00Z');
  await expect(page.locator('[data-samples="complete"]')).toBeAttached({ timeout: 90_000 });
  await expect(page.locator('[data-gaps]')).toHaveAttribute('data-gaps', 'silent');
  await expect(page.locator('.shade-silent').first()).toBeAttached();
  await expect(page.locator('[data-gaps]')).toContainText(/The feed was silent once \(30 min\)/);
});
