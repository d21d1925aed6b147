import { defineConfig } from '@playwright/test';

const CACHED = 'feed-stream.spec.ts';
/** Pages of tests live for seconds, so compiling frequently used code costs a tenth more than it saves. */
const UNOPTIMIZED = '--js-flags=--no-opt,--no-maglev';

/** Each worker has a dashboard on its own sandbox (e2e/fixtures.ts), so files can run side by side. */
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'reports/e2e',
  fullyParallel: false,
  // One more than the cores of a small machine. Two would leave a sixth of them idle, because tests also wait
  // for events.
  workers: 3,
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  // A shared machine is several times slower.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [['list'], ['json', { outputFile: 'reports/e2e.json' }]],
  use: {
    // Recording a video would need a download of Playwright's own.
    video: 'off',
    trace: 'off',
    screenshot: 'only-on-failure',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    launchOptions: { executablePath: process.env.CHROMIUM || undefined, args: [UNOPTIMIZED] },
  },
  projects: [
    {
      // Playwright turns the back-forward cache off, and a headless shell has none.
      name: 'with a cache',
      testMatch: CACHED,
      use: {
        launchOptions: {
          executablePath: process.env.CHROMIUM_WITH_CACHE || process.env.CHROMIUM || undefined,
          ignoreDefaultArgs: ['--disable-back-forward-cache'],
          args: [UNOPTIMIZED],
        },
      },
    },
    { name: 'all others', testMatch: '*.spec.ts', testIgnore: CACHED },
  ],
});
