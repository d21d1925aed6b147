import type { Page } from '@playwright/test';
import { type Tick, type Witness, witnessOf } from './feed-witness';
import { test as base, expect } from './fixtures';

export const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const CHART = `/feeds/${BTC}?window=5m`;

/** Lost streams are remembered for half an hour, so each test has its own dashboard and witness. */
export const test = base.extend<{ witness: Witness }>({
  fresh: true,
  settings: { UPDATES_CALLS_PER_S: '50' },
  witness: async ({ dashboard }, use) => {
    const witness = await witnessOf(dashboard.sandbox, BTC);
    await use(witness);
    witness.end();
  },
});

export const state = (page: Page) => page.locator('[data-connection]');
export const DOWN = /reconnecting|failed/;
export const BACK = { timeout: 60_000 };

export async function openChart(page: Page, witness: Witness, origin = ''): Promise<void> {
  await page.goto(`${origin}${CHART}`);
  await expect(state(page)).toHaveAttribute('data-connection', 'live', BACK);
  await published(witness, 3);
}

/** `count` more updates than now. */
export async function published(witness: Witness, count: number): Promise<void> {
  const before = witness.ticks().length;
  await expect.poll(() => witness.ticks().length - before, BACK).toBeGreaterThanOrEqual(count);
}

/** Updates of whole seconds from `fromS` on; before it, the chart holds samples. */
export function wholeSeconds(witness: Witness, fromS: number): Tick[] {
  const untilS = witness.ticks().at(-1)?.publishS ?? 0;
  return witness.ticks().filter(({ publishS }) => publishS > fromS && publishS < untilS);
}
