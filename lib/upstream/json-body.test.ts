import { describe, expect, test } from 'vitest';
import { isParsable } from '@/lib/core/wire-json';
import { parseJsonBody } from './json-body';

/** Longer than the texts that are not checked. */
const filler = `"${'x'.repeat(1_000_000)}"`;

describe('a large JSON text', () => {
  test('is parsed with as many values as the byte cap can hold in rows', () => {
    expect(isParsable(`[${'"some text of a row",'.repeat(900_000)}1]`)).toBe(true);
    expect(isParsable(`[${filler}]`)).toBe(true);
  });

  test.each([
    ['lists in lists', '['.repeat(1_000_001)],
    ['objects in objects', '{"a":'.repeat(300_000)],
    ['empty lists', `[${'[],'.repeat(1_000_000)}1]`],
    ['numbers', `[${'1,'.repeat(1_000_001)}1]`],
    ['lists in lists behind a long text', `[${filler},${'['.repeat(1001)}`],
  ])('is not parsed if it is nothing but %s', (_, text) => {
    expect(isParsable(text)).toBe(false);
    expect(parseJsonBody(text)).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/nested too deep/),
    });
  });

  test('may contain any number of brackets inside its strings', () => {
    const text = JSON.stringify([`[{,"\\${'[{,\\"'.repeat(400_000)}\\`]);
    expect(isParsable(text)).toBe(true);
    expect(parseJsonBody(text)).toMatchObject({ ok: true });
  });

  test('may be invalid, such as a string without an end', () => {
    expect(isParsable(`"${'\\"'.repeat(1_000_000)}`)).toBe(true);
  });
});
