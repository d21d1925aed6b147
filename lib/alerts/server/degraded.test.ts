import { expect, it } from 'vitest';
import { incidentChanges, isStartKnown } from '@/lib/alerts/history';
import type { IncidentRecord } from '@/lib/core/incident-record';
import { isDegraded } from '@/lib/core/incident-record';
import { type Problem, problemOf } from '@/lib/insights/problem';
import { sightedNetworks } from './degraded';

const NOW = 1_795_000_000_000;

function degraded(value: number, level: Problem['level'] = 'warning'): Problem {
  const unusual = {
    kind: 'callbacks-failing',
    level,
    value,
    usual: 0.01,
    sinceUs: null,
    sender: null,
  } as const;
  return problemOf({
    id: 'network/main/8453/callbacks-failing',
    kind: 'network',
    level,
    networks: ['8453'],
    text: '46.7% of callbacks failed in the last hour',
    detail: 'Usually 1%',
    sinceMs: NOW - 1000,
    href: '/requests',
    unusual: { ...unusual, keeper: 'main' },
  });
}

it('a degraded network is recorded from its start to its end, with its worst value', () => {
  const missing = new Map<string, number>();
  let open: IncidentRecord[] = [];
  const look = (atMs: number, problems: Problem[]) => {
    const nowMs = NOW + atMs;
    const { incidents, events } = incidentChanges({
      open,
      detected: sightedNetworks(problems, nowMs),
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
      headline: '46.7% of callbacks failed in the last hour. Usually 1%',
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
  const opened = (problem: Problem) => {
    const detected = sightedNetworks([problem], NOW);
    const shared = { open: [], keepers: new Set(['main']), watched: new Map(), missing: new Map() };
    return incidentChanges({ ...shared, detected, nowMs: NOW, newKey: () => 'key' }).incidents[0];
  };
  const [dated, undated] = [opened(degraded(0.5)), opened({ ...degraded(0.5), sinceMs: null })];
  if (dated === undefined || undated === undefined) throw new Error('not recorded');
  expect([dated, undated].map(isStartKnown)).toEqual([true, false]);
});

it('problems of other kinds are not recorded, and an incident does not count as a degraded network', () => {
  const { unusual: _, ...other } = degraded(0.5);
  expect(sightedNetworks([other], NOW)).toEqual([]);
  expect([{ rules: ['R9'] }, { rules: [] }].some(isDegraded)).toBe(false);
});
