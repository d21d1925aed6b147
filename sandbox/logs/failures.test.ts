import { expect, test } from 'vitest';
import { CALLBACK_RETURNS, FAILURE_REASONS } from './failures';

/** The error selectors that real records show. */
const KNOWN = [
  ...['0x1c26714c', '0x3e515085', '0x5e5b3f1b', '0x50f0dc92', '0x82b42900', '0x025dbdd4', '0x9376b93b'],
  ...['0x92555c0e', '0xb8be1a8d', '0xb28d9c76', '0xc4237352', '0xd82dd966', '0xdf51c431'],
  ...['0x08c379a0', '0x4e487b71'],
];

test('every return value is empty or begins with a known selector', () => {
  const selectors = CALLBACK_RETURNS.filter((value) => value !== '0x').map((value) => value.slice(0, 10));
  expect(selectors.filter((selector) => !KNOWN.includes(selector))).toEqual([]);
});

test('every selector in a reason is a known one', () => {
  const selectors = FAILURE_REASONS.flatMap((reason) => /0x[0-9a-f]{8}/.exec(reason)?.[0] ?? []);
  expect(selectors.length).toBeGreaterThan(5);
  expect(selectors.filter((selector) => !KNOWN.includes(selector))).toEqual([]);
});

test('a text in a return value is ABI-encoded', () => {
  const value = CALLBACK_RETURNS.find((one) => one.startsWith('0x08c379a0')) ?? '';
  const bytes = Buffer.from(value.slice(10), 'hex');
  const length = bytes.readUInt32BE(60);
  expect([bytes.readUInt32BE(28), bytes.length % 32]).toEqual([32, 0]);
  expect(bytes.subarray(64, 64 + length).toString('utf8')).toBe('Game: round is over');
});
