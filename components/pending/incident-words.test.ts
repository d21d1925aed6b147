import { expect, it } from 'vitest';
import type { PastIncident } from '@/lib/alerts/history';
import { RULE } from '@/lib/pending/rules/rule-ids';
import { incidentLengthText, incidentRequestsPath, startText } from './incident-words';

const NOW = 1_795_000_000_000;

function pastIncident(rule: string, sinceMs: number): PastIncident {
  const place = { key: 'key', id: 'id', keeper: 'main', networkId: '8453' };
  const text = { rules: [rule], headline: '', severity: 'warning', events: [] };
  return { ...place, ...text, sinceMs, openedMs: NOW, closedMs: NOW + 300_000, peak: 1, reportedSize: 1 };
}

it('a start that was not found is before the discovery, and its duration is a minimum', () => {
  const textOf = (incident: PastIncident) => [
    startText(incident, () => '14:03'),
    incidentLengthText(incident, NOW),
  ];
  expect(textOf(pastIncident('slow', NOW))).toEqual(['before 14:03', 'over 5 min']);
  expect(textOf(pastIncident('slow', NOW - 60_000))).toEqual(['14:03', '6 min']);
  expect(textOf(pastIncident(RULE.wholeNetwork, NOW))).toEqual(['14:03', '5 min']);
});

it('requests of an incident are found by the clock of their keeper', () => {
  const incident = { ...pastIncident(RULE.wholeNetwork, NOW), clockAheadMs: -20 * 60_000 };
  const params = new URL(incidentRequestsPath(incident), 'http://x').searchParams;
  const ms = ['from', 'to'].map((name) => Date.parse(params.get(name) ?? ''));
  expect(ms).toEqual([NOW - 20 * 60_000, NOW - 15 * 60_000]);
});
