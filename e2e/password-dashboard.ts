import { test as base } from '@playwright/test';
import { withoutViolations } from './content-policy';
import { type Control, controlOf } from './control';
import { type Dashboard, dashboardPerFile, type FileDashboard } from './dashboard';

export const PASSWORD = 'correct-horse-battery';
export const SECRET = 'not-for-anybody-else-0123456789abcdef';

const SETTINGS = { ACCESS: 'password', DASHBOARD_PASSWORD: PASSWORD, SESSION_SECRET: SECRET };

/** A dashboard that asks for a password, one for the tests of a file. */
export const test = base.extend<
  { dashboard: Dashboard; control: Control; policy: undefined },
  { fileDashboard: FileDashboard }
>({
  policy: [async ({ context }, use) => withoutViolations(context, () => use(undefined)), { auto: true }],
  fileDashboard: [dashboardPerFile(SETTINGS), { scope: 'worker' }],
  dashboard: async ({ fileDashboard }, use, { file }) => use(await fileDashboard.of(file)),
  baseURL: async ({ dashboard }, use) => use(dashboard.origin),
  control: async ({ dashboard }, use) => use(controlOf(dashboard.sandbox)),
});

/** Signs a program in. */
export const BASIC = { authorization: `Basic ${Buffer.from(`anyone:${PASSWORD}`).toString('base64')}` };
