import { describe, expect, it } from 'vitest';
import { incidentChanges, isStartKnown } from '@/lib/alerts/history';
import type { IncidentRecord } from '@/lib/core/incident-record';
import { isDegraded } from '@/lib/core/incident-record';
import type { Anomaly } from '@/lib/insights/insights-response';
import { RULE } from '@/lib/pending/rules/rule-ids';
import { RETIRED_AFTER_MS } from '@/lib/requests/keeper-status';
import { sightedNetworks } from './degraded';

const NOW = 1_795_000_000_000;

type Compared = Parameters<typeof sightedNetworks>[0][number];

function network(networkId: string, ...unusual: Anomaly[]): Compared {
  return { keeper: 'main', networkId, lastUs: (NOW - 3_600_000) * 1000, unusual };
}

function degraded(value: number, level: Anomaly['level'] = 'warning', sinceMs: number | null = NOW - 1000) {
  const sinceUs = sinceMs === null ? null : sinceMs * 1000;
  return network('8453', {
    kind: 'callbacks-failing',
    level,
    value,
    usual: 0.01,
    sinceUs,
    sender: null,
  });
}

const silent = (networkId: string) =>
  network(networkId, {
    kind: 'silent',
    level: 'bad',
    value: 0,
    usual: 24,
    sinceUs: (NOW - 3_600_000) * 1000,
    sender: null,
  });

const NOTHING: Omit<Parameters<typeof sightedNetworks>[1], 'nowMs'> = {
  open: [],
  clockAheadMs: () => 0,
  isStopped: () => false,
};

it('a degraded network is recorded from its start to its end, with its worst value', () => {
  const missing = new Map<string, number>();
  let open: IncidentRecord[] = [];
  const look = (atMs: number, networks: Compared[]) => {
    const nowMs = NOW + atMs;
    const { incidents, events } = incidentChanges({
      open,
      detected: sightedNetworks(networks, { ...NOTHING, nowMs }),
      keepers: new Set(['main']),
      watched: new Map(),
      nowMs,
      missing,
      newKey: () => 'key',
    });
    open = incidents.length === 0 ? open : incidents.filter(({ closedMs }) => closedMs === null);
    return { incidents, events: events.map(({ kind, size }) => `${kind} ${size}`) };
  };
  expect(look(0, [degraded(0.467)]).events).toEqual(['opened 467']);
  expect(open).toMatchObject([
    {
      id: 'main/8453/degraded/callbacks-failing',
      networkId: '8453',
      rules: ['callbacks-failing'],
      headline: '46.7% of callbacks failed in the last hour. Usually 1.0%',
      severity: 'warning',
      sinceMs: NOW - 1000,
      peak: 467,
    },
  ]);
  expect(open.every(isDegraded)).toBe(true);
  expect(look(60_000, [degraded(0.62, 'bad')]).events).toEqual([]);
  expect(open).toMatchObject([{ peak: 620, severity: 'critical' }]);
  look(120_000, []);
  expect(look(240_000, []).incidents).toMatchObject([{ closedMs: NOW + 120_000, peak: 620 }]);
});

it('a degraded network whose start was not found did not start at its discovery', () => {
  const opened = (compared: Compared) => {
    const detected = sightedNetworks([compared], { ...NOTHING, nowMs: NOW });
    const shared = { open: [], keepers: new Set(['main']), watched: new Map(), missing: new Map() };
    return incidentChanges({ ...shared, detected, nowMs: NOW, newKey: () => 'key' }).incidents[0];
  };
  const [dated, undated] = [opened(degraded(0.5)), opened(degraded(0.5, 'warning', null))];
  if (dated === undefined || undated === undefined) throw new Error('not recorded');
  expect([dated, undated].map(isStartKnown)).toEqual([true, false]);
});

it('high load is not recorded, and an incident does not count as a degraded network', () => {
  const anomaly = { value: 600, usual: 60, sinceUs: null, sender: null };
  const busy = network('1', { kind: 'busy', level: 'notice', ...anomaly });
  expect(sightedNetworks([busy], { ...NOTHING, nowMs: NOW })).toEqual([]);
  expect([{ rules: [RULE.networkQuiet] }, { rules: [] }].some(isDegraded)).toBe(false);
});

describe('a silent network', () => {
  const ids = (networks: Compared[], more: Partial<typeof NOTHING> = {}) =>
    sightedNetworks(networks, { ...NOTHING, ...more, nowMs: NOW }).map(({ id }) => id);
  const id = (networkId: string) => `main/${networkId}/degraded/silent`;
  const record = (networkId: string): IncidentRecord => ({
    key: networkId,
    id: id(networkId),
    keeper: 'main',
    networkId,
    rules: ['silent'],
    headline: 'no requests',
    severity: 'critical',
    sinceMs: NOW - 3_600_000,
    openedMs: NOW - 3_000_000,
    closedMs: null,
    peak: 0,
    reportedSize: 0,
  });

  it('is recorded on its own, also as part of an outage of many networks', () => {
    expect(ids([silent('1'), silent('2'), silent('3')])).toEqual([id('1'), id('2'), id('3')]);
  });

  it('is not recorded anew beside an incident of its network, and stays until a row arrives', () => {
    const isStopped = () => true;
    expect(ids([silent('1')], { isStopped })).toEqual([]);
    expect(ids([silent('1')], { isStopped, open: [record('1')] })).toEqual([id('1')]);
    expect(ids([network('1')], { open: [record('1')] })).toEqual([id('1')]);
    // Networks silent for long are not compared any more.
    expect(ids([], { open: [record('1')] })).toEqual([id('1')]);
    expect(ids([{ ...network('1'), lastUs: NOW * 1000 }], { open: [record('1')] })).toEqual([]);
  });

  it('ends when its network counts as retired', () => {
    const open = [{ ...record('1'), sinceMs: NOW - RETIRED_AFTER_MS - 1 }];
    expect(ids([], { open })).toEqual([]);
    expect(ids([network('1')], { open })).toEqual([]);
  });
});

it('the start of a problem is by our clock, not by that of the keeper', () => {
  const behind = { ...NOTHING, clockAheadMs: () => -20 * 60_000, nowMs: NOW };
  const began = degraded(0.4, 'warning', NOW - 27 * 60_000);
  expect(sightedNetworks([began], behind).map(({ sinceMs }) => sinceMs)).toEqual([NOW - 7 * 60_000]);
  const undated = degraded(0.4, 'warning', null);
  expect(sightedNetworks([undated], behind).map(({ sinceMs }) => sinceMs)).toEqual([NOW]);
});
