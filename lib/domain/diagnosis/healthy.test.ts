import fc from 'fast-check';
import { expect, it } from 'vitest';
import { diagnose } from './all-rules';
import {
  all,
  around,
  finishedRows,
  keeper,
  known,
  NOW,
  network,
  row,
  senderOf,
  settingsOf,
} from './diagnosis-fixture';
import { USUAL_SETTINGS } from './diagnosis-settings';
import { noEvidence } from './evidence';
import { standingOf } from './incident';
import { isFinished } from './logged-row';
import { triage } from './triage';

/** A network that works: a request every `gapS` or so, of 12 senders, each done after 2 to 40 s. */
function healthyRows(gapS: number, dice: number[]) {
  return Array.from({ length: 800 }, (_, index) => {
    const [a = 0, b = 0] = [dice[index % dice.length], dice[(index * 7 + 3) % dice.length]];
    const ageS = index * gapS + a * gapS;
    const tookS = 2 + b * 38;
    const sender = senderOf(Math.floor(((a + b) % 1) * 12));
    return row(9000 - index, { ageS, sender, ...(tookS <= ageS ? { tookS } : {}) });
  });
}

const dice = fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 5, maxLength: 60 });

it('of a keeper that works nothing is said but that it is within normal', () => {
  fc.assert(
    fc.property(dice, fc.constantFrom(0.2, 1, 5, 60), (thrown, gapS) => {
      const list = healthyRows(gapS, thrown);
      const pending = list.filter((one) => !isFinished(one));
      const finished = finishedRows(list.filter(isFinished));
      const newest = known(list[0] ?? null);
      const lastDay = known(Math.round(86_400 / gapS));
      const found = triage(
        [keeper(pending, [network('8453', { newest, lastDay, finished })])],
        settingsOf,
        NOW,
      );
      expect(found).toMatchObject({ incidents: [], singles: [], slow: [] });
      expect(standingOf(found).kind).toBe('nothing-stuck');
      const window = around(list.filter((one) => one.createdAt.ms >= NOW - 900_000));
      const evidence = { ...noEvidence(''), pending: all(pending), window, newest, lastDay, finished };
      for (const request of pending.slice(0, 5)) {
        const { top, verdicts } = diagnose(request, evidence, USUAL_SETTINGS, NOW);
        expect(top?.rule).toBe('R1');
        const held = verdicts.filter(({ holds }) => holds === 'yes').map(({ rule }) => rule);
        expect(held.filter((rule) => /^R([3-9]|10)$/.test(rule))).toEqual([]);
      }
    }),
    { numRuns: 20 },
  );
});
