import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FeedMark, readFeedMarks } from './feed-marks';
import { plainText, readFeedStreamEvent, snapshotText } from './feed-stream';

const count = fc.nat(2_000_000_000);
const mark: fc.Arbitrary<FeedMark> = fc.record(
  {
    key: fc.string(),
    kind: fc.constantFrom('outage' as const, 'planned' as const, 'host' as const),
    fromMs: count,
    untilMs: count,
    host: fc.constantFrom('updates' as const, 'upgraded' as const),
    ids: fc.array(fc.string()),
  },
  { requiredKeys: ['key', 'kind', 'fromMs'] },
);

describe('marks', () => {
  it('are read back as they were written, alone and in a snapshot', () => {
    fc.assert(
      fc.property(fc.array(mark, { minLength: 1, maxLength: 5 }), (marks) => {
        expect(readFeedStreamEvent('marks', plainText({ marks }))).toEqual({
          name: 'marks',
          value: { marks },
        });
        const snapshot = snapshotText([], [], { state: 'live', sinceMs: 1, host: 'upgraded' }, marks);
        expect(readFeedStreamEvent('snapshot', snapshot)).toMatchObject({
          value: { marks, connection: { host: 'upgraded' } },
        });
      }),
    );
  });

  it('of a later version are left out, the others stay', () => {
    const good = { key: 'a', kind: 'planned', fromMs: 1 };
    const odd = [null, 5, {}, { ...good, kind: 'eclipse' }, { ...good, fromMs: '1' }, { ...good, key: 1 }];
    expect(readFeedMarks([...odd, { ...good, host: 'third', untilMs: null }])).toEqual([good]);
    expect(readFeedMarks('none')).toEqual([]);
  });
});
