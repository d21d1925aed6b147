import type { Page } from '@playwright/test';
import type { Control } from './control';
import { expect, test } from './dashboard';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const STREAM = { service: 'updates', route: 'stream' };

const price = (page: Page, symbol: string) =>
  page.getByRole('region', { name: symbol }).locator('[data-figure="price"]');
const BTC_PRICE = (page: Page) => price(page, 'Crypto.BTC/USD');

async function openLive(page: Page, ids: string): Promise<void> {
  await page.goto(`/feeds?ids=${ids}`);
  await expect(page.locator('[data-connection="live"]')).toBeVisible({ timeout: 30_000 });
}

/** Puts an event of our own between those of the service. */
const inject = (control: Control, text: string) =>
  control.fault({ ...STREAM, fault: { kind: 'event', text } });

/** How many events of the pages' streams came to this end. */
async function counted(origin: string, end: string): Promise<number> {
  const text = await (await fetch(`${origin}/api/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.includes(`="${end}"`) && /updates/.test(line));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

test('one event is no JSON? Prices go on over the same stream, and it is counted', async ({
  control,
  dashboard,
  page,
}) => {
  await openLive(page, BTC);
  await control.forgetCalls();
  const before = await counted(dashboard.origin, 'unreadable');
  await inject(control, 'data: {"parsed":[{"id"\n\n');
  await expect.poll(() => counted(dashboard.origin, 'unreadable')).toBeGreaterThan(before);
  const shown = String(await BTC_PRICE(page).textContent());
  await expect(BTC_PRICE(page)).not.toHaveText(shown);
  await expect(page.locator('[data-connection="live"]')).toBeVisible();
  expect((await control.calls('updates', 'stream')).total).toBe(0);
});

test('an older update comes, or the same again? The price on screen never goes back', async ({
  control,
  dashboard,
  page,
}) => {
  await openLive(page, BTC);
  const latest = `${dashboard.origin}/api/updates/v2/updates/price/latest?ids[]=${BTC}`;
  const update = await (await fetch(latest)).json();
  const [feed] = update.parsed;
  const at = feed.price.publish_time - 3600;
  const figures = { price: '100000000', conf: '1', expo: -8, publish_time: at };
  const older = { ...update, parsed: [{ ...feed, price: figures, ema_price: figures }] };
  await BTC_PRICE(page).evaluate((figure) => {
    const texts: string[] = [];
    Object.assign(window, { texts });
    new MutationObserver(() => texts.push(figure.textContent ?? '')).observe(figure, {
      subtree: true,
      childList: true,
      characterData: true,
    });
  });
  const before = await counted(dashboard.origin, 'older');
  await inject(control, `data: ${JSON.stringify(older)}\n\n`);
  await inject(control, `data: ${JSON.stringify(update)}\n\ndata: ${JSON.stringify(update)}\n\n`);
  await expect.poll(() => counted(dashboard.origin, 'older')).toBeGreaterThan(before);
  const seen = () => page.evaluate(() => (window as unknown as { texts: string[] }).texts);
  await expect.poll(async () => (await seen()).length).toBeGreaterThan(2);
  expect((await seen()).filter((text) => /^\D*1\.0/.test(text))).toEqual([]);
});

test('prices are negative, zero, tiny, huge, or less sure than they are large? Each is shown to its last digit', async ({
  control,
  dashboard,
  page,
}) => {
  await control.clock({ stopped: true });
  const names = ['EXPO-PLUS-5', 'EXPO-MINUS-18', 'NEGATIVE', 'ZERO', 'WIDE'].map(
    (name) => `Sandbox.${name}/USD`,
  );
  await page.goto(`/feeds?ids=${names.join(',')}`);
  const { feeds } = await (await fetch(`${dashboard.origin}/api/view/feeds`)).json();
  for (const symbol of names) {
    const id = feeds.find((feed: { symbol: string }) => feed.symbol === symbol).id;
    const path = `/api/updates/v2/updates/price/latest?ids[]=${id}`;
    const { parsed } = await (await fetch(dashboard.origin + path)).json();
    const exact = decimal(parsed[0].price);
    await expect
      .poll(async () => String(await price(page, symbol).textContent()).replace(/[^\d.\-−]/g, ''))
      .toMatch(new RegExp(`^${exact.replace('.', '\\.').replace('-', '[-−]')}$`));
  }
});

/** The price in digits, none left out and none made up. */
function decimal({ price: mantissa, expo }: { price: string; expo: number }): string {
  const digits = mantissa.replace('-', '');
  const sign = mantissa.startsWith('-') ? '-' : '';
  if (expo >= 0) return sign + (digits === '0' ? '0' : digits + '0'.repeat(expo));
  const padded = digits.padStart(1 - expo, '0');
  return `${sign}${padded.slice(0, expo)}.${padded.slice(expo)}`;
}
