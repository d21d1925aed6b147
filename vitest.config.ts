import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    alias: {
      '@': at('.'),
      // The marker package throws outside a server bundle; unit tests are the server here.
      'server-only': at('node_modules/server-only/empty.js'),
    },
  },
  test: {
    include: ['lib/**/*.test.ts', 'sandbox/**/*.test.ts', 'scripts/**/*.test.ts', 'components/**/*.test.ts'],
    testTimeout: 60_000,
    // By itself it leaves a core free, and on two cores uses one.
    maxWorkers: '100%',
    // Files of a worker share their modules: loading them anew for each took as long as all tests.
    isolate: false,
    reporters: ['default', ['json', { outputFile: 'reports/unit.json' }]],
  },
});
