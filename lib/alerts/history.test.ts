import { expect, it } from 'vitest';
import type { KeptIncident } from '@/lib/core/incident-record';
import type { Incident, RuleId } from '@/lib/pending/answers';
import { CLOSE_AFTER_MS, happenedSince } from './history';

const NOW = 1_795_000_000_000;

/** An incident as triage finds it. */
function seen(size: number, rule: RuleId = 'R6', more: Partial<Incident> = {}): Incident {
  const verdicts = [{ headline: `because of ${rule}` }] as Incident['verdicts'];
  const of = {
    id: 'main/8453/network',
    keeper: 'main',
    networkId: '8453',
    subject: { kind: 'network' } as const,
  };
  return { ...of, rule, severity: 'warning', size, senders: 1, sinceMs: NOW - 500_000, verdicts, ...more };
}

/** Looks again and again, and keeps what a store would keep. */
class Past {
  open: KeptIncident[] = [];
  readonly missing = new Map<string, number>();
  #keys = 0;

  look(atMs: number, found: Incident[], keepers = ['main']) {
    const { incidents, events } = happenedSince({
      ...{ open: this.open, found, keepers: new Set(keepers), nowMs: NOW + atMs, missing: this.missing },
      newKey: () => `key ${++this.#keys}`,
    });
    const changed = new Map(incidents.map((one) => [one.key, one]));
    this.open = [
      ...this.open.map((one) => changed.get(one.key) ?? one),
      ...incidents.filter(({ key }) => this.open.every((one) => one.key !== key)),
    ].filter(({ closedMs }) => closedMs === null);
    return {
      incidents,
      told: events.map(({ kind, size, atMs: at }) => `${kind} ${size} ${at - NOW}`),
      events,
    };
  }
}

it('an incident opens, grows by doubling, keeps its cause with what came later beside it, and closes when it was last seen', () => {
  const past = new Past();
  expect(past.look(0, [seen(5)]).told).toEqual(['opened 5 0']);
  expect(past.look(15_000, [seen(5)])).toMatchObject({ incidents: [], told: [] });
  expect(past.look(30_000, [seen(9)]).told).toEqual([]);
  expect(past.look(45_000, [seen(11)]).told).toEqual(['grew 11 45000']);
  expect(past.look(60_000, [seen(12, 'R9', { severity: 'critical' })]).told).toEqual(['explained 12 60000']);
  expect(past.look(75_000, [seen(12)]).told).toEqual([]);
  expect(past.look(90_000, [seen(12, 'R9')]).told).toEqual([]);
  expect(past.open).toMatchObject([
    {
      rules: ['R6', 'R9'],
      headline: 'because of R6',
      severity: 'critical',
      peak: 12,
      sinceMs: NOW - 500_000,
    },
  ]);
  expect(past.look(100_000, []).told).toEqual([]);
  expect(past.look(100_000 + CLOSE_AFTER_MS, []).told).toEqual(['closed 0 100000']);
  expect(past.open).toEqual([]);
});

it('one that comes and goes at the edge of a rule stays one', () => {
  const past = new Past();
  past.look(0, [seen(5)]);
  past.look(60_000, []);
  expect(past.look(120_000, [seen(5)]).told).toEqual([]);
  expect(past.look(200_000, []).told).toEqual([]);
  expect(past.look(200_000 + CLOSE_AFTER_MS - 1, []).told).toEqual([]);
});

it('nothing is said of a keeper that is not read: what it has stays open, and nothing of it opens', () => {
  const past = new Past();
  past.look(0, [seen(5)]);
  past.look(60_000, [], []);
  expect(past.look(60_000 + 2 * CLOSE_AFTER_MS, [], []).told).toEqual([]);
  expect(past.look(400_000, [seen(9, 'R7', { id: 'other/1/rest', keeper: 'other' })]).told).toEqual([]);
  expect(past.open).toHaveLength(1);
});

it('after it is over the same begins anew', () => {
  const past = new Past();
  past.look(0, [seen(5)]);
  past.look(10_000, []);
  past.look(10_000 + CLOSE_AFTER_MS, []);
  expect(past.look(200_000, [seen(3)]).told).toEqual(['opened 3 200000']);
  expect(past.open).toMatchObject([{ key: 'key 2', rules: ['R6'] }]);
});
