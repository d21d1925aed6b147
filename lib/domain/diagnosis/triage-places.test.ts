import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  BASE,
  finishedRows,
  hashOf,
  keeper,
  known,
  NOW,
  network,
  row,
  senderOf,
  settingsOf,
} from './diagnosis-fixture';
import { triage } from './triage';

const anyRow = fc
  .record({
    sequence: fc.bigInt({ min: 0n, max: 60n }),
    ageS: fc.integer({ min: -10, max: 4000 }),
    sender: fc.integer({ min: 0, max: 6 }),
    tx: fc.integer({ min: 0, max: 30 }),
    networkId: fc.constantFrom('1', '10', BASE),
  })
  .map(({ sequence, ageS, sender, tx, networkId }) =>
    row(0, {
      sequence: String(sequence),
      ageS,
      sender: senderOf(sender),
      requestTxHash: hashOf(tx),
      networkId,
    }),
  );

it('every pending request is in exactly one place, whatever is known', () => {
  const evidence = fc.record({
    counts: fc.array(
      fc.nat(200).map((total) => known({ fromMs: NOW - 200_000, toMs: NOW, total })),
      { maxLength: 2 },
    ),
    lastDay: fc.nat(300).map((count) => known(count)),
    newest: fc.integer({ min: 0, max: 5000 }).map((ageS) => known(row(1, { ageS, requestBlock: '2500' }))),
    finished: fc
      .array(anyRow, { maxLength: 40 })
      .map((list) =>
        finishedRows(
          list.map((one) => ({ ...one, state: { kind: 'completed' as const, callback: 'ok' as const } })),
        ),
      ),
  });
  fc.assert(
    fc.property(
      fc.array(anyRow, { maxLength: 120 }),
      fc.option(evidence, { nil: undefined }),
      (list, given) => {
        const networks = given === undefined ? [] : [network(BASE, given), network('10', given)];
        const found = triage([keeper(list, networks)], settingsOf, NOW);
        const placed = [
          ...found.incidents.flatMap((one) => one.rows),
          ...found.singles.map(({ key }) => key),
          ...found.slow,
          ...found.withinNormal,
        ];
        expect(placed.sort()).toEqual([...new Set(list.map(({ key }) => key))].sort());
        expect(found.pending).toBe(placed.length);
        expect(new Set(found.incidents.map(({ id }) => id)).size).toBe(found.incidents.length);
        expect(
          found.incidents.every(
            ({ rows: keys, size, verdicts, rule }) => keys.length === size && verdicts[0]?.rule === rule,
          ),
        ).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});
