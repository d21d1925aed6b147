import { describe, expect, it } from 'vitest';
import type { FeedMark } from '@/lib/contract/codec/feed-marks';
import { hostWords, outageWords } from './mark-words';

const at = (ms: number) => `T${ms}`;
const toSecond: FeedMark = { key: 'a', kind: 'host', fromMs: 10, host: 'upgraded' };
const toFirst: FeedMark = { key: 'b', kind: 'host', fromMs: 20, host: 'updates' };
const outage = (fromMs: number): FeedMark => ({
  key: `o${fromMs}`,
  kind: 'outage',
  fromMs,
  untilMs: fromMs + 14_000,
});

describe('the words about a stream', () => {
  it('say since when it is on the second host, and that it is back on the first', () => {
    expect(hostWords('upgraded', [toSecond], at)).toBe(
      'On the second host since T10, because the first is down.',
    );
    expect(hostWords('upgraded', [], at)).toContain('On the second host,');
    expect(hostWords('updates', [toSecond, toFirst], at)).toBe('Back on the first host since T20.');
    // It has just moved there again, and no stream stands there yet.
    expect(hostWords('upgraded', [toSecond, toFirst], at)).toBe(
      'On the second host, because the first is down.',
    );
    expect(hostWords('updates', [], at)).toBeUndefined();
    expect(hostWords(undefined, [], at)).toBeUndefined();
  });

  it('say how often it was interrupted, and how long', () => {
    expect(outageWords([toSecond], at)).toBeUndefined();
    expect(outageWords([{ ...outage(5), untilMs: undefined }], at)).toBeUndefined();
    expect(outageWords([outage(5)], at)).toBe('Interrupted at T5, for 14 s.');
    expect(outageWords([{ ...outage(5), untilMs: 605 }], at)).toBe(
      'Interrupted at T5, for less than a second.',
    );
    expect(outageWords([outage(1), outage(5)], at)).toBe('Interrupted 2 times, last at T5, for 14 s.');
  });
});
