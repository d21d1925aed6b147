import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { readProblem } from '@/lib/core/problem';
import { problemsNow } from '@/lib/insights/server/problems';
import { dashboard } from '@/lib/pending/server/pending-harness';
import { initialTriage, renderedIndex } from '@/lib/pending/server/triage-answer';
import { resetStreams } from '@/lib/runtime/streams-fixture';
import { offeredNetworks } from '@/lib/services/network-directory';
import { closeServices, services } from '@/lib/services/services';
import { IndexUnavailableError } from '@/lib/store/engine';
import { replyWithMetrics } from './metrics-on-scrape';

const DETAIL = 'The index’s database (PostgreSQL at db.example/keeperscope) is down or unreachable.';

beforeAll(async () => {
  await dashboard('rpc-outage', { SANDBOX_RECORDS: '500' });
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  resetStreams();
  await closeServices();
});

/** @param query fails, or hangs */
function breakIndex(query: () => Promise<never>): void {
  const { engine } = services().index;
  for (const how of ['all', 'snapshot', 'counted', 'openSnapshot'] as const)
    vi.spyOn(engine, how).mockImplementation(query);
  // A new revision and epoch invalidate cached answers.
  vi.spyOn(services().index, 'epoch', 'get').mockReturnValue(services().index.epoch + 1);
  vi.spyOn(services().index, 'revision', 'get').mockReturnValue(services().index.revision + 1000);
}

const scrape = async () => (await replyWithMetrics(new Request('http://localhost/api/metrics'))).text();
const down = async () => Promise.reject(new IndexUnavailableError(DETAIL));

/** Calls the route as Next does. */
async function get(path: string): Promise<Response> {
  const [pathname = ''] = path.split('?');
  const { GET } = await import(/* @vite-ignore */ `../../app${pathname}/route.ts`);
  return GET(new Request(`http://localhost:3000${path}`, { headers: { host: 'localhost:3000' } }));
}

it.each([
  '/api/view/requests?range=1h',
  '/api/view/requests/summary?range=1h',
  '/api/view/requests/values?column=sender',
  '/api/view/requests/find?q=17',
  '/api/view/requests/one?network=8453&sequence=17',
  '/api/view/requests/export?range=1h&format=ndjson',
  '/api/view/requests/export?range=1h&format=parquet',
  '/api/view/pending',
  '/api/view/pending/incident?id=x',
  '/api/view/pending/diagnosis?keeper=main&network=8453&provider=0x1&sequence=17&tx=0x2',
  '/api/view/insights?range=1h',
])('%s names the database that is down', async (path) => {
  breakIndex(down);
  const answer = await get(path);
  expect(answer.status).toBe(503);
  expect(readProblem(await answer.text())).toMatchObject({ kind: 'index-unavailable', detail: DETAIL });
});

it('serves pages that need no index, and the overview names the database', async () => {
  breakIndex(down);
  expect(renderedIndex().pending).toBeNull();
  expect(await initialTriage()).toBeUndefined();
  expect(Array.isArray(await offeredNetworks())).toBe(true);
  const problems = (await problemsNow())?.problems;
  expect(problems).toContainEqual(expect.objectContaining({ about: 'Index', level: 'bad', detail: DETAIL }));
  expect((await get('/api/view/feeds')).status).toBe(200);
  expect((await get('/api/view/services')).status).toBe(200);
});

it.each([
  ['fails', down],
  ['never answers', () => new Promise<never>(() => undefined)],
])('exports metrics without the index within 6 s when its database %s', async (_how, how) => {
  expect(await scrape()).toContain('\nkeeperscope_index_up 1\n');
  breakIndex(how);
  const startedMs = performance.now();
  const text = await scrape();
  expect(performance.now() - startedMs).toBeLessThan(6000);
  expect(text).toContain('\nkeeperscope_index_up 0\n');
  expect(text).not.toMatch(/^keeperscope_(index_rows|network_pending_requests)\{/m);
  expect(text).toContain('\nkeeperscope_service_up{');
});
