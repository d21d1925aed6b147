import type { BrowserContext, Page } from '@playwright/test';
import type { Control } from './control';
import { expect, test } from './fixtures';
import { openRequests, records } from './requests-page';

/** Answers of a service affect a dashboard for a while. */
test.use({ fresh: true });

/** The framework has an empty alert for page names. */
const alerts = (page: Page) => page.getByRole('alert').filter({ hasText: /\S/ });
const refresh = (page: Page) => page.getByRole('button', { name: /refresh/i });

/** A poll needs rows, counts and bars. A failing service is called no more often than a working one. */
const MAX_CALLS = 40;

// Texts for each kind of answer are tested by lib/core/explain-failure.test.ts, kinds by e2e/http/gateway.test.ts.
test('while the service fails, sends a web page or hangs up, the rows stay, marked stale, and the page recovers', async ({
  control,
  page,
}) => {
  await openRequests(page, '/requests?range=all');
  /** After several consecutive failures even a click calls the service only later. */
  const pressed = (isSo: () => Promise<void>) =>
    expect(async () => {
      await refresh(page).click({ timeout: 1000 });
      await isSo();
    }).toPass({ timeout: 40_000 });
  for (const [fault, words] of [
    [{ kind: 'status', status: 500 }, /returned 500/],
    [{ kind: 'html' }, /unreadable answer/],
    [{ kind: 'drop' }, /unreachable/],
  ] as const) {
    await control.noFaults();
    await control.forgetCalls();
    await control.fault({ service: 'logs:main', fault });
    await pressed(() => expect(alerts(page).first()).toContainText(words, { timeout: 1000 }));
    await expect(alerts(page).first()).toContainText(/Rows stale since .*\d\d:\d\d:\d\d/);
    await expect(alerts(page).first()).not.toContainText(/<html|sandbox-key|no requests/i);
    await expect(records(page)).toHaveCount(50);
    expect((await control.calls('logs:main')).total).toBeLessThanOrEqual(MAX_CALLS);
  }
  await control.noFaults();
  await pressed(() => expect(alerts(page)).toHaveCount(0, { timeout: 1000 }));
  await expect(records(page)).toHaveCount(50);
  await page.goto('/services');
  await control.fault({ service: 'logs:main', fault: { kind: 'status', status: 503 } });
  const health = page.locator('tr[data-service="logs:main"]');
  await expect(health).toHaveAttribute('data-health', 'failing');
});

test('a rejected key is named with its setting, and stops calls for a minute', async ({ control, page }) => {
  let calls = 0;
  const newCalls = async () => {
    const before = calls;
    calls = (await control.calls('logs:main')).total;
    return calls - before;
  };
  const calm = () => expect.poll(newCalls, { intervals: [1000] }).toBe(0);
  await openRequests(page, '/requests?range=all&keeper=main');
  await calm();
  await control.fault({ service: 'logs:main', fault: { kind: 'status', status: 401 } });
  await refresh(page).click();
  await expect(alerts(page).first()).toContainText(/rejected the API key \(401\)\. Check LOGS_API_KEY/);
  await expect(alerts(page).first()).toContainText('stale since');
  await expect(records(page)).toHaveCount(50);
  // Calls sent together with the first refused one may still arrive.
  await calm();
  for (let n = 0; n < 3; n++) await page.request.get(`/api/logs/v1/logs?limit=${n + 1}`);
  await page.goto('/requests?range=1h&keeper=main');
  await expect(alerts(page).first()).toContainText('rejected the API key');
  await expect(page).toHaveURL(/\/requests\?range=1h/);
  expect(await newCalls()).toBeLessThanOrEqual(1);
});

test('a rate limit shows a countdown, and no call is made before it ends', async ({ control, page }) => {
  await openRequests(page, '/requests?range=all&keeper=main');
  const retryAfter = new Date(Date.now() + 45_000).toUTCString();
  await control.fault({ service: 'logs:main', fault: { kind: 'status', status: 429, retryAfter } });
  await refresh(page).click();
  await expect(alerts(page).first()).toContainText('rate-limited us (429)');
  await expect(alerts(page).first()).toContainText('stale since');
  const countdown = page.getByText(/Retry in \d+ s/).first();
  const left = async () => Number(/\d+/.exec(String(await countdown.textContent()))?.[0]);
  const first = await left();
  // The index of a sandbox has its own client; the gateway's gets the answer too.
  await page.request.get('/api/logs/v1/logs?limit=2');
  await control.forgetCalls();
  const answer = await page.request.get('/api/logs/v1/logs?limit=3');
  expect(answer.status()).toBe(503);
  expect(Number(answer.headers()['retry-after'])).toBeGreaterThan(0);
  await expect.poll(left).toBeLessThan(first);
  await expect(records(page)).toHaveCount(50);
  expect((await control.calls('logs:main')).total).toBe(0);
});

test.describe('unreachable', () => {
  test.use({ settings: { LOGS_URL: 'main=http://127.0.0.1:9,test=http://no-such-host.invalid' } });

  test('unreachable log services are named, and no page is empty', async ({ page }) => {
    for (const keeper of ['main', 'test']) {
      await page.goto(`/requests?range=all&keeper=${keeper}`);
      await expect(alerts(page).first()).toContainText(/request log service.*(reach|connect|found|refus)/i);
      await expect(alerts(page).first()).toContainText('LOGS_URL');
      await expect(page.getByText(/no requests match/i)).toHaveCount(0);
    }
  });
});

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';

const PAST = '2026-01-05T12:00:00Z';

const SLOW = { timeout: 25_000 };

type Service = 'logs' | 'updates' | 'upgraded' | 'router';

const price = (page: Page, source: string) =>
  page.locator(`td[data-source="${source}"] [data-figure="price"]`);

type PageCheck = { path: string; check: (page: Page) => Promise<void> };

const REQUESTS: PageCheck = {
  path: '/requests?range=6h',
  check: (page) => expect(records(page).first()).toBeVisible(SLOW),
};

const PENDING: PageCheck = {
  path: '/pending',
  async check(page) {
    await expect(page.locator('[data-status] [role="status"]').first()).toContainText(/stuck/, SLOW);
    await expect(page.getByRole('list', { name: 'Sync' }).getByRole('alert')).toHaveCount(0);
  },
};

const OVERVIEW: PageCheck = {
  path: '/',
  async check(page) {
    await expect(page.locator('[data-figure="requests"]')).toContainText(/\d/, SLOW);
  },
};

const FEEDS: PageCheck = {
  path: `/feeds?ids=${BTC}`,
  async check(page) {
    const shown = page.getByRole('region', { name: 'Crypto.BTC/USD' }).locator('[data-figure="price"]');
    await expect(shown).toHaveText(/\d/, SLOW);
    const before = String(await shown.textContent());
    await expect(shown).not.toHaveText(before, SLOW);
  },
};

const DOWN: [services: Service[], untouched: PageCheck[]][] = [
  [['logs', 'upgraded'], [FEEDS]],
  [
    ['updates', 'router'],
    [REQUESTS, PENDING, OVERVIEW],
  ],
];

const HOST: Record<Service, string> = {
  logs: 'Logs main',
  updates: 'Prices',
  upgraded: 'Upgraded prices',
  router: 'Router',
};

async function inTab(context: BrowserContext, origin: string, { path, check }: PageCheck): Promise<void> {
  const page = await context.newPage();
  await page.goto(origin + path);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await check(page);
  await page.close();
}

/** Working sources have prices, failing ones the reason. */
async function lookUp(page: Page, down: Service[]): Promise<void> {
  for (const source of ['updates', 'upgraded', 'router'] as const) {
    if (down.includes(source)) await expect(price(page, source)).toHaveCount(0);
    else await expect(price(page, source)).toHaveText(/\d/, SLOW);
  }
}

async function boardOf(page: Page, down: Service[]): Promise<void> {
  await page.getByRole('button', { name: 'Check now' }).click();
  for (const [service, name] of Object.entries(HOST)) {
    const health = down.includes(service as Service) ? 'failing' : 'ok';
    const head = page.getByRole('rowheader', { name: new RegExp(`^${name} `) });
    const row = page.getByRole('table', { name: 'Services' }).locator('tr[data-service]', { has: head });
    await expect(row).toHaveAttribute('data-health', health, SLOW);
  }
}

const FAULTS: Record<Service, Record<string, unknown>> = {
  logs: { kind: 'hang' },
  updates: { kind: 'drop' },
  upgraded: { kind: 'status', status: 500 },
  router: { kind: 'hang' },
};

const makeItFail = async (control: Control, service: Service) => {
  for (const host of service === 'logs' ? ['logs:main', 'logs:test'] : [service])
    await control.fault({ service: host, fault: FAULTS[service] });
};

for (const [down, untouched] of DOWN) {
  test(`while ${down.join(' and ')} fail, pages that need them say so, and the others are complete`, async ({
    context,
    control,
    dashboard,
  }) => {
    const prices = { path: `/prices?ids=${BTC}&at=${PAST}`, check: (page: Page) => lookUp(page, down) };
    const services = { path: '/services', check: (page: Page) => boardOf(page, down) };
    for (const service of down) await makeItFail(control, service);
    for (const places of [[...untouched, prices], [services]])
      await Promise.all(places.map((place) => inTab(context, dashboard.origin, place)));
  });
}
