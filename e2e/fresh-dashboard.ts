import { test as base } from '@playwright/test';
import { withoutViolations } from './content-policy';
import { type Control, controlOf } from './control';
import { type Dashboard, startDashboard } from './dashboard';

/**
 * Tests with a dashboard each. What it has learnt of the services serves it for a while: a world that a test replaces is
 * noticed only with the next look.
 */
export const test = base.extend<{ dashboard: Dashboard; control: Control; policy: undefined }>({
  policy: [async ({ context }, use) => withoutViolations(context, () => use(undefined)), { auto: true }],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the wanted fixtures from this pattern
  dashboard: async ({}, use) => {
    const dashboard = await startDashboard();
    await use(dashboard);
    await dashboard.stop();
  },
  baseURL: async ({ dashboard }, use) => use(dashboard.origin),
  control: async ({ dashboard }, use) => use(controlOf(dashboard.sandbox)),
});

export { expect } from '@playwright/test';
