import { test as base } from 'vitest';
import { type Control, controlOf } from '@/e2e/control';
import { type Dashboard, startDashboard } from '@/e2e/dashboard';

/** The worker shares a dashboard, whose sandbox is reset. */
export const test = base.extend<{ dashboard: Dashboard; control: Control }>({
  dashboard: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the wanted fixtures from this pattern
    async ({}, use) => {
      const dashboard = await startDashboard();
      await use(dashboard);
      await dashboard.stop();
    },
    { scope: 'worker' },
  ],
  control: async ({ dashboard }, use) => {
    let changed = 'nothing' as 'nothing' | 'faults' | 'all';
    const control = controlOf(dashboard.sandbox, (about) => {
      changed = about === 'all' || changed === 'all' ? 'all' : 'faults';
    });
    await control.forgetCalls();
    await use(control);
    // After a reset the index reads all rows again; it hardly notices a fault that ended at once.
    if (changed === 'all') await control.reset();
    else if (changed === 'faults') await control.noFaults();
  },
});

export async function withDashboard(
  settings: Record<string, string>,
  work: (dashboard: Dashboard) => Promise<void>,
): Promise<void> {
  const dashboard = await startDashboard(settings);
  try {
    await work(dashboard);
  } finally {
    await dashboard.stop();
  }
}
