import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST_RECENTS, readRecents, recentRequests, rememberRequest } from './recent';

/** A browser's storage, or one that refuses everything. */
function storageOf(kind: 'open' | 'full') {
  const values = new Map<string, string>();
  return {
    values,
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => {
      if (kind === 'full') throw new Error('QuotaExceededError');
      values.set(key, value);
    },
  };
}

describe('recent requests', () => {
  it('come back latest first, each path once', () => {
    const storage = storageOf('open');
    for (const sequence of [1, 2, 3, 2])
      rememberRequest(`Base ${sequence}`, `/requests/8453/${sequence}`, storage);
    expect(recentRequests(storage).map(({ label }) => label)).toEqual(['Base 2', 'Base 3', 'Base 1']);
  });

  it('are never more than the bound', () => {
    const storage = storageOf('open');
    for (let turn = 0; turn < 3 * MOST_RECENTS; turn++)
      rememberRequest(`r${turn}`, `/requests/1/${turn}`, storage);
    expect(recentRequests(storage)).toHaveLength(MOST_RECENTS);
    expect(recentRequests(storage)[0]?.label).toBe('r59');
  });

  it('never lead out of the dashboard, whatever stands in the storage', () => {
    const places = [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      '/\n\\evil.example',
      '/fine/\r../evil',
      '/.//evil.example',
      'javascript:alert(1)',
      '',
      '/fine',
    ];
    const text = JSON.stringify(places.map((path) => ({ label: 'x', path })));
    expect(readRecents(text).map(({ path }) => path)).toEqual(['/fine']);
  });

  it('survive any text in the storage', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        for (const { label, path } of readRecents(text))
          expect([typeof label, path[0]]).toEqual(['string', '/']);
      }),
    );
  });

  it('are not kept where the browser refuses, without a word', () => {
    const storage = storageOf('full');
    rememberRequest('Base 1', '/requests/8453/1', storage);
    expect(recentRequests(storage)).toEqual([]);
  });
});
