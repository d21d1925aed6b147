import { describe, expect, it } from 'vitest';
import { percentOf, progressWords, resultWords, sizeWords } from './export-words';

describe('an export', () => {
  it('is put into words', () => {
    const progress = { rows: 12_000, bytes: 11_240_000, expected: 200_000, pace: 4000 };
    expect(progressWords(progress)).toBe('12,000 of 200,000 rows, 4,000 rows/s, 11.2 MB');
    expect(progressWords({ ...progress, expected: undefined, pace: 'starting' })).toBe(
      '12,000 rows, 11.2 MB',
    );
    expect(progressWords({ ...progress, pace: 'waiting' })).toBe(
      '12,000 of 200,000 rows, 11.2 MB, waiting for the service',
    );
    expect([percentOf(progress), percentOf({ ...progress, expected: 0 })]).toEqual([6, 100]);
    expect([sizeWords(1), sizeWords(2_500_000_000)]).toEqual(['1 kB', '2.50 GB']);
    const result = { kind: 'complete', rows: 9, bytes: 1, fileName: 'r.csv', left: 1, entered: 0 } as const;
    expect(resultWords(result)).toMatch(
      /^Complete: 9 of 10 rows, 1 kB in r.csv. 1 row left the result meanwhile/,
    );
    expect(
      resultWords({
        kind: 'incomplete',
        rows: 9,
        bytes: 1,
        expected: 10,
        fileName: 'r.csv',
        problem: 'Why.',
      }),
    ).toBe('Incomplete: 9 of 10 rows, 1 kB in r.csv. Why.');
  });
});
