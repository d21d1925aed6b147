import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { givenUpRule, retryEndRule, slowRule, standingByAge, withinNormalRule } from './age-rules';
import { ask, COMPLETED, durations, evidence, finishedRows, NOW, row, rows } from './diagnosis-fixture';
import { settingsWith } from './diagnosis-settings';

const heldAt = (ageS: number, given = {}) =>
  [withinNormalRule, slowRule, retryEndRule, givenUpRule]
    .map((rule) => ask(rule, row(1, { ageS }), given))
    .filter(({ holds }) => holds === 'yes')
    .map(({ rule }) => rule);

describe('R1 to R4', () => {
  it.each([
    [0, 'R1'],
    [59.999, 'R1'],
    [60, 'R2'],
    [300, 'R2'],
    [300.001, 'R3'],
    [420, 'R3'],
    [420.001, 'R4'],
    [86_400, 'R4'],
  ])('an age of %d s is told by %s', (ageS, rule) => {
    expect(heldAt(ageS)).toEqual([rule]);
  });

  it('normal reaches up to the 95th percentile where that is larger', () => {
    const slow = durations(Array.from({ length: 20 }, (_, index) => (index < 18 ? 30 : 90 + index)));
    expect(heldAt(107.999, { finished: slow })).toEqual(['R1']);
    expect(heldAt(108, { finished: slow })).toEqual(['R2']);
  });

  it('a percentile below the setting changes nothing', () => {
    expect(heldAt(59.999, { finished: durations(new Array(20).fill(2)) })).toEqual(['R1']);
  });

  it('a percentile of 19 finished rows does not count, and the verdict says so', () => {
    const given = { finished: durations(new Array(19).fill(200)) };
    expect(heldAt(61, given)).toEqual(['R2']);
    expect(ask(slowRule, row(1, { ageS: 61 }), given).missing).toContain(
      'only 19 finished rows; 20 are needed',
    );
  });

  it('a percentile above every threshold still leaves the first that holds', () => {
    expect(heldAt(500, { finished: durations(new Array(20).fill(600)) })).toEqual(['R1']);
  });

  it('R2 says for how long the keeper should still be retrying', () => {
    expect(ask(slowRule, row(1, { ageS: 180 })).headline).toBe(
      'Slow; the keeper should still be retrying, for 120 s more',
    );
  });

  it('a row from the future of our clock has no age', () => {
    expect(heldAt(-30)).toEqual(['R1']);
  });

  it('does not hold for what is finished, and is not told for states that nobody knows', () => {
    const finished = row(1, { ageS: 900, tookS: 5 });
    const odd = row(1, { ageS: 900, state: { kind: 'unknown', wireName: 'queued' } });
    expect(ask(givenUpRule, finished)).toMatchObject({ holds: 'no' });
    expect(ask(givenUpRule, odd)).toMatchObject({
      holds: 'unknown',
      missing: 'Its state is not one that is known here',
    });
  });

  it('follows the settings of the network', () => {
    const settings = settingsWith({ slowAfterS: 5, retryBudgetS: 10, stuckAfterS: 15 });
    const at = (ageS: number) => standingByAge(row(1, { ageS }), evidence(), settings, NOW).rule;
    expect([at(4), at(10), at(15), at(16)]).toEqual(['R1', 'R2', 'R3', 'R4']);
  });

  it('exclude each other, whatever the age, the percentile and the settings', () => {
    const seconds = fc.double({ min: 0, max: 2000, noNaN: true });
    fc.assert(
      fc.property(
        seconds,
        fc.array(seconds, { maxLength: 40 }),
        fc.tuple(seconds, seconds, seconds),
        (age, took, given) => {
          const [slowAfterS = 0, retryBudgetS = 0, stuckAfterS = 0] = [...given].sort((a, b) => a - b);
          const settings = settingsWith({ slowAfterS, retryBudgetS, stuckAfterS });
          const known = evidence({ finished: durations(took) });
          const request = row(1, { ageS: age });
          const verdicts = [withinNormalRule, slowRule, retryEndRule, givenUpRule].map((rule) =>
            rule(request, known, settings, NOW),
          );
          expect(verdicts.filter(({ holds }) => holds === 'yes')).toHaveLength(1);
          expect(verdicts.filter(({ holds }) => holds === 'no')).toHaveLength(3);
        },
      ),
    );
  });

  it('counts failed requests among the finished, and pending ones not', () => {
    const failed = rows(20, 100, { ageS: 5000, tookS: 200, state: { kind: 'failed' } });
    expect(heldAt(150, { finished: finishedRows(failed) })).toEqual(['R1']);
    expect(
      heldAt(150, { finished: finishedRows(failed.map((one) => ({ ...one, state: COMPLETED }))) }),
    ).toEqual(['R1']);
    expect(heldAt(150, { finished: finishedRows(rows(20, 100, { ageS: 5000 })) })).toEqual(['R2']);
  });
});
