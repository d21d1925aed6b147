import { afterEach, expect, test } from 'vitest';
import { RULE } from '@/lib/pending/rules/rule-ids';
import { dashboard } from '@/lib/pending/server/pending-harness';
import { readSettings } from '@/lib/platform/settings';
import { replaceSettings } from '@/lib/platform/settings-fixture';
import { closeServices, services, startServices } from '@/lib/services/services';
import { writeFact } from '@/lib/store/queries/sync';
import { incidentHistory } from './history';
import { recordIncidents } from './incident-watch';

afterEach(async () => {
  await closeServices();
  replaceSettings(undefined);
});

test('the recording has not begun before the pending requests of each keeper were examined', async () => {
  const settings = readSettings({ SANDBOX_PORT: '0', SANDBOX_RECORDS: '1500', LOG_LEVEL: 'silent' });
  replaceSettings(settings);
  const { sync } = await startServices(settings);
  const isRecording = async (keeper?: string) =>
    (await incidentHistory({ range: '24h', keeper })).isRecording;
  expect(await isRecording()).toBe(false);
  sync.start();
  await expect.poll(() => isRecording(), { timeout: 20_000 }).toBe(true);
  expect(await isRecording('none')).toBe(false);
});

test('an open incident has the cause from the chain and the cause from the log', async () => {
  await dashboard('bad-contract');
  const open = async () =>
    (await incidentHistory({ range: '24h' })).incidents.find(({ closedMs }) => closedMs === null);
  await expect
    .poll(open, { timeout: 20_000 })
    .toMatchObject({ rules: [RULE.oneSender], chain: { cause: { title: 'Callback reverts' } } });
});

test('the recording of all keepers began with the last of them', async () => {
  await dashboard('healthy');
  await recordIncidents();
  await services().sync.close();
  const { index } = services();
  const [main = 0] = index.keeperIds(['main']);
  // Its rows are older, but were read before its pending requests were examined.
  const earlier = [{ fromMs: index.now() - 86_400_000, toMs: index.now() }];
  await index.engine.write((session) => writeFact(session, main, 'watched', JSON.stringify(earlier)));
  const since = async (keeper?: string) => (await incidentHistory({ range: '24h', keeper })).recordedFromMs;
  const [ofMain, ofTest] = [await since('main'), await since('test')];
  expect(ofMain).toBeLessThan(ofTest ?? 0);
  expect(await since()).toBe(ofTest);
});

test('no time is free of stuck requests while a keeper was never examined', async () => {
  await dashboard('healthy');
  await recordIncidents();
  const { index } = services();
  const [unread = 0] = index.keeperIds(['test']);
  await services().sync.close();
  await index.engine.write(({ run }) => run(`delete from keeper_facts where keeper_id = ${unread}`));
  // The examination of the other keeper goes on.
  index.report('test', { syncedAtMs: null, pendingAtMs: null });
  await index.touch();
  const ofAll = await incidentHistory({ range: '24h' });
  expect(ofAll.recordedFromMs).toBeNull();
  expect(ofAll.steps.every(({ calmMs, partialMs }) => calmMs + partialMs === 0)).toBe(true);
  // The log tells, as its rows are read.
  expect(ofAll.unrecorded).toEqual({
    nothing: [],
    fromLog: [{ fromMs: ofAll.axis.fromMs, toMs: ofAll.nowMs }],
    stuckOnly: [],
  });
  expect((await incidentHistory({ range: '24h', keeper: 'main' })).recordedFromMs).not.toBeNull();
});

test('an incident began by our clock, whatever that of its keeper says', async () => {
  await dashboard('rpc-outage');
  const { index, incidents } = services();
  await services().sync.close();
  const aheadMs = 20 * 60_000;
  index.report('main', { clockAheadMs: aheadMs });
  await index.touch();
  const { triage } = await recordIncidents();
  const detected = triage.incidents.find(({ keeper }) => keeper === 'main') ?? expect.fail();
  const recorded = incidents.openIncidents.find(({ id }) => id === detected.id);
  expect(recorded?.sinceMs).toBe(detected.sinceMs - aheadMs);
  const [evidence] = detected.verdicts[0]?.evidence ?? [];
  expect(evidence?.atMs).toBeLessThanOrEqual(index.now());
});
