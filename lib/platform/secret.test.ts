import { expect, it } from 'vitest';
import { readSecret } from './secret';

function rotating(first: string) {
  const state = { text: first as string | undefined, now: 0, reads: 0 };
  const deps = {
    now: () => state.now,
    readText: () => {
      state.reads += 1;
      if (state.text === undefined) throw new Error('no such file');
      return state.text;
    },
  };
  return { state, secret: readSecret({ KEY_FILE: 'key.txt' }, 'KEY', { deps }) };
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

it('reads again after the clock was set back', () => {
  const { state, secret } = rotating('old');
  state.text = 'new';
  state.now = -5000;
  expect(secret?.()).toBe('new');
});

it('is undefined when neither the variable nor the file is set', () => {
  expect(readSecret({}, 'KEY')).toBeUndefined();
});

it('reports its origin and age, and nothing of its value', () => {
  const inEnvironment = readSecret({ KEY: 'hush-1' }, 'KEY', {
    deps: { readText: () => '', now: () => 7 },
  });
  expect(inEnvironment?.origin?.()).toEqual({ kind: 'environment', setting: 'KEY', sinceMs: 7 });
  const state = { text: 'hush-1', now: 10, written: 3 };
  const deps = { readText: () => state.text, writtenAt: () => state.written, now: () => state.now };
  const inFile = readSecret({ KEY_FILE: 'key.txt' }, 'KEY', { deps });
  const first = { kind: 'file', setting: 'KEY_FILE', sinceMs: 10, writtenAtMs: 3 };
  expect(inFile?.origin?.()).toEqual(first);
  Object.assign(state, { text: '', now: 2000 });
  expect(inFile?.origin?.()).toEqual({ ...first, trouble: 'file-unusable' });
  Object.assign(state, { text: 'hush-2', now: 4000, written: 3900 });
  expect(inFile?.origin?.()).toEqual({ ...first, sinceMs: 4000, writtenAtMs: 3900 });
  expect(JSON.stringify([inEnvironment?.origin?.(), inFile?.origin?.()])).not.toContain('hush');
});
