import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { RULE } from '@/lib/pending/rules/rule-ids';
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

it('no time is calm while something acknowledged lasts', async () => {
  const { index, incidents } = services();
  for (const { name } of index.keepers) {
    const [syncedAtMs, pendingAtMs] = [index.now(), index.now()];
    index.report(name, { state: 'live', failure: null, syncedAtMs, pendingAtMs });
  }
  const now = async () => (await problemsNow()) ?? expect.fail();
  await expect.poll(async () => (await now()).quietSinceMs, { timeout: 20_000 }).not.toBeNull();
  const triage = await triageOf(index).now();
  const request = 'main/1/0x1/1/0x1';
  const single = {
    key: request,
    keeper: 'main',
    networkId: '1',
    sequence: '1',
    sinceMs: 0,
    rule: RULE.pastRetryBudget,
  };
  const more = { severity: 'warning', isParked: false, isSettled: false, verdicts: [], sender: undefined };
  vi.spyOn(triageOf(index), 'soon').mockResolvedValue({
    ...triage,
    triage: { ...triage.triage, singles: [{ ...single, ...more } as never] },
  });
  vi.spyOn(incidents, 'acknowledgements', 'get').mockReturnValue([
    { kind: 'request', id: request, atMs: 0, untilMs: null, note: '', by: null, size: 1, cause: null },
  ]);
  expect(await now()).toMatchObject({ problems: [], acknowledged: 1, quietSinceMs: null });
});

it('counts the networks that could be compared, and reports if none was', async () => {
  const { index } = services();
  const compared = (await problemsNow())?.compared;
  expect(compared?.of).toBeGreaterThan(1);
  const slow = vi.spyOn(index.engine, 'snapshot').mockRejectedValue(new Error('too slow'));
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 90_000);
  vi.spyOn(index, 'now').mockReturnValue(index.now() + 90_000);
  expect((await problemsNow())?.compared).toBeNull();
  slow.mockRestore();
});
