import { describe, expect, it } from 'vitest';
import { type KeyPress, pressedKey, SEQUENCE_MS, ShortcutMatcher } from './keyboard-matching';
import { keyNames, SHORTCUT_PLACES, SHORTCUTS } from './keyboard-shortcuts';

function press(key: string, more: Partial<KeyPress> = {}): KeyPress {
  const held = { ctrl: false, meta: false, alt: false, shift: false, altGraph: false };
  return { key, code: '', ...held, focus: 'elsewhere', over: 'page', ...more };
}

/** A matcher whose time is moved by hand, and the keys that were called. */
function matcherOf(...keys: string[]) {
  const clock = { ms: 0 };
  const called: string[] = [];
  const matcher = new ShortcutMatcher(() => clock.ms);
  for (const one of keys) matcher.add(one, () => called.push(one));
  const type = (one: KeyPress) => {
    const found = matcher.match(one);
    if (typeof found === 'function') found();
    return found;
  };
  return { matcher, clock, called, type };
}

describe('pressedKey', () => {
  it('reads characters that a layout writes with Shift or AltGr', () => {
    expect(pressedKey(press('?', { shift: true }))).toBe('?');
    expect(pressedKey(press('[', { altGraph: true, ctrl: true, alt: true }))).toBe('[');
  });

  it('reads letters in spite of Caps Lock and of other alphabets', () => {
    expect(pressedKey(press('J'))).toBe('j');
    expect(pressedKey(press('о', { code: 'KeyJ' }))).toBe('j');
  });

  it('leaves every press with modifiers alone but Ctrl or Cmd', () => {
    expect(pressedKey(press('j', { alt: true }))).toBeUndefined();
    expect(pressedKey(press('J', { shift: true }))).toBeUndefined();
    expect(pressedKey(press('Enter', { shift: true }))).toBeUndefined();
    expect(pressedKey(press('k', { ctrl: true }))).toBe('mod+k');
    expect(pressedKey(press('k', { meta: true }))).toBe('mod+k');
  });
});

describe('ShortcutMatcher', () => {
  it('calls the handler of the keys, one after the other where there are two', () => {
    const { called, type } = matcherOf('j', 'g r', 'mod+k');
    type(press('j'));
    expect(type(press('g'))).toBe('begins');
    type(press('r'));
    type(press('k', { ctrl: true }));
    expect(called).toEqual(['j', 'g r', 'mod+k']);
  });

  it('forgets the first key after a while, and when another one comes between', () => {
    const { called, type, clock } = matcherOf('g r', 'j');
    type(press('g'));
    clock.ms += SEQUENCE_MS + 1;
    type(press('r'));
    type(press('g'));
    type(press('j'));
    type(press('r'));
    expect(called).toEqual(['j']);
  });

  it('never fires while somebody types, but for Ctrl K', () => {
    const { called, type } = matcherOf('j', 'g r', 'mod+k', 'Escape');
    for (const key of ['j', 'g', 'r', 'Escape']) type(press(key, { focus: 'field' }));
    expect(called).toEqual([]);
    type(press('k', { ctrl: true, focus: 'field' }));
    expect(called).toEqual(['mod+k']);
  });

  it('never fires under a modal dialog', () => {
    const { called, type } = matcherOf('j', 'mod+k');
    type(press('j', { over: 'dialog' }));
    type(press('k', { ctrl: true, over: 'dialog' }));
    expect(called).toEqual([]);
  });

  it('leaves Enter to the button or link that has the focus, and takes letters there', () => {
    const { called, type } = matcherOf('j', 'Enter');
    type(press('Enter', { focus: 'control' }));
    type(press('j', { focus: 'control' }));
    type(press('Enter'));
    expect(called).toEqual(['j', 'Enter']);
  });

  it('gives keys to whoever took them last, until they are given back', () => {
    const { matcher, called, type } = matcherOf('j');
    const giveBack = matcher.add('j', () => called.push('panel'));
    type(press('j'));
    giveBack();
    type(press('j'));
    expect(called).toEqual(['panel', 'j']);
  });
});

describe('the list of shortcuts', () => {
  it('names no keys twice in one place', () => {
    for (const place of SHORTCUT_PLACES) {
      const keys = SHORTCUTS.filter(({ where }) => where === place).flatMap((one) => one.keys);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  it('writes keys as they stand on a keyboard', () => {
    expect(keyNames('mod+k')).toEqual({ names: ['Ctrl', 'K'], join: 'together' });
    expect(keyNames('g r')).toEqual({ names: ['g', 'r'], join: 'then' });
    expect(keyNames('ArrowDown')).toEqual({ names: ['↓'], join: 'then' });
  });
});
