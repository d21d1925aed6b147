import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readAddress, settingsOf } from './webhook-settings';

const typedSettings = (typed: string) => {
  const read = readAddress(typed);
  if ('error' in read) throw new Error(read.error);
  return { ...settingsOf(read.address, read.format), format: read.format };
};

it.each([
  ['https://hooks.slack.com/services/T0/B0/abc', 'slack'],
  ['https://discord.com/api/webhooks/1/abc/slack', 'slack'],
  ['https://hooks.slack.com.example.org/services/T0', 'json'],
  ['  https://alerts.example.com/hook?key=1  ', 'json'],
])('the format of %s is %s', (typed, format) => {
  const { lines, format: chosen } = typedSettings(typed);
  expect(chosen).toBe(format);
  expect(lines).toBe(`ALERT_WEBHOOK_URL=${typed.trim()}\nALERT_WEBHOOK_FORMAT=${format}`);
});

it.each([
  '',
  'hooks.slack.com/services',
  'file:///etc/passwd',
  'https://',
  'https://user:word@example.com/',
  'https://@example.com/',
  'https://example.com/a b',
])('%j is no address of a webhook', (typed) => {
  expect(readAddress(typed)).toHaveProperty('error');
});

it('the lines survive a settings file unchanged, and the command survives a shell unchanged', () => {
  const typed = `https://example.com/it's/$HOME?a=\`id\`&b="c";d#part`;
  const { lines, command } = typedSettings(typed);
  const address = new URL(typed.replace('#part', '')).href;
  const folder = mkdtempSync(join(tmpdir(), 'keeperscope-'));
  try {
    const file = join(folder, '.env.local');
    writeFileSync(file, lines);
    const read = `process.loadEnvFile(process.argv[1]); console.log(process.env.ALERT_WEBHOOK_URL)`;
    expect(execFileSync(process.execPath, ['-e', read, file], { encoding: 'utf8' }).trim()).toBe(address);
    const echoed = command.replace(/^curl .+ -d '[^']+' /, "printf '%s' ");
    expect(execFileSync('/bin/sh', ['-c', echoed], { encoding: 'utf8' })).toBe(address);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
