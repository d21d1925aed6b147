import { describe, expect, test, vi } from 'vitest';
import { textAfter, typedAhead } from './typed-ahead';

const plain = { ctrlKey: false, metaKey: false, altKey: false, isComposing: false };

describe('the text after a key', () => {
  test.each([
    ['a letter', '46', { ...plain, key: '7' }, '467'],
    ['a space', 'on', { ...plain, key: ' ' }, 'on '],
    ['Backspace', '46', { ...plain, key: 'Backspace' }, '4'],
    ['Backspace after a character of two units', 'a😀', { ...plain, key: 'Backspace' }, 'a'],
    ['Backspace with nothing before it', '', { ...plain, key: 'Backspace' }, ''],
    ['AltGr', '', { ...plain, key: '@', ctrlKey: true, altKey: true }, '@'],
  ])('%s', (_, text, pressed, after) => expect(textAfter(text, pressed)).toBe(after));

  test.each([
    ['Tab', { ...plain, key: 'Tab' }],
    ['Ctrl K', { ...plain, key: 'k', ctrlKey: true }],
    ['Cmd K', { ...plain, key: 'k', metaKey: true }],
    ['Alt D', { ...plain, key: 'd', altKey: true }],
    ['a key of an unfinished character', { ...plain, key: 'a', isComposing: true }],
  ])('%s writes nothing', (_, pressed) => expect(textAfter('46', pressed)).toBeUndefined());
});

/** A page, and what its own listeners hear. */
function page() {
  const target = new EventTarget();
  const heard: string[] = [];
  const press = (key: string) => {
    const event = Object.assign(new Event('keydown', { cancelable: true }), { ...plain, key });
    target.dispatchEvent(event);
    if (!event.defaultPrevented) heard.push(key);
  };
  return { target: target as unknown as Window, heard, press };
}

test('what is typed from the beginning on is kept from the page, and given once', () => {
  const { target, heard, press } = page();
  const ahead = typedAhead(target);
  press('a');
  ahead.begin(() => {});
  for (const key of ['4', '6', 'Tab', 'Enter', '7']) press(key);
  expect(ahead.take()).toBe('467');
  press('z');
  expect(ahead.take()).toBe('');
  expect(heard).toEqual(['a', 'Tab', 'z']);
});

test('begun again, it keeps what it has and hears each key once', () => {
  const { target, press } = page();
  const ahead = typedAhead(target);
  ahead.begin(() => {});
  press('4');
  ahead.begin(() => {});
  press('6');
  expect(ahead.take()).toBe('46');
});

test.each(['Escape', 'pointer'])('%s leaves it', (way) => {
  const { target, heard, press } = page();
  const ahead = typedAhead(target);
  const onLeave = vi.fn();
  ahead.begin(onLeave);
  press('4');
  if (way === 'Escape') press(way);
  else (target as unknown as EventTarget).dispatchEvent(new Event('pointerdown'));
  press('j');
  expect(onLeave).toHaveBeenCalledOnce();
  expect(ahead.take()).toBe('');
  expect(heard).toEqual(['j']);
});
