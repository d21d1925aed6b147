import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The tests of the index that run over its second engine too. */
const OVER_POSTGRES = [
  'lib/store/{store,schema,query-timeouts}.test.ts',
  'lib/store/{queries,postgres}/*.test.ts',
  // When the sync asks, and what it makes of answers, is the same over both.
  'lib/store/sync/{audit,history,open-rows,retention,sandbox,index-loss}.test.ts',
  'lib/requests/server/{requests-endpoint,export,export-large}.test.ts',
];

/** Tests that run for minutes (leases, own processes): part of `npm test`, left out of `npm run check` (QUICK). */
const LONG = [
  'lib/pending/server/scenarios.test.ts',
  'lib/onchain/server/sandbox.test.ts',
  'lib/store/{open,store}.test.ts',
  'lib/store/{sync,duckdb}/*.test.ts',
  'lib/requests/server/{requests-endpoint,export,export-large}.test.ts',
  'lib/alerts/server/webhook.test.ts',
  'sandbox/logs/log-world.test.ts',
];

export default defineConfig({
  resolve: {
    alias: {
      // A thread of Node loads no TypeScript.
      '@/sandbox/thread': at('sandbox/start.ts'),
      '@': at('.'),
      // The marker package throws outside a server bundle; unit tests are the server here.
      'server-only': at('node_modules/server-only/empty.js'),
    },
  },
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Twice as many as cores: several files mostly wait, for leases, pauses and processes of their own.
    maxWorkers: Math.min(8, 2 * availableParallelism()),
    // A larger young generation: tests of the index allocate gigabytes of short-lived objects. Saves a tenth of the time.
    execArgv: ['--max-semi-space-size=64'],
    // Files of a worker share their modules: loading them anew for each took as long as all tests.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{lib,sandbox,scripts,components}/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'lib/store/postgres/**', ...(process.env.QUICK ? LONG : [])],
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: OVER_POSTGRES,
          env: { TEST_STORE: 'postgres' },
          globalSetup: at('lib/store/postgres/for-all-tests-harness.ts'),
        },
      },
    ],
    reporters: ['default', ['json', { outputFile: 'reports/unit.json' }]],
  },
});
