import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rangeMs } from './view';
import { describeTotal, nothingText, pendingText, rangeText, timeText, typedRange } from './view-labels';
import { parseRequestsUrl } from './view-url';

describe('typedRange', () => {
  it('reads a length as people write it', () => {
    expect(['45m', '2d', '90s', ' 2 Days ', 'last 3 hours', '1w', '10 min', '007h'].map(typedRange)).toEqual([
      '45m',
      '2d',
      '90s',
      '2d',
      '3h',
      '7d',
      '10m',
      '7h',
    ]);
  });

  it('rejects text that is not a range', () => {
    for (const text of ['', '5', 'm', '1.5h', '-1h', '0s', '5 months', '99999999d', '9'.repeat(400)]) {
      expect(typedRange(text)).toBeUndefined();
    }
  });

  it('returns a range that a link can hold and that reads back the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30_000 }), fc.constantFrom(...'smhdSMHD'), (count, unit) => {
        const range = typedRange(`${count} ${unit}`);
        expect(range).toBe(`${count}${unit.toLowerCase()}`);
        expect(rangeMs(range ?? '')).toBeGreaterThan(0);
        expect(typedRange(range ?? '')).toBe(range);
        expect(typedRange(rangeText(range ?? ''))).toBe(count === 1 ? undefined : range);
      }),
    );
  });
});

it('pendingText counts the stuck requests only if they are some of the pending ones', () => {
  const texts = [pendingText(1200, 0), pendingText(1200, 4), pendingText(4, 4), pendingText(1, 1)];
  expect(texts).toEqual(['1,200', '1,200, 4 stuck', '4, all stuck', '1, stuck']);
  expect(pendingText(5, 5, 300)).toBe('5, all stuck, 300 no longer served');
  expect(pendingText(0, 0, 1)).toBe('0, 1 no longer served');
});

it('describeTotal of pending requests tells those that are no longer served, as other pages do not count them', () => {
  const text = (params: string, gone: number) => {
    const { view } = parseRequestsUrl(new URLSearchParams(params));
    return describeTotal('9', view, { network: String }, '2026-11-20T09:00:00Z', gone);
  };
  expect(text('state=pending&range=1h', 2)).toBe(
    '9 requests in the last 1 h, pending, 2 of them no longer served',
  );
  expect(text('state=pending&state=failed&range=1h', 2)).toBe(
    '9 requests in the last 1 h, pending and failed, 2 pending ones no longer served',
  );
  expect(text('state=pending&range=1h', 0)).toBe('9 requests in the last 1 h, pending');
  expect(text('state=failed&range=1h', 2)).toBe('9 requests in the last 1 h, failed');
});

it('timeText ends a sentence with any range of time', () => {
  expect(timeText({ kind: 'all' })).toBe('in all time');
  expect(timeText({ kind: 'last', range: '1h' })).toBe('in the last 1 h');
  expect(timeText({ kind: 'between', to: '2026-11-20T08:00Z' })).toBe('until 2026-11-20 08:00:00 UTC');
  expect(timeText({ kind: 'between', from: '2026-11-20T08:00Z' })).toBe('since 2026-11-20 08:00:00 UTC');
  const today = (ms: number, withDay = false) => (withDay || ms === 0 ? `1970-01-01 at ${ms}` : `at ${ms}`);
  const between = { kind: 'between', from: '1970-01-01T00:00Z', to: '1970-01-02T00:00Z' } as const;
  expect(timeText(between, undefined, today)).toBe('from 1970-01-01 at 0 to 1970-01-01 at 86400000');
  const isoDay = (ms: number, withDay = false) =>
    withDay || ms < 86_400_000 ? `1970-01-01 at ${ms}` : `at ${ms}`;
  const backwards = { kind: 'between', from: '1970-01-02T00:00Z', to: '1970-01-01T00:00Z' } as const;
  expect(timeText(backwards, undefined, isoDay)).toBe('from 1970-01-01 at 86400000 to 1970-01-01 at 0');
  const words = (ms: number) => `second ${ms / 1000}`;
  expect(timeText({ kind: 'all' }, '1970-01-01T00:00:05Z', words)).toBe('until second 5');
});

it('describeTotal says "so far" of a range that ends after the moment of its count', () => {
  const text = (params: string, countedUntil: string) => {
    const { view } = parseRequestsUrl(new URLSearchParams(params));
    return describeTotal('3', view, { network: String }, countedUntil);
  };
  const range = 'from=2026-11-20T08:00Z&to=2026-11-20T10:00Z';
  expect(text(range, '2026-11-20T09:00:00Z')).toMatch(/^3 requests so far from /);
  expect(text(range, '2026-11-20T10:00:00Z')).toMatch(/^3 requests from /);
  expect(text('from=2026-11-21T08:00Z', '2026-11-20T10:00:00Z')).toMatch(/^3 requests so far since /);
  expect(text('range=1h', '2026-11-20T10:00:00Z')).toBe('3 requests in the last 1 h');
});

it('a range ends at the last read of its keepers, and no request is denied that nobody read', () => {
  const lastReadMs = Date.parse('2026-11-20T04:00:00Z');
  const asof = '2026-11-20T04:00:00Z';
  const { view } = parseRequestsUrl(new URLSearchParams('range=1h'));
  expect(describeTotal('3', view, { network: String, lastReadMs }, asof)).toBe(
    '3 requests in the 1 h before 2026-11-20 04:00:00 UTC',
  );
  expect(nothingText(view, { lastReadMs }, asof, ['main'])).toBe(
    'No requests in the 1 h before 2026-11-20 04:00:00 UTC with these filters. Newer ones are not synced.',
  );
  expect(nothingText(view, {}, asof, ['test'])).toBe(
    'No requests in the last 1 h with these filters. Newer ones of test are not synced.',
  );
  expect(nothingText(view, {}, asof, [])).toBe('No requests in the last 1 h with these filters.');
});
