import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { dashboard } from '@/lib/pending/server/pending-harness';
import { triageOf } from '@/lib/pending/server/triage';
import { closeServices, services } from '@/lib/services/services';
import { problemsNow } from './problems';

beforeAll(async () => {
  await dashboard('healthy', { SANDBOX_RECORDS: '500' });
  // From here on, only this test reports how far keepers were read.
  await services().sync.close();
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => closeServices());

it('judges each keeper by its present status, not by the one from before the wait for others', async () => {
  const { index } = services();
  const healthy = () => ({
    state: 'live' as const,
    failure: null,
    syncedAtMs: index.now(),
    pendingAtMs: index.now(),
  });
  for (const { name } of index.keepers) index.report(name, healthy());
  const failure = { kind: 'timeout' as const, detail: 'No answer.' };
  index.report('main', { state: 'failing', failure, syncedAtMs: index.now() - 29_500 });
  const triage = triageOf(index);
  const soon = triage.soon.bind(triage);
  vi.spyOn(triage, 'soon').mockImplementation(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    index.report('main', healthy());
    return soon();
  });
  const problems = (await problemsNow())?.problems ?? [];
  expect(problems.filter(({ kind }) => kind === 'keeper')).toEqual([]);
});

it('knows how many networks could be compared, and says when none was', async () => {
  const { index } = services();
  const compared = (await problemsNow())?.compared;
  expect(compared?.of).toBeGreaterThan(1);
  const slow = vi.spyOn(index.engine, 'snapshot').mockRejectedValue(new Error('too slow'));
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 90_000);
  vi.spyOn(index, 'now').mockReturnValue(index.now() + 90_000);
  expect((await problemsNow())?.compared).toBeNull();
  slow.mockRestore();
});
