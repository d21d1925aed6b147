import { describe, expect, it } from 'vitest';
import { readFeedStreamQuery } from './stream-query';

const A = 'ab'.repeat(32);
const B = 'cd'.repeat(32);
const read = (query: string) => readFeedStreamQuery(new URLSearchParams(query));

describe('the query of the pages stream', () => {
  it('takes ids in any spelling, separated or repeated, each once', () => {
    const query = read(`ids=${A},0x${A.toUpperCase()}&ids=${B}&ids%5B%5D=${B}`);
    expect(query).toEqual({ ok: true, value: { ids: [A, B], malformed: [], maxPerS: undefined } });
  });

  it('keeps good ids beside malformed ones', () => {
    const query = read(`ids=${A},BTC,${'x'.repeat(500)}`);
    expect(query.ok && query.value.malformed).toEqual(['BTC', 'x'.repeat(80)]);
  });

  it.each([
    ['5', 5],
    ['0.5', 0.5],
  ])('takes the rate %s', (text, rate) => {
    const query = read(`ids=${A}&max_per_s=${text}`);
    expect(query.ok && query.value.maxPerS).toBe(rate);
  });

  it.each(['0', '0.000', '-1', 'many', '', '1e3', '99999', '5&max_per_s=6'])(
    'refuses the rate "%s"',
    (text) => {
      expect(read(`ids=${A}&max_per_s=${text}`)).toMatchObject({
        ok: false,
        failure: { kind: 'bad-request' },
      });
    },
  );

  it('refuses a stream without any id, and one with too many', () => {
    expect(read('').ok).toBe(false);
    expect(read('ids=,,').ok).toBe(false);
    expect(read('ids=BTC').ok).toBe(false);
    const many = Array.from({ length: 200 + 1 }, (_, n) => n.toString(16).padStart(64, '0'));
    expect(read(`ids=${many.join()}`).ok).toBe(false);
    expect(read(`ids=${many.slice(1).join()}`).ok).toBe(true);
  });
});
