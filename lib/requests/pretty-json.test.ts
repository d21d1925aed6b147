import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prettyJson } from './pretty-json';

describe('JSON for people', () => {
  it('is indented like the output of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const canonical = JSON.stringify(value);
        expect(prettyJson(canonical)).toBe(JSON.stringify(JSON.parse(canonical), null, 2));
      }),
    );
  });

  it('keeps digits, escapes, order and duplicate members', () => {
    const text = '{"b":18446744073709551615,"a":1.50,"a":1e400,"t":"\\u0041 \\" , { }"}';
    expect(prettyJson(text)).toBe(
      '{\n  "b": 18446744073709551615,\n  "a": 1.50,\n  "a": 1e400,\n  "t": "\\u0041 \\" , { }"\n}',
    );
  });

  it('handles a string of a megabyte, and a thousand levels', () => {
    const long = `"${'\\"a'.repeat(300_000)}"`;
    expect(prettyJson(long)).toBe(long);
    const deep = `${'['.repeat(1000)}${'1,'.repeat(1000)}1${']'.repeat(1000)}`;
    expect(prettyJson(deep).length).toBeLessThan(200_000);
  });
});
