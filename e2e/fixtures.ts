import { test as base, expect } from '@playwright/test';
import { type Control, controlOf } from './control';
import { type Dashboard, startDashboard } from './dashboard';

type Settings = Record<string, string>;

/** The default dashboard of a worker and, while tests need it, one with other settings. */
class Running {
  readonly #dashboards = new Map<string, { dashboard: Dashboard; file: string }>();
  /** Orders by origin, since the start of a sandbox; `all`: only a reset undoes them. */
  readonly ordered = new Map<string, 'prices' | 'all'>();
  /** The services of these made their dashboard back off for a while. */
  readonly backingOff = new Set<string>();

  /** Shared by the tests of a file; another file gets a new one when its services back off. */
  async get(settings: Settings, file: string): Promise<Dashboard> {
    const key = JSON.stringify(settings);
    for (const [other, { dashboard, file: usedBy }] of this.#dashboards) {
      const isWorn = this.backingOff.has(dashboard.sandbox) && usedBy !== file;
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
 * The sandbox is reset before each test. For other settings `test.use({ settings: { … } })`, for an unused dashboard
 * `test.use({ fresh: true })`.
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
    async ({ dashboard: { sandbox }, running: { ordered, backingOff } }, use) => {
      const control = controlOf(sandbox, (about, keepsAway) => {
        if (about !== 'faults of prices') ordered.set(sandbox, 'all');
        else if (!ordered.has(sandbox)) ordered.set(sandbox, 'prices');
        if (keepsAway) backingOff.add(sandbox);
      });
      // After a reset all rows are read again, which takes a second.
      const previous = ordered.get(sandbox);
      if (previous === 'all') await control.reset();
      if (previous === 'prices') await control.noFaults();
      if (previous !== 'all' && sandbox !== '') await control.forgetCalls();
      ordered.delete(sandbox);
      await use(control);
    },
    { auto: true },
  ],
  // React reports hydration errors only as errors that no code of the page caught.
  policy: [
    async ({ context }, use) => {
      const browserErrors: string[] = [];
      context.on('console', (message) => {
        if (/content security policy/i.test(message.text())) browserErrors.push(message.text());
      });
      context.on('weberror', (error) => browserErrors.push(error.error().message));
      await use(undefined);
      expect(browserErrors).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };
