import { describe, expect, it, vi } from 'vitest';
import { type BrowserStorage, StoredValue } from './stored-value';

const form = {
  key: 'k',
  read: (text: string | null): readonly string[] => (text === null ? [] : text.split(',')),
  write: (value: readonly string[]) => value.join(','),
};

function storage(): BrowserStorage & { texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    getItem: (key) => texts.get(key) ?? null,
    setItem: (key, text) => void texts.set(key, text),
  };
}

describe('a stored value', () => {
  it('is written and announced to listeners', () => {
    const texts = storage();
    const value = new StoredValue(form, () => texts);
    const listener = vi.fn();
    value.subscribe(listener);
    expect(value.change((list) => [...list, 'a'])).toBe('stored');
    expect(value.read()).toEqual(['a']);
    expect(texts.texts.get('k')).toBe('a');
    expect(listener).toHaveBeenCalledTimes(1);
    value.change((list) => list);
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it('includes the changes of another tab before it changes', () => {
    const texts = storage();
    const value = new StoredValue(form, () => texts);
    expect(value.read()).toEqual([]);
    texts.setItem('k', 'other');
    value.change((list) => [...list, 'mine']);
    expect(texts.texts.get('k')).toBe('other,mine');
  });

  it('lasts as long as the page where nothing can be written', () => {
    const full: BrowserStorage = {
      getItem: () => null,
      setItem: () => {
        throw new Error('full');
      },
    };
    for (const value of [new StoredValue(form, () => full), new StoredValue(form, () => undefined)]) {
      expect(value.change((list) => [...list, 'a'])).toBe('not-stored');
      value.change((list) => [...list, 'b']);
      expect(value.read()).toEqual(['a', 'b']);
    }
  });
});
