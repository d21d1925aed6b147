import { expect, it } from 'vitest';
import { pressedKey } from './shortcuts';

const press = { code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };

it.each([
  ['?', { key: '?', shiftKey: true }],
  ['[', { key: '[', getModifierState: () => true, ctrlKey: true, altKey: true }],
  ['j', { key: 'J' }],
  ['j', { key: 'о', code: 'KeyJ' }],
  ['mod+k', { key: 'k', ctrlKey: true }],
  ['mod+k', { key: 'k', metaKey: true }],
  [undefined, { key: 'j', altKey: true }],
  [undefined, { key: 'J', shiftKey: true }],
  [undefined, { key: 'Enter', shiftKey: true }],
])('a key press is %s', (name, event) => {
  expect(pressedKey({ ...press, getModifierState: () => false, ...event })).toBe(name);
});
