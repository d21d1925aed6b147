import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The tests of the index that also run over its second engine. */
const OVER_POSTGRES = [
  'lib/store/{store,schema,query-timeouts}.test.ts',
  'lib/store/{queries,postgres}/*.test.ts',
  // When the sync queries, and what it makes of answers, is the same for both engines.
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
      // A Node thread cannot load TypeScript.
      '@/sandbox/thread': pathOf('sandbox/start.ts'),
      '@': pathOf('.'),
      // The marker package throws outside a server bundle; unit tests are the server here.
      'server-only': pathOf('node_modules/server-only/empty.js'),
    },
  },
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Twice the number of cores, because several files mostly wait for leases, pauses and processes of their
    // own.
    maxWorkers: Math.min(8, 2 * availableParallelism()),
    // A larger young generation: tests of the index allocate gigabytes of short-lived objects. Saves a tenth of the time.
    execArgv: ['--max-semi-space-size=64'],
    // Files of a worker share their modules. Loading them again for each file took as long as all tests.
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
          globalSetup: pathOf('lib/store/postgres/for-all-tests-harness.ts'),
        },
      },
    ],
    reporters: ['default', ['json', { outputFile: 'reports/unit.json' }]],
  },
});
