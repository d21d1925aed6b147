import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readSettings } from './settings';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keeperscope-'));
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

it('takes a changed password from its file, and none that would have been too short at the start', () => {
  const file = join(folder, 'password');
  writeFileSync(file, 'first-password\n');
  const env = { ACCESS: 'password', DASHBOARD_PASSWORD_FILE: file, SESSION_SECRET: 'x'.repeat(32) };
  const { access } = readSettings(env);
  const after = (text: string) => {
    writeFileSync(file, text);
    vi.advanceTimersByTime(2000);
    return access.kind === 'password' ? access.password() : undefined;
  };
  expect(after('second-password\n')).toBe('second-password');
  expect(after('x\n')).toBe('second-password');
  expect(after('')).toBe('second-password');
  expect(after('third-password')).toBe('third-password');
});
