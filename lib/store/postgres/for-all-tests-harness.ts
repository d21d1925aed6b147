/** Vitest's global setup and teardown for the tests that run against PostgreSQL. */
import { startPostgres } from '@/e2e/postgres-harness';

export default async function setUp(): Promise<() => Promise<void>> {
  const server = await startPostgres();
  process.env.TEST_POSTGRES_URL = server.url;
  return () => server.stop();
}
