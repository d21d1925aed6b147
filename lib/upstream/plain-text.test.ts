import { describe, expect, test } from 'vitest';
import { dataWithoutKey, plainErrorText } from './service-failure';

describe('plainErrorText', () => {
  test('shows the text of the service', () => {
    const text = 'Price ids not found: 0xab, 0xcd\n';
    expect(plainErrorText(text, 'text/plain', undefined)).toBe('Price ids not found: 0xab, 0xcd');
  });

  test('shows nothing of a web page, whatever its content type', () => {
    expect(plainErrorText('<!DOCTYPE html><h1>404</h1>', 'text/plain', undefined)).toBe('');
    expect(plainErrorText('not <b>here</b>', 'text/html; charset=utf-8', undefined)).toBe('');
  });

  test('drops terminal codes, line breaks and direction overrides', () => {
    expect(plainErrorText('a\u001b[31mb\r\nc\u2028d\u202ee\u0000', '', undefined)).toBe('a [31mb c de');
  });

  test('truncates at 500 characters, never within one', () => {
    expect(plainErrorText('x'.repeat(600), '', undefined)).toHaveLength(500);
    expect(plainErrorText(`${'x'.repeat(499)}🙂`, '', undefined)).toBe('x'.repeat(499));
  });

  test('hides our key when the service repeats it', () => {
    expect(plainErrorText('bad token Bearer s3cret-key!', '', 's3cret-key')).toBe('bad token Bearer [key]!');
  });

  test('hides it in other spellings and with invisible characters inside', () => {
    const key = 'a"b/c+d';
    expect(plainErrorText(`{"k":${JSON.stringify(key)}} a%22b%2Fc%2Bd`, '', key)).toBe('{"k":"[key]"} [key]');
    expect(plainErrorText('s3cr\u200bet-k\u00ady', '', 's3cret-ky')).toBe('[key]');
  });
});

test('dataWithoutKey hides a long key and changes nothing else', () => {
  expect(dataWithoutKey('{"echo":"Bearer 0123456789ab","n":1.10}', '0123456789ab')).toBe(
    '{"echo":"Bearer [key]","n":1.10}',
  );
  expect(dataWithoutKey('{"n":12345}', '1234')).toBe('{"n":12345}');
  expect(dataWithoutKey('{"n":12345}', undefined)).toBe('{"n":12345}');
});
