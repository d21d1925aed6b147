import type { Page } from '@playwright/test';
import { fetchRaw } from './every-route';
import { expect, test } from './fixtures';
import { expectToFit, looksWell } from './looks';

const PASSWORD = 'correct-horse-battery';
const SESSION_SECRET = 'not-for-anybody-else-0123456789abcdef';

test.use({ settings: { ACCESS: 'password', DASHBOARD_PASSWORD: PASSWORD, SESSION_SECRET } });

const send = (page: Page) => page.getByRole('button', { name: 'Sign in' }).click();

async function signIn(page: Page, password: string): Promise<void> {
  await page.getByLabel('Password').fill(password);
  await send(page);
}

test('the sign-in page leads on to the requested page', async ({ page, context }) => {
  await page.goto('/requests?state=pending&size=20');
  await expect(page).toHaveURL(/\/sign-in\?next=/);
  await expect(page.getByLabel('Password')).toBeFocused();
  await signIn(page, 'not the password');
  await expect(page.getByRole('alert').filter({ hasText: 'Wrong password' })).toBeVisible();
  await page.getByRole('button', { name: 'Show characters' }).click();
  await expect(page.getByLabel('Password')).toHaveAttribute('type', 'text');
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
  await expect(page.locator('[data-connection="live"]')).toBeVisible();
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const health = () => fetchRaw(dashboard.origin, '/api/health', { headers: { cookie } });
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
  expect(
    (await fetchRaw(dashboard.origin, '/api/logs/v1/logs?limit=1', { headers: { cookie } })).status,
  ).toBe(401);
  await page.goto('/pending');
  await expect(page).toHaveURL(/\/sign-in/);
});

test('signing in and out is accessible, at every width and in both themes', async ({ page }) => {
  await page.goto('/sign-in');
  await expect(page.getByLabel('Password')).toBeVisible();
  await looksWell(page);
  await signIn(page, PASSWORD);
  await expect(page).not.toHaveURL(/sign-in/);
  await page.goto('/services');
  await expect(page.getByRole('link', { name: 'Sign out' })).toBeVisible();
  for (const width of [390, 769, 992, 993, 1024, 1088, 1089]) await expectToFit(page, width);
});

// The last test, because this client has to wait after it.
test('after five wrong passwords each further try has to wait', async ({ dashboard, page }) => {
  const body = JSON.stringify({ password: 'a guess' });
  const headers = { 'content-type': 'application/json' };
  const guess = () => fetchRaw(dashboard.origin, '/api/session', { method: 'POST', headers, body });
  await page.goto('/sign-in');
  await page.getByLabel('Password').fill('another guess');
  for (let n = 0; n < 5; n += 1) expect((await guess()).status).toBe(401);
  // The wait doubles, so this takes as long as the waits before.
  const waitS = async () => Number((await guess()).headers['retry-after'] ?? 0);
  await expect.poll(waitS, { timeout: 40_000, intervals: [200] }).toBeGreaterThan(6);
  await send(page);
  await expect(page.getByText(/Too many wrong passwords. Try again in \d+ s/)).toBeVisible();
});

test.describe('ACCESS=open', () => {
  test.use({ settings: { ACCESS: 'open' } });

  test('with open access the services page says that anyone who can reach it can use it', async ({
    dashboard,
    page,
  }) => {
    await page.goto('/services');
    await expect(page.getByRole('alert').filter({ hasText: 'ACCESS=open' })).toContainText(
      'Anyone who can reach this dashboard can use it',
    );
    expect(dashboard.stderr()).toContain('ACCESS=open');
  });
});
