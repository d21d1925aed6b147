import { describe, expect, it } from 'vitest';
import { readOne, readPage, rowText } from '@/lib/domain/log-row-fixture';
import { ok } from '@/lib/domain/outcome';
import {
  placeAmongUsual,
  placeWords,
  stateSentence,
  usualDuration,
  usualOf,
  usualWords,
} from './request-facts';

const START = Date.parse('2026-11-20T08:00:00Z');
const { signal } = new AbortController();

/** A completed request that took so many milliseconds. */
const took = (ms: number, change: Record<string, string> = {}) =>
  rowText({
    created_at: '"2026-11-20T08:00:00Z"',
    last_updated_at: JSON.stringify(new Date(START + ms).toISOString()),
    state: '{"state":"completed","callback_failed":false}',
    ...change,
  });
const hundred = Array.from({ length: 100 }, (_, index) => took((index + 1) * 1000));

describe('what is usual on a network', () => {
  it('is the median and the 95th percentile of the completed requests there, with their number', () => {
    const others = [
      took(9e9, { network_id: '"1"' }),
      took(9e9, { state: '{"state":"pending"}' }),
      took(9e9, { state: '{"state":"failed"}' }),
      '{}',
    ];
    expect(usualOf(readPage([...others, ...hundred]).rows, '42161')).toEqual({
      kind: 'known',
      usual: { medianMs: 50_500, p95Ms: 95_000, n: 100 },
    });
  });

  it('is not known of fewer than 20', () => {
    expect(usualOf(readPage(hundred.slice(0, 19)).rows, '42161')).toEqual({ kind: 'few', n: 19 });
    expect(usualOf(readPage(hundred.slice(0, 20)).rows, '42161').kind).toBe('known');
  });

  it('is asked for with one question', async () => {
    const queries: string[] = [];
    const ask = async (query: URLSearchParams) => {
      queries.push(query.toString());
      return ok(`{"requests":[${hundred.join(',')}],"total_results":100}`);
    };
    expect(await usualDuration('42161', 'main', ask, signal)).toMatchObject({ value: { usual: { n: 100 } } });
    expect(queries).toEqual(['network_id=42161&state=Completed&limit=500&keeper=main']);
  });

  it('is said with what it counts', () => {
    expect(usualWords({ medianMs: 2100, p95Ms: 65_000, n: 487 }, 'Base')).toBe(
      'Median 2.1 s, 95 % within 1 min 05 s, of the last 487 completed requests on Base',
    );
  });

  it('has a place for every length of time', () => {
    const usual = { medianMs: 10, p95Ms: 100, n: 20 };
    expect([10, 11, 100, 101].map((ms) => placeAmongUsual(ms, usual))).toEqual([
      'usual',
      'slow',
      'slow',
      'very-slow',
    ]);
    expect(placeWords('very-slow', 'age')).toBe('Longer than 95 % of them took.');
  });
});

describe('where a request stands', () => {
  it.each([
    ['{"state":"pending"}', /confirm on chain/],
    ['{"state":"completed","callback_failed":true}', /callback of the contract failed/],
    ['{"state":"completed"}', /does not say/],
    ['{"state":"levitating"}', /does not know/],
  ])('is a sentence: %s', (state, words) => {
    expect(stateSentence(readOne({ state }))).toMatch(words);
  });
});
