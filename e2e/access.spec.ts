import AxeBuilder from '@axe-core/playwright';
import { test as base, expect, type Page } from '@playwright/test';
import { startDashboard } from './dashboard';
import { ask } from './every-route';
import { BASIC, PASSWORD, SECRET, test } from './password-dashboard';

async function signIn(page: Page, password: string): Promise<void> {
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('a person is asked for the password, and then stands where he wanted to be', async ({
  page,
  context,
}) => {
  await page.goto('/requests?state=pending&size=20');
  await expect(page).toHaveURL(/\/sign-in\?next=/);
  await expect(page.getByLabel('Password')).toBeFocused();
  await signIn(page, 'not the password');
  await expect(page.getByRole('alert').filter({ hasText: 'not the password' })).toBeVisible();
  await signIn(page, PASSWORD);
  await expect(page).toHaveURL(/\/requests\?state=pending&size=20/);
  await expect(page.getByRole('table', { name: 'Requests' })).toBeVisible();
  const session = (await context.cookies()).find(({ name }) => name === 'ks-session');
  expect(session).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
});

test('signing out ends the session, its streams and every copy of its cookie', async ({
  page,
  context,
  dashboard,
}) => {
  await page.goto('/feeds');
  await signIn(page, PASSWORD);
  await expect(page.locator('[data-connection="live"]')).toBeVisible({ timeout: 20_000 });
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const health = () => ask(dashboard.origin, '/api/health', { headers: { cookie } });
  expect(Object.keys(JSON.parse((await health()).body))).toContain('services');
  const stream = fetch(`${dashboard.origin}/api/feeds/stream?ids=${'ab'.repeat(32)}`, {
    headers: { cookie },
  });
  const ended = stream.then(async ({ body }) => {
    for await (const _ of body ?? []);
    return 'ended';
  });
  await page.getByRole('link', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByLabel('Password')).toBeVisible();
  expect(await ended).toBe('ended');
  expect(Object.keys(JSON.parse((await health()).body))).not.toContain('services');
  expect((await ask(dashboard.origin, '/api/logs/v1/logs?limit=1', { headers: { cookie } })).status).toBe(
    401,
  );
  await page.goto('/pending');
  await expect(page).toHaveURL(/\/sign-in/);
});

test('with the link that signs out the navigation fits every width too', async ({ page }) => {
  await page.goto('/services');
  await signIn(page, PASSWORD);
  const main = page.getByRole('navigation', { name: 'Main' });
  for (const width of [390, 769, 992, 993, 1024, 1088, 1089]) {
    await page.setViewportSize({ width, height: 800 });
    await expect(main.getByRole('link', { name: 'Services' })).toBeVisible();
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
      `${width} pixels`,
    ).toBeLessThanOrEqual(0);
  }
});

test('signing out ends an export that is under way, and it does not look complete', async ({
  dashboard,
  control,
}) => {
  const body = JSON.stringify({ password: PASSWORD });
  const json = { 'content-type': 'application/json' };
  const signedIn = await ask(dashboard.origin, '/api/session', { method: 'POST', headers: json, body });
  const headers = { cookie: signedIn.headers['set-cookie']?.[0]?.split(';')[0] ?? '' };
  // Four pages of a thousand rows, each of which the service takes its time for.
  await control.fault({ service: 'logs:main', fault: { kind: 'delay', ms: 3000 }, forMs: 60_000 });
  try {
    const path = '/api/view/requests/export?range=all&format=ndjson&keeper=main';
    const response = await fetch(`${dashboard.origin}${path}`, { headers });
    expect(Number(response.headers.get('x-export-expected'))).toBeGreaterThan(1000);
    const signedOut = await ask(dashboard.origin, '/api/session', { method: 'DELETE', headers });
    expect(signedOut.status).toBe(200);
    const lines = (await response.text()).trimEnd().split('\n');
    const { meta } = JSON.parse(lines.at(-1) ?? '');
    expect(meta).toMatchObject({ complete: false, written: lines.length - 1 });
    expect(meta.problem).toContain('signed out');
  } finally {
    await control.noFaults();
  }
});

test('a program signs in with HTTP Basic', async ({ dashboard }) => {
  const path = '/api/logs/v1/logs?limit=1';
  expect(await ask(dashboard.origin, path)).toMatchObject({
    status: 401,
    headers: { 'www-authenticate': expect.stringContaining('Basic') },
  });
  const { status, body } = await ask(dashboard.origin, path, { headers: BASIC });
  expect([status, JSON.parse(body).requests.length]).toEqual([200, 1]);
});

test('another site can’t sign a browser in or out, and a form can’t either', async ({ dashboard }) => {
  const body = JSON.stringify({ password: PASSWORD });
  const json = { 'content-type': 'application/json' };
  const at = (headers: Record<string, string>, method = 'POST') =>
    ask(dashboard.origin, '/api/session', { method, headers, body: method === 'POST' ? body : undefined });
  expect((await at({ ...json, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })).status).toBe(
    403,
  );
  expect((await at({ origin: 'https://evil.example' }, 'DELETE')).status).toBe(403);
  expect((await at({ 'content-type': 'text/plain' })).status).toBe(400);
  expect((await at({ ...json, host: 'evil.example' })).status).toBe(421);
  expect((await at(json)).status).toBe(200);
});

test('a page that another site embeds, loads or posts to costs no call to a service', async ({
  dashboard,
  control,
}) => {
  await control.forgetCalls();
  const site = { ...BASIC, 'sec-fetch-site': 'cross-site' };
  const at = async (method: string, headers: Record<string, string>) =>
    (await ask(dashboard.origin, '/requests?size=20', { method, headers: { ...site, ...headers } })).status;
  expect(await at('GET', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' })).toBe(403);
  expect(await at('GET', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' })).toBe(403);
  expect(await at('POST', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' })).toBe(403);
  // What a browser fetches in advance for another page, it says that nobody made it fetch.
  const inAdvance = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  expect(await at('GET', { ...inAdvance, 'sec-purpose': 'prefetch' })).toBe(403);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
    expect([method, await at(method, { 'sec-fetch-site': 'same-origin' })]).toEqual([method, 405]);
  expect((await control.calls('logs:main')).total).toBe(0);
  expect(await at('GET', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' })).toBe(200);
});

test('behind TLS the cookie is of the kind that nobody else can set, and HSTS is said', async ({
  dashboard,
}) => {
  const headers = { 'content-type': 'application/json', 'x-forwarded-proto': 'https' };
  const body = JSON.stringify({ password: PASSWORD });
  const signedIn = await ask(dashboard.origin, '/api/session', { method: 'POST', headers, body });
  const [cookie = ''] = signedIn.headers['set-cookie'] ?? [];
  expect(cookie).toMatch(
    /^__Host-ks-session=\S+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/,
  );
  const sent = { ...headers, cookie: cookie.split(';')[0] ?? '' };
  const page = await ask(dashboard.origin, '/services', { headers: sent });
  expect(page.status).toBe(200);
  // Refusals and the framework's own redirects say it too, as they may be the first that a browser hears.
  for (const path of ['/services', '/api/health', '/api/logs/v1/logs', '/services/', '/_next/static/x.js']) {
    const behindTls = await ask(dashboard.origin, path, { headers });
    expect([path, behindTls.headers['strict-transport-security']]).toEqual([path, 'max-age=15552000']);
    const plain = await ask(dashboard.origin, path);
    expect([path, plain.headers['strict-transport-security']]).toEqual([path, undefined]);
  }
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`everybody can sign in: no accessibility faults (${colorScheme})`, async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 800 });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.goto('/sign-in');
    await expect(page.getByLabel('Password')).toBeVisible();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)).toEqual([]);
  });
}

test('a flood from outside is told to wait, and the signed-in of the same address go on', async ({
  dashboard,
}) => {
  const path = '/api/logs/v1/logs?limit=1';
  const signInPage = async () => (await ask(dashboard.origin, '/sign-in')).status;
  const flood = async () => {
    const others = Array.from({ length: 300 }, () => ask(dashboard.origin, path));
    const pages = await Promise.all(Array.from({ length: 5 }, signInPage));
    await Promise.all(others);
    return pages;
  };
  await expect.poll(flood, { timeout: 60_000, intervals: [0] }).toContain(429);
  expect((await ask(dashboard.origin, path, { headers: BASIC })).status).toBe(200);
  await expect.poll(signInPage).toBe(200);
});

// Last: it makes this address wait.
test('five wrong passwords, and each further try has to wait longer', async ({ dashboard, page }) => {
  const body = JSON.stringify({ password: 'a guess' });
  const headers = { 'content-type': 'application/json' };
  const guess = () => ask(dashboard.origin, '/api/session', { method: 'POST', headers, body });
  for (let n = 0; n < 5; n += 1) expect((await guess()).status).toBe(401);
  const waitS = async () => Number((await guess()).headers['retry-after'] ?? 0);
  await expect.poll(waitS, { timeout: 40_000, intervals: [200] }).toBeGreaterThan(6);
  await page.goto('/sign-in');
  await signIn(page, 'another guess');
  await expect(page.getByText(/Too many wrong passwords. Try again in \d+ s/)).toBeVisible();
});

base('a proxy signs people in: whoever comes past it stays out', async ({ browser }) => {
  const dashboard = await startDashboard({ ACCESS: 'proxy', PROXY_SECRET: SECRET });
  try {
    const past = await ask(dashboard.origin, '/api/logs/v1/logs?limit=1', {
      headers: { 'x-forwarded-user': 'ann' },
    });
    expect(past.status).toBe(401);
    const headers = { 'x-forwarded-user': 'ann', 'x-proxy-secret': SECRET };
    expect((await ask(dashboard.origin, '/api/logs/v1/logs?limit=1', { headers })).status).toBe(200);
    const through = await browser.newPage({ extraHTTPHeaders: headers, baseURL: dashboard.origin });
    await through.goto('/requests');
    await expect(through.getByRole('table', { name: 'Requests' })).toBeVisible();
    const without = await browser.newPage({ baseURL: dashboard.origin });
    await without.goto('/requests');
    await expect(without.getByText('reached through a proxy')).toBeVisible();
  } finally {
    await dashboard.stop();
  }
});

base('anyone who can reach it can use it? The services page says so, to everybody', async ({ page }) => {
  const dashboard = await startDashboard({ ACCESS: 'open' });
  try {
    await page.goto(`${dashboard.origin}/services`);
    await expect(page.getByRole('alert').filter({ hasText: 'ACCESS=open' })).toContainText(
      'Anyone who can reach this dashboard can use it',
    );
    expect(dashboard.stderr()).toContain('ACCESS=open');
  } finally {
    await dashboard.stop();
  }
});
