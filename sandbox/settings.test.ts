import { expect, test } from 'vitest';
import { readSandboxSettings } from './start';

test('without settings the documented defaults hold', () => {
  expect(readSandboxSettings({})).toEqual({
    ok: true,
    settings: { port: 4010, seed: 1, records: 50_000 },
  });
});

test.each([
  ['SANDBOX_PORT', '65536'],
  ['SANDBOX_PORT', 'http'],
  ['SANDBOX_SEED', '-1'],
  ['SANDBOX_SEED', '1.5'],
  ['SANDBOX_RECORDS', '1e9'],
  ['SANDBOX_RECORDS', '99999999999999999999'],
])('%s=%s is refused in one line with its name and without its value', (variable, value) => {
  const read = readSandboxSettings({ [variable]: value });
  expect(read.ok).toBe(false);
  if (read.ok) return;
  expect(read.problem).toContain(variable);
  expect(read.problem).not.toContain(value);
  expect(read.problem).not.toContain('\n');
});
