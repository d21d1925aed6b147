import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseRpcUrls } from './rpc-urls';
import { readSettings } from './settings';

const folder = mkdtempSync(join(tmpdir(), 'keeperscope-rpc-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('URLs of networks are read from commas and lines, keys and commas in them included', () => {
  expect(parseRpcUrls('8453=https://a.example/v2/key,x, 42161=http://b.example:8545?k=1')).toEqual([
    { networkId: '8453', origin: 'https://a.example', target: '/v2/key,x' },
    { networkId: '42161', origin: 'http://b.example:8545', target: '/?k=1' },
  ]);
  expect(parseRpcUrls('1=https://a.example\n\n1=https://b.example/\n')?.map(({ origin }) => origin)).toEqual([
    'https://a.example',
    'https://b.example',
  ]);
});

test('an invalid list is refused as a whole', () => {
  const odd = [
    'https://a.example',
    'base=https://a.example',
    '1=ftp://a.example',
    '1=https://u:p@a.example',
    '01=https://a',
  ];
  for (const text of [...odd, '1=https://a.example,2=', '', '1=https://a.example/#x'])
    expect([text, parseRpcUrls(text)]).toEqual([text, undefined]);
});

test('the setting is a secret, and belongs to a log service', () => {
  const refusal = (env: Record<string, string>) => {
    try {
      readSettings(env);
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  const LOGS_URL = 'http://127.0.0.1:9';
  const file = join(folder, 'urls');
  writeFileSync(file, '8453=https://a.example/hush-key\n42161=https://b.example/hush-key\n');
  expect(readSettings({ LOGS_URL, RPC_URLS_FILE: file })).toMatchObject({
    rpc: [{ networkId: '8453' }, { networkId: '42161', target: '/hush-key' }],
    callsPerSecond: { rpc: 5 },
  });
  expect(refusal({ LOGS_URL, RPC_URLS: 'https://a.example/hush-key' })).toMatch(
    /^RPC_URLS should be network ids with/,
  );
  expect(refusal({ LOGS_URL, RPC_URLS: '1=https://a', RPC_URLS_FILE: file })).toMatch(/contradict/);
  writeFileSync(file, 'hush-key');
  expect(refusal({ LOGS_URL, RPC_URLS_FILE: file })).toBe(
    'RPC_URLS_FILE should name a readable file that holds one network_id=url a line, such as 8453=https://…, and nothing else',
  );
  expect(refusal({ RPC_URLS: '1=https://a' })).toBe('RPC_URLS is set without LOGS_URL: set both, or neither');
});
