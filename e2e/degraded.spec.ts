import type { BrowserContext, Page } from '@playwright/test';
import type { Control } from './control';
import { cuttableWay } from './cuttable-way';
import { type Dashboard, expect, startDashboard, test } from './dashboard';
import { records } from './requests-page';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const PAST = '2026-01-05T12:00:00Z';
const SLOW = { timeout: 25_000 };

type Service = 'logs' | 'updates' | 'upgraded' | 'router';
type Down = 'fails' | 'hangs' | 'refuses';

const price = (page: Page, source: string) =>
  page.locator(`td[data-source="${source}"] [data-figure="price"]`);

/** A page, and what it shows when all that it needs is there. */
type Place = { path: string; look: (page: Page) => Promise<void> };

const REQUESTS: Place = {
  path: '/requests?range=6h',
  look: (page) => expect(records(page).first()).toBeVisible(SLOW),
};
const PENDING: Place = {
  path: '/pending',
  async look(page) {
    await expect(page.locator('[data-standing] [role="status"]').first()).toContainText(/stuck/, SLOW);
    await expect(page.getByRole('list', { name: 'Sync' }).getByRole('alert')).toHaveCount(0);
  },
};
const OVERVIEW: Place = {
  path: '/',
  async look(page) {
    const completed = page.getByRole('main').getByRole('link', { name: /completed/i });
    await expect(completed.first()).toContainText(/\d/, SLOW);
  },
};
const FEEDS: Place = {
  path: `/feeds?ids=${BTC}`,
  async look(page) {
    const shown = page.getByRole('region', { name: 'Crypto.BTC/USD' }).locator('[data-figure="price"]');
    await expect(shown).toHaveText(/\d/, SLOW);
    const before = String(await shown.textContent());
    await expect(shown).not.toHaveText(before, SLOW);
  },
};

/** The pages that need nothing of a service. The stream of the pages is on the first host while that works. */
const UNTOUCHED: Record<Service, Place[]> = {
  logs: [FEEDS],
  updates: [REQUESTS, PENDING, OVERVIEW],
  upgraded: [REQUESTS, PENDING, OVERVIEW, FEEDS],
  router: [REQUESTS, PENDING, OVERVIEW, FEEDS],
};

const HOST: Record<Service, string> = {
  logs: 'Logs main',
  updates: 'Prices',
  upgraded: 'Upgraded prices',
  router: 'Router',
};

async function inTab(context: BrowserContext, origin: string, { path, look }: Place): Promise<void> {
  const page = await context.newPage();
  await page.goto(origin + path);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await look(page);
  await page.close();
}

/** The lookup has a column per source: those of the others have their prices, and this one says why it has none. */
async function lookUp(page: Page, down: Service): Promise<void> {
  for (const source of ['updates', 'upgraded', 'router'].filter((one) => one !== down))
    await expect(price(page, source)).toHaveText(/\d/, SLOW);
  if (down !== 'logs') await expect(price(page, down)).toHaveCount(0);
}

/** The board of services names the one that is down, and those that are not. */
async function boardOf(page: Page, down: Service): Promise<void> {
  await page.getByRole('button', { name: 'Check now' }).click();
  for (const [service, name] of Object.entries(HOST)) {
    const health = service === down ? 'failing' : 'ok';
    const row = page.getByRole('table', { name: 'Services' }).locator('tr[data-service]', { hasText: name });
    await expect(row.first()).toHaveAttribute('data-health', health, SLOW);
  }
}

async function makeItFail(control: Control, service: Service, fault: { kind: string; status?: number }) {
  await control.noFaults();
  for (const host of service === 'logs' ? ['logs:main', 'logs:test'] : [service])
    await control.fault({ service: host, fault });
}

/** A dashboard whose way to one service can be closed. */
async function dashboardWith(down: Service, { sandbox }: Dashboard) {
  const way = await cuttableWay(sandbox);
  const via = (service: Service) => (service === down ? way.origin : sandbox);
  const keys = Object.fromEntries(['UPDATES', 'ROUTER'].map((name) => [`${name}_API_KEY`, 'sandbox-key']));
  const live = await startDashboard({
    LOGS_URL: `main=${via('logs')}/logs/main,test=${via('logs')}/logs/test`,
    LOGS_API_KEY: 'sandbox-key',
    UPDATES_URL: `${via('updates')}/updates`,
    UPGRADED_UPDATES_URL: `${via('upgraded')}/upgraded/hermes`,
    ROUTER_URL: `${via('router')}/router`,
    ...keys,
  });
  return { live, way };
}

for (const down of ['logs', 'updates', 'upgraded', 'router'] as const) {
  test(`${down} fails, hangs, refuses? What needs it not is whole, what needs it says so`, async ({
    context,
    control,
    dashboard,
  }) => {
    test.setTimeout(150_000);
    const { live, way } = await dashboardWith(down, dashboard);
    const prices = { path: `/prices?ids=${BTC}&at=${PAST}`, look: (page: Page) => lookUp(page, down) };
    const services = { path: '/services', look: (page: Page) => boardOf(page, down) };
    const see = (places: Place[]) => Promise.all(places.map((one) => inTab(context, live.origin, one)));
    const make: Record<Down, () => Promise<void> | void> = {
      fails: () => makeItFail(control, down, { kind: 'status', status: 500 }),
      hangs: () => makeItFail(control, down, { kind: 'hang' }),
      refuses: () => way.close(),
    };
    try {
      for (const how of ['fails', 'hangs', 'refuses'] as const) {
        await make[how]();
        await test.step(`it ${how}`, () => see([...UNTOUCHED[down], prices]));
      }
      await see([services]);
    } finally {
      await live.stop();
      way.close();
    }
  });
}
