import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withoutKeyTraces } from './service-failure';

const KEY = 'pk_live_9fQ2vLx7Rw3TzB+/';
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('withoutKeyTraces', () => {
  test('hides a key with a masked end, and a piece from its middle', () => {
    expect(withoutKeyTraces(`Incorrect key: ${KEY.slice(0, 12)}****.`, KEY)).toBe(
      'Incorrect key: [key]****.',
    );
    expect(withoutKeyTraces(`…${KEY.slice(5, 14)}… and ${KEY}!`, KEY)).toBe('…[key]… and [key]!');
  });

  test('hides it in base64 at any offset, and in hex', () => {
    for (const before of ['', 'u', 'me', 'you']) {
      const shown = withoutKeyTraces(`Basic ${base64(`${before}:${KEY}:x`)}`, KEY);
      expect(shown).toMatch(/^Basic .{0,7}\[key\].{0,7}$/);
    }
    const hex = Buffer.from(KEY).toString('hex');
    expect(withoutKeyTraces(`${hex} ${hex.toUpperCase()}`, KEY)).toBe('[key] [key]');
  });

  test('leaves everything else, short pieces included', () => {
    const line = `Price ids not found: 0xab; ${KEY.slice(0, 7)} ${'é🙂'.repeat(5)}`;
    expect(withoutKeyTraces(line, KEY)).toBe(line);
    expect(withoutKeyTraces('short-1 short-1', 'short-1')).toBe('short-1 short-1');
  });

  test('leaves no piece of any key, in any context', () => {
    const keyText = fc.string({ minLength: 8, maxLength: 40 }).filter((key) => !'[key]'.includes(key));
    fc.assert(
      fc.property(keyText, fc.nat(), fc.string(), fc.string(), (key, offset, before, after) => {
        const piece = key.slice(offset % (key.length - 7)).slice(0, 8);
        const shown = withoutKeyTraces(`${before}${piece}${after}`, key);
        expect(shown.replaceAll('[key]', '\u0000')).not.toContain(piece);
      }),
    );
  });

  test('is fast on a very long line', () => {
    expect(withoutKeyTraces('x'.repeat(1_000_000), KEY)).toHaveLength(4000);
  });
});
