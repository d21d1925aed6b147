import { expect, it } from 'vitest';
import {
  BASE,
  finishedRows,
  keeper,
  known,
  NOW,
  network,
  rows,
  senderOf,
  settingsOf,
} from './diagnosis-fixture';
import { triage } from './triage';

/** 400 pending of 8 senders, one a second, from 20 minutes ago on. */
const pending = rows(400, 0, (step) => ({ ageS: 1200 - step, sender: senderOf(step % 8) }));
/** The newest 200 rows are all pending: what finished before them is out of view. */
const sample = finishedRows(pending.slice(200), NOW - 1_000_000);
const counted = (total: number) => ({ fromMs: NOW - 1_200_000, toMs: NOW, total });

it('a count of the whole stretch explains more than finished rows that reach only part of it', () => {
  const all = network(BASE, { finished: sample, counts: [known(counted(450))] });
  const { incidents } = triage([keeper(pending, [all])], settingsOf, NOW);
  expect(incidents.map(({ rule, size }) => [rule, size])).toEqual([['R6', 400]]);
  expect(incidents[0]?.verdicts[0]?.evidence.map(({ id }) => id)).toEqual(['E1', 'count']);
});

it('where the count does not say so, the part that finished rows reach is still the whole network', () => {
  const some = network(BASE, { finished: sample, counts: [known(counted(900))] });
  const { incidents } = triage([keeper(pending, [some])], settingsOf, NOW);
  expect(incidents.map(({ rule, size }) => [rule, size])).toEqual([
    ['R6', 200],
    ['R4', 200],
  ]);
});
