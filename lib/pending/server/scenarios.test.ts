import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  incidentAddress,
  incidentPath,
  readIncident,
  type TriageAnswer,
} from '@/lib/pending/pending-response';
import { RULE } from '@/lib/pending/rules/rule-ids';
import { replaceSettings } from '@/lib/platform/settings-fixture';
import { locatorOfKey } from '@/lib/requests/request-address';
import { closeServices } from '@/lib/services/services';
import { SCENARIO_NAMES } from '@/sandbox/scenarios/catalogue';
import {
  dashboard,
  diagnosis,
  getAndRead,
  group,
  play,
  type Report,
  respond,
  triage,
} from './pending-harness';

beforeAll(() => dashboard('healthy'));
afterAll(async () => {
  await closeServices();
  replaceSettings(undefined);
});

/** Scenarios in which requests are stuck; the flood has its own test. */
const SCENARIOS = SCENARIO_NAMES.filter((name) => !/^(healthy|flood|slow-network)$/.test(name));

/** Rules that the first view decides by itself, with the figures of the scenario. */
const SEEN_AT_ONCE: string[] = [RULE.wholeNetwork, RULE.oneSender, RULE.networkQuiet, RULE.batch];
/** Rules about one request alone, which the first view decides by itself. */
const SINGLE: string[] = [
  RULE.reorgedTwin,
  RULE.overtaken,
  RULE.beyondCatchUp,
  RULE.unusualGas,
  RULE.missingSequences,
  RULE.lateRecovery,
];

describe.each(SCENARIOS)('%s', (scenario) => {
  test('is reported by the routes', async () => {
    const report = await play(scenario);
    const answer = await triage();
    expect(answer).toMatchObject({ state: 'complete', index: [{ state: 'live' }, { state: 'live' }] });
    expect(answer.counts).toMatchObject({ missing: 0, unreadable: 0 });
    expect(answer.counts.pending).toBeGreaterThanOrEqual(report.rows);
    const elsewhere = [
      ...answer.incidents.map(({ networkId }) => networkId),
      ...answer.groups.flatMap(({ networkIds }) => networkIds),
    ].filter((networkId) => !report.networks.includes(networkId));
    expect(elsewhere).toEqual([]);
    for (const expected of report.incidents) {
      if (SEEN_AT_ONCE.includes(expected.rule)) expectIncident(answer, expected);
      const [request] = expected.requests;
      if (request === undefined) throw new Error('the scenario names no request');
      const diagnosed = await diagnosis(expected, request);
      expect(diagnosed).toMatchObject({ state: 'complete', missing: [], found: 'one' });
      const holding = diagnosed.diagnosis?.verdicts
        .filter(({ holds }) => holds === 'yes')
        .map(({ rule }) => rule);
      expect(holding).toContain(expected.rule);
      expect(diagnosed.diagnosis?.topRule).toBe(expected.rule);
      if (SINGLE.includes(expected.rule)) await expectSingle(expected);
      expect(diagnosed.diagnosis?.verdicts).toHaveLength(Object.keys(RULE).length);
      expect(diagnosed.markdown).toMatch(new RegExp(`\\(${expected.rule}\\)( \\(estimate\\))?: `));
      expect(diagnosed.request).toMatchObject({ kind: 'record', sequence: String(request.sequence) });
    }
  });
});

/** Checks an incident. Each size is the number of all pending requests there, however young. */
function expectIncident(answer: TriageAnswer, expected: Report['incidents'][0]): void {
  const { keeper, network_id: networkId, pending, senders, since, rule } = expected;
  const incident = answer.incidents.find(
    (incident) => incident.networkId === networkId && incident.rule === rule,
  );
  const seen = JSON.stringify(
    answer.incidents.map((incident) => [incident.id, incident.rule, incident.size]),
  );
  expect(incident, seen).toMatchObject({ keeper, senders, sinceMs: Date.parse(since) });
  expect([incident?.size, seen]).toEqual([pending, seen]);
  const line = answer.activity.find(
    (network) => network.keeper === keeper && network.networkId === networkId,
  );
  expect(line).toMatchObject({ stuck: incident?.size });
}

async function expectSingle({ requests, rule }: Report['incidents'][0]) {
  const sequences = requests.map(({ sequence }) => String(sequence));
  const rulesOf = async () => {
    const groups = await Promise.all((await triage()).groups.map(({ id }) => group(id)));
    return groups
      .flatMap((group) => group.requests)
      .filter(({ sequence }) => sequences.includes(sequence))
      .map((request) => [request.rule, request.isParked]);
  };
  // On a busy machine, single requests are diagnosed with all evidence a little later.
  await expect.poll(rulesOf, { timeout: 15_000 }).toEqual(requests.map(() => [rule, false]));
}

test('a healthy keeper is calm, with the time of the last check', async () => {
  await play('healthy');
  const answer = await triage();
  expect(answer).toMatchObject({ state: 'complete', incidents: [], groups: [] });
  expect(answer.status).toEqual({ kind: 'nothing-stuck', checkedAtMs: answer.checkedAtMs });
  expect(answer.activity).toHaveLength(19);
  expect(answer.activity.every(({ missing }) => missing.length === 0)).toBe(true);
});

test('10,000 pending on 14 networks are reported in full', async () => {
  const report = await play('flood');
  const answer = await triage();
  expect(answer.counts.pending).toBeGreaterThanOrEqual(10_000);
  for (const expected of report.incidents) expectIncident(answer, expected);
});

test('an incident has its rows, a page and a report; an ended incident is not found', async () => {
  const report = await play('rpc-outage');
  const [outage] = (await triage()).incidents;
  if (outage === undefined) throw new Error('no incident');
  const answer = await getAndRead(incidentAddress(outage.id), readIncident);
  expect(answer.rows).toHaveLength(outage.size);
  expect(answer.rows[0]?.key).toBe(outage.oldestKey);
  expect(answer.incident?.id).toBe(outage.id);
  expect(answer.markdown).toContain(`(<http://localhost:3000${incidentPath(outage.id)}>)`);
  expect(answer.markdown).toContain('Base');
  expect(answer.markdown).toContain('$LOGS_API_KEY');
  const { provider, sequence, tx } = locatorOfKey(outage.oldestKey ?? '') ?? {};
  expect(provider).toBe(report.incidents[0]?.provider);
  expect(answer.rows[0]).toMatchObject({ provider, sequence, requestTxHash: tx });
  const gone = await getAndRead(incidentAddress('main/8453/gone'), readIncident);
  expect(gone).toEqual({ revision: gone.revision, atMs: gone.atMs, state: 'complete', rows: [] });
});

test('malformed parameters are refused', async () => {
  await play('healthy');
  for (const address of [
    '/api/view/pending?most=x',
    '/api/view/pending/incident',
    '/api/view/pending/group',
    '/api/view/pending/group?id=R4&from=-1',
    '/api/view/pending/diagnosis?network=base&sequence=1',
    '/api/view/pending/diagnosis?network=1&sequence=-1',
    '/api/view/pending/diagnosis?network=1&sequence=1&keeper=nobody',
  ]) {
    expect((await respond(address)).status, address).toBe(400);
  }
  expect((await respond('/api/view/pending', { method: 'HEAD' })).status).toBe(200);
  expect((await respond('/api/view/pending', { method: 'POST' })).status).toBe(405);
});

test('the operator’s thresholds decide', async () => {
  const env = { PENDING_SLOW_S: '1', PENDING_RETRY_S: '2', PENDING_STUCK_S: '3' };
  await closeServices();
  const report = await dashboard('slow', env);
  const answer = await triage();
  expect(answer.settings.others).toEqual({
    slowAfterS: 1,
    retryBudgetS: 2,
    stuckAfterS: 3,
    backlogBlocks: 1000,
    origin: 'configured',
  });
  expect(answer.status.kind).toBe('stuck');
  const [slow] = report.incidents;
  const [request] = slow?.requests ?? [];
  if (slow === undefined || request === undefined) throw new Error('nothing slow');
  const diagnosed = await diagnosis(slow, request);
  expect(diagnosed.settings.origin).toBe('configured');
  expect(diagnosed.diagnosis?.verdicts.find(({ rule }) => rule === RULE.pastRetryBudget)?.holds).toBe('yes');
});
