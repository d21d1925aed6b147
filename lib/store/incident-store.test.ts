import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Acknowledgement, IncidentEvent, IncidentRecord, Notice } from '@/lib/core/incident-record';
import { DuckDbEngine } from './duckdb/engine';
import type { IncidentStore } from './incident-store';
import { openIncidents, openStore } from './open';
import { INCIDENT_SCHEMA } from './schema';
import type { IndexStore } from './store';

let folder = '';
let messages: string[] = [];
const open: { close(): Promise<void> }[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'incidents-'));
  messages = [];
});

afterEach(async () => {
  await closeAll();
  rmSync(folder, { recursive: true, force: true });
});

async function closeAll(): Promise<void> {
  for (const store of open.splice(0)) await store.close();
}

async function start(dataDir = folder): Promise<{ index: IndexStore; incidents: IncidentStore }> {
  const keepers = [{ name: 'main', baseUrl: 'http://127.0.0.1:1/logs' }];
  const options = {
    dataDir,
    memoryMb: 256,
    keepers,
    now: Date.now,
    say: (line: string) => messages.push(line),
  };
  const index = await openStore(options);
  const incidents = await openIncidents(options, index);
  open.push(incidents, index);
  return { index, incidents };
}

const acknowledgement: Acknowledgement = {
  kind: 'incident',
  id: 'main/8453/network',
  atMs: 5,
  untilMs: null,
  note: 'we know; “on it”',
  by: 'ana',
  size: 12,
  cause: 'R6',
};
const incident: IncidentRecord = {
  key: 'a',
  id: 'main/8453/network',
  keeper: 'main',
  networkId: '8453',
  rules: ['R6', 'R9'],
  headline: 'it’s the network',
  severity: 'critical',
  sinceMs: 1,
  openedMs: 3,
  closedMs: null,
  peak: 12,
  reportedSize: 12,
};
const event: IncidentEvent = {
  incident: 'a',
  atMs: 3,
  kind: 'opened',
  size: 12,
  rule: 'R6',
  headline: 'it’s the network',
  note: null,
  by: null,
  untilMs: null,
};
const notice: Notice = {
  id: 'a',
  subject: 'keeper/main',
  kind: 'keeper.not-synced',
  title: 'it’s not synced',
  facts: '{}',
  ...{
    sinceMs: null,
    atMs: 3,
    endedMs: null,
    state: 'waiting',
    attempts: 1,
    nextMs: 9,
    sentMs: null,
    error: 'Returned 503',
  },
};
const ALL = { sinceMs: 0, keepers: [], networks: [], limit: 10 };

it('acknowledgements and incidents survive a restart, and new records replace old ones', async () => {
  const { incidents: first } = await start();
  const sent = { ...notice, id: 'b', state: 'sent', endedMs: 7 } as const;
  await first.change({ incidents: [incident], events: [event], acknowledge: [acknowledgement] });
  await first.change({ notices: [notice, sent] });
  await closeAll();
  const { incidents: second } = await start();
  expect(second.openNotices).toEqual([notice]);
  expect(await second.notices(10)).toEqual([notice, sent]);
  expect(second.acknowledgements).toEqual([acknowledgement]);
  expect(second.openIncidents).toEqual([incident]);
  const closed = { ...incident, closedMs: 900 };
  const renewed = { ...acknowledgement, note: 'still', untilMs: 77 };
  await second.change({ incidents: [closed], acknowledge: [renewed] });
  expect(second.acknowledgements).toEqual([renewed]);
  expect(second.openIncidents).toEqual([]);
  expect(await second.history(ALL)).toEqual({ incidents: [closed], events: [event] });
  expect(await second.history({ ...ALL, sinceMs: 901 })).toEqual({ incidents: [], events: [] });
  expect(await second.history({ ...ALL, networks: ['1', '10'] })).toEqual({ incidents: [], events: [] });
  await second.change({ end: [renewed] });
  expect(second.acknowledgements).toEqual([]);
});

it('the notice of a condition that holds is kept, and found however many follow it', async () => {
  const { incidents } = await start();
  const holding = { ...notice, id: 'holds', state: 'sent', atMs: 1, endedMs: null } as const;
  const over = { ...holding, id: 'over', endedMs: 2 };
  const later = { ...over, id: 'later', atMs: 100 * 86_400_000 };
  await incidents.change({ notices: [holding, over] });
  await incidents.change({ notices: [later] });
  expect((await incidents.notices(10)).map(({ id }) => id)).toEqual(['later', 'holds']);
  expect((await incidents.noticesOf(['holds', 'over'])).map(({ id }) => id)).toEqual(['holds']);
});

it('a broken index does not affect incidents, and a broken incident file is moved aside and named', async () => {
  const { incidents } = await start();
  await incidents.change({ acknowledge: [acknowledgement] });
  await closeAll();
  writeFileSync(join(folder, 'index.duckdb'), 'this is no database at all'.repeat(1000));
  const again = await start();
  expect(again.incidents.acknowledgements).toEqual([acknowledgement]);
  await closeAll();
  writeFileSync(join(folder, 'incidents.duckdb'), 'this is no database at all'.repeat(1000));
  const last = await start();
  expect(last.incidents.acknowledgements).toEqual([]);
  const [aside = ''] = readdirSync(folder).filter((name) => name.startsWith('incidents.broken-'));
  expect(messages.at(-1)).toContain(aside);
});

it('incidents live in memory where nothing can be written, and are deleted only with a simulation', async () => {
  writeFileSync(join(folder, 'file'), '');
  const { incidents } = await start(join(folder, 'file', 'none'));
  await incidents.change({ acknowledge: [acknowledgement], incidents: [incident], events: [event] });
  expect(incidents.acknowledgements).toEqual([acknowledgement]);
  await incidents.empty();
  expect([incidents.acknowledgements, incidents.openIncidents]).toEqual([[], []]);
  expect(await incidents.history(ALL)).toEqual({ incidents: [], events: [] });
});

it('the file is copied before its schema changes', async () => {
  const { incidents } = await start();
  await incidents.change({ acknowledge: [acknowledgement] });
  await closeAll();
  const path = join(folder, 'incidents.duckdb');
  const schema = [...INCIDENT_SCHEMA, ['delete from acknowledgements']];
  const newer = await DuckDbEngine.open({ path, memoryMb: 64, schema, backUp: true });
  open.push(newer);
  expect(await newer.all('select * from acknowledgements')).toEqual([]);
  const copy = await DuckDbEngine.open({
    path: `${path}.v${INCIDENT_SCHEMA.length}`,
    memoryMb: 64,
    schema: INCIDENT_SCHEMA,
  });
  open.push(copy);
  expect(await copy.all('select note from acknowledgements')).toEqual([{ note: acknowledgement.note }]);
});
