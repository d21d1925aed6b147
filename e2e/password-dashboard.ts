import { test as base } from '@playwright/test';
import { withoutViolations } from './content-policy';
import { type Control, controlOf } from './control';
import { type Dashboard, startDashboard } from './dashboard';

export const PASSWORD = 'correct-horse-battery';
export const SECRET = 'not-for-anybody-else-0123456789abcdef';

/** A dashboard that asks for a password, one for the tests of a file. */
export const test = base.extend<{ control: Control; policy: undefined }, { dashboard: Dashboard }>({
  policy: [async ({ context }, use) => withoutViolations(context, () => use(undefined)), { auto: true }],
  dashboard: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the wanted fixtures from this pattern
    async ({}, use) => {
      const settings = { ACCESS: 'password', DASHBOARD_PASSWORD: PASSWORD, SESSION_SECRET: SECRET };
      const dashboard = await startDashboard(settings);
      await use(dashboard);
      await dashboard.stop();
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ dashboard }, use) => use(dashboard.origin),
  control: async ({ dashboard }, use) => use(controlOf(dashboard.sandbox)),
});

/** Signs a program in. */
export const BASIC = { authorization: `Basic ${Buffer.from(`anyone:${PASSWORD}`).toString('base64')}` };
