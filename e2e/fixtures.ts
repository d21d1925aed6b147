import { test as base, expect } from '@playwright/test';
import { type Control, controlOf } from './control';
import { type Dashboard, startDashboard } from './dashboard';

type Settings = Record<string, string>;

/** The dashboards of a worker: one as it comes and, while tests want it, one with other settings. */
class Running {
  readonly #dashboards = new Map<string, { dashboard: Dashboard; file: string }>();
  /** Sandboxes that were given an order since they were as after their start; `all`: only a reset takes it back. */
  readonly ordered = new Map<string, 'prices' | 'all'>();
  /** Sandboxes whose services told their dashboard to keep away, which it does for a while. */
  readonly worn = new Set<string>();

  /** The one with these settings, which tests of a file share; another file gets another one where this one is worn. */
  async get(settings: Settings, file: string): Promise<Dashboard> {
    const key = JSON.stringify(settings);
    for (const [other, { dashboard, file: usedBy }] of this.#dashboards) {
      const isWorn = this.worn.has(dashboard.sandbox) && usedBy !== file;
      if (isWorn || (other !== key && other !== '{}')) await this.#stop(other, dashboard);
    }
    const dashboard = this.#dashboards.get(key)?.dashboard ?? (await startDashboard(settings));
    this.#dashboards.set(key, { dashboard, file });
    return dashboard;
  }

  async #stop(key: string, dashboard: Dashboard): Promise<void> {
    this.#dashboards.delete(key);
    await dashboard.stop();
  }

  async stop(): Promise<void> {
    for (const [key, { dashboard }] of this.#dashboards) await this.#stop(key, dashboard);
  }
}

/**
 * Tests with a dashboard on a sandbox that is reset before each of them. They share one per worker; those that want other
 * settings, or one that nobody has used, say so by `test.use({ settings: { … } })` or `test.use({ fresh: true })`.
 */
export const test = base.extend<
  { settings: Settings; fresh: boolean; dashboard: Dashboard; control: Control; policy: undefined },
  { running: Running }
>({
  settings: [{}, { option: true }],
  fresh: [false, { option: true }],
  running: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the wanted fixtures from this pattern
    async ({}, use) => {
      const running = new Running();
      await use(running);
      await running.stop();
    },
    { scope: 'worker' },
  ],
  dashboard: async ({ running, settings, fresh }, use, { file }) => {
    const dashboard = fresh ? await startDashboard(settings) : await running.get(settings, file);
    await use(dashboard);
    if (fresh) await dashboard.stop();
  },
  baseURL: async ({ dashboard }, use) => use(dashboard.origin),
  control: [
    async ({ dashboard: { sandbox }, running: { ordered, worn } }, use) => {
      const control = controlOf(sandbox, (about, keepsAway) => {
        if (about !== 'faults of prices') ordered.set(sandbox, 'all');
        else if (!ordered.has(sandbox)) ordered.set(sandbox, 'prices');
        if (keepsAway) worn.add(sandbox);
      });
      // After a reset all rows are read anew, which costs a second; what the index did not hear of needs none.
      const told = ordered.get(sandbox);
      if (told === 'all') await control.reset();
      if (told === 'prices') await control.noFaults();
      if (told !== 'all' && sandbox !== '') await control.forgetCalls();
      ordered.delete(sandbox);
      await use(control);
    },
    { auto: true },
  ],
  // The browser says of nothing that the content security policy kept it out.
  policy: [
    async ({ context }, use) => {
      const said: string[] = [];
      context.on('console', (message) => {
        if (/content security policy/i.test(message.text())) said.push(message.text());
      });
      await use(undefined);
      expect(said).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };
