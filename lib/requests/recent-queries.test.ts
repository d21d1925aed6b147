import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type QueryStorage, readQueries, recentQueries } from './recent';

const HASH = `0x${'ab'.repeat(32)}`;

function memory(text?: string): QueryStorage & { text: () => string | undefined } {
  let kept = text;
  return {
    text: () => kept,
    getItem: () => kept ?? null,
    setItem: (_key, value) => {
      kept = value;
    },
    removeItem: () => {
      kept = undefined;
    },
  };
}

const full: QueryStorage = {
  getItem: () => null,
  setItem: () => {
    throw new DOMException('full', 'QuotaExceededError');
  },
  removeItem: () => {},
};

describe('recent queries', () => {
  it('remembers what was searched for, newest first and once, by its canonical text', () => {
    const storage = memory();
    const recent = recentQueries(storage);
    for (const text of ['17', HASH.toUpperCase().replace('0X', ''), ' 1,234 ', '#17']) recent.add(text);
    expect(recent.read()).toEqual(['17', '1234', HASH]);
    expect(recentQueries(storage).read()).toEqual(['17', '1234', HASH]);
  });

  it('remembers nothing that cannot be searched for', () => {
    const storage = memory();
    const recent = recentQueries(storage);
    for (const text of ['', '  ', 'hello', '<b>1</b>']) recent.add(text);
    expect(recent.read()).toEqual([]);
    expect(storage.text()).toBeUndefined();
  });

  it('forgets the oldest beyond eight', () => {
    const recent = recentQueries(memory());
    for (let number = 1; number <= 20; number++) recent.add(String(number));
    expect(recent.read()).toEqual(['20', '19', '18', '17', '16', '15', '14', '13']);
  });

  it('removes one, or all of them', () => {
    const storage = memory('["1","2","3"]');
    const recent = recentQueries(storage);
    recent.remove('2');
    expect(recent.read()).toEqual(['1', '3']);
    recent.clear();
    expect(recent.read()).toEqual([]);
    expect(storage.text()).toBeUndefined();
  });

  it('tells of changes, and gives the same array until there is one', () => {
    const recent = recentQueries(memory('["1"]'));
    const changed = vi.fn();
    const stop = recent.subscribe(changed);
    expect(recent.read()).toBe(recent.read());
    recent.add('1');
    expect(changed).not.toHaveBeenCalled();
    recent.add('2');
    expect(changed).toHaveBeenCalledTimes(1);
    stop();
    recent.add('3');
    expect(changed).toHaveBeenCalledTimes(1);
  });

  it('lives without a storage, and with one that is full', () => {
    for (const storage of [undefined, full]) {
      const recent = recentQueries(storage);
      recent.add('5');
      expect(recent.read()).toEqual(['5']);
    }
  });

  it('reads canonical queries only, whatever stands in the storage', () => {
    expect(readQueries(`["007","x",5,null,"${HASH}","${HASH}","${'1'.repeat(100)}"]`)).toEqual([HASH]);
    expect([null, '', '{', '{}', 'null', '"5"'].map(readQueries)).toEqual(Array(6).fill([]));
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(readQueries(text).length).toBeLessThanOrEqual(8);
      }),
    );
  });
});
