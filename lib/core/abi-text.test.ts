import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { abiNumber, decodeAbiString } from './failure';

const word = (value: number | bigint) => value.toString(16).padStart(64, '0');
const hexOf = (text: string) => Buffer.from(text, 'utf8').toString('hex');

/** As Solidity encodes one string. */
function encoded(text: string): string {
  const hex = hexOf(text);
  return word(32) + word(hex.length / 2) + hex.padEnd(Math.ceil(hex.length / 64) * 64, '0');
}

describe('a string in ABI-encoded data', () => {
  it('comes back as it was, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        expect(decodeAbiString(encoded(text))).toEqual({ text, extent: 'whole' });
      }),
    );
  });

  it('is a beginning of the text, without half characters, when the data is cut off anywhere', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), fc.nat(), (text, at) => {
        const whole = encoded(text);
        const read = decodeAbiString(whole.slice(0, at % whole.length));
        if (read === undefined) return;
        expect(text.startsWith(read.text)).toBe(true);
        if (read.extent === 'whole') expect(read.text).toBe(text);
      }),
    );
  });

  it('is not longer than it says, though more bytes follow', () => {
    expect(decodeAbiString(word(32) + word(2) + hexOf('abc'))).toEqual({ text: 'ab', extent: 'whole' });
  });

  it('shows bytes that are no UTF-8 as such', () => {
    expect(decodeAbiString(`${word(32)}${word(2)}ff41`)).toEqual({ text: '\ufffdA', extent: 'whole' });
  });

  it('is a part when it claims a length that no data has', () => {
    expect(decodeAbiString(word(32) + word(2n ** 255n) + hexOf('abc'))).toEqual({
      text: 'abc',
      extent: 'part',
    });
  });

  it('is nothing where the offset points out of the data', () => {
    expect(decodeAbiString(word(2n ** 200n) + word(1))).toBeUndefined();
    expect(decodeAbiString(word(4096) + word(1))).toBeUndefined();
  });

  it('never throws', () => {
    const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[0-9a-f]{0,400}$/));
    fc.assert(
      fc.property(anyText, fc.integer(), (text, at) => {
        decodeAbiString(text);
        abiNumber(text, at);
      }),
    );
  });
});
