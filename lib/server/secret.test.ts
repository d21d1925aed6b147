import { expect, it } from 'vitest';
import { readSecret } from './secret';

function rotating(first: string) {
  const state = { text: first as string | undefined, now: 0, reads: 0 };
  const edges = {
    now: () => state.now,
    readText: () => {
      state.reads += 1;
      if (state.text === undefined) throw new Error('no such file');
      return state.text;
    },
  };
  return { state, secret: readSecret({ KEY_FILE: 'key.txt' }, 'KEY', edges) };
}

it('uses a rotated key within a second, and reads the file at most once in that time', () => {
  const { state, secret } = rotating('old\n');
  state.text = 'new\n';
  expect(secret?.()).toBe('old');
  state.now = 999;
  expect(secret?.()).toBe('old');
  state.now = 1000;
  expect(secret?.()).toBe('new');
  expect(secret?.()).toBe('new');
  expect(state.reads).toBe(2);
});

it('keeps the last good key while the file is missing or empty', () => {
  const { state, secret } = rotating('good');
  state.text = undefined;
  state.now = 1000;
  expect(secret?.()).toBe('good');
  state.text = '';
  state.now = 2000;
  expect(secret?.()).toBe('good');
  state.text = 'better';
  state.now = 3000;
  expect(secret?.()).toBe('better');
});

it('reads anew after the clock was set back', () => {
  const { state, secret } = rotating('old');
  state.text = 'new';
  state.now = -5000;
  expect(secret?.()).toBe('new');
});

it('is nothing when neither the variable nor the file is set', () => {
  expect(readSecret({}, 'KEY')).toBeUndefined();
});
