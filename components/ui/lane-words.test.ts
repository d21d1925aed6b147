import { describe, expect, it } from 'vitest';
import type { LaneItem } from './lane-layout';
import { itemWords, laneSummary } from './lane-words';

const TEXT = { number: (digits: string) => digits, moment: () => '12:00:00 UTC' };
const mark = (sequence: number, change: object = {}): LaneItem => ({
  kind: 'request',
  key: String(sequence),
  sequence: String(sequence),
  createdMs: 0,
  state: 'completed',
  twins: [],
  ...change,
});

describe('a lane in words', () => {
  it('says of a request where it stands, what has overtaken it and its twins', () => {
    expect(itemWords(mark(7), TEXT)).toBe('Sequence 7, completed, created 12:00:00 UTC');
    expect(itemWords(mark(8, { state: 'stuck', overtakenBy: 25, twins: ['x'] }), TEXT)).toBe(
      'Sequence 8, stuck, created 12:00:00 UTC, overtaken by 25, 1 twin of the same number',
    );
  });

  it('says which numbers are missing', () => {
    expect(itemWords({ kind: 'gap', from: '4', to: '4', count: '1' }, TEXT)).toBe('1 number missing: 4');
    expect(itemWords({ kind: 'gap', from: '4', to: '6', count: '3' }, TEXT)).toBe(
      '3 numbers missing: 4 to 6',
    );
  });

  it('sums up what stands on it', () => {
    const items: LaneItem[] = [
      mark(1),
      { kind: 'gap', from: '2', to: '4', count: '3' },
      mark(5, { state: 'stuck' }),
    ];
    expect(laneSummary(items, { missingNumbers: '3', overtaken: 0, twins: 0 }, TEXT)).toBe(
      '2 requests, numbers 1 to 5: 1 stuck, 1 completed. Of the numbers between them 3 are missing; 0 overtaken, 0 with a twin.',
    );
    expect(laneSummary([mark(1)], { missingNumbers: '0', overtaken: 0, twins: 0 }, TEXT)).toBe(
      '1 request, numbers 1 to 1: 1 completed. Of the numbers between them no number is missing; 0 overtaken, 0 with a twin.',
    );
    expect(laneSummary([], { missingNumbers: '0', overtaken: 0, twins: 0 }, TEXT)).toBe(
      'No requests in this stretch.',
    );
  });
});
