import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Programs against the production server, which has to be built. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  resolve: { alias: { '@': fileURLToPath(new URL('../..', import.meta.url)) } },
  test: {
    include: ['e2e/http/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000, interval: 100 } },
    // Twice as many as a small machine has cores: tests wait half of the time.
    maxWorkers: 4,
    isolate: false,
    reporters: ['default', ['json', { outputFile: 'reports/http.json' }]],
  },
});
