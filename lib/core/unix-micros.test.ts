import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatIsoMicros,
  microsToSeconds,
  parseIsoMicros,
  parseSecondsText,
  secondsToMicros,
  signedSecondsText,
  type UnixSeconds,
  unixMicros,
} from './time';

const anyMicros = fc.bigInt({ min: 0n, max: 253_402_300_799_999_999n }).map(unixMicros);

describe('microseconds', () => {
  it('keep every digit as ISO text and as seconds', () => {
    fc.assert(
      fc.property(anyMicros, (us) => {
        expect(parseIsoMicros(formatIsoMicros(us))).toBe(us);
        const digits = us.toString().padStart(7, '0');
        expect(parseSecondsText(`${digits.slice(0, -6)}.${digits.slice(-6)}`)).toBe(us);
      }),
    );
  });

  it('are read from times with a zone, and from less than six decimals', () => {
    expect(parseIsoMicros('2026-11-20T14:00:00.25+02:00')).toBe(1_795_176_000_250_000n);
    expect(parseIsoMicros('2026-11-20T12:00')).toBe(1_795_176_000_000_000n);
    expect(parseIsoMicros('2026-11-20T12:00:00.1234560Z')).toBe(1_795_176_000_123_456n);
    expect(parseSecondsText('1795176000.5')).toBe(1_795_176_000_500_000n);
  });

  it('are not guessed from digits, cut off, or counted before 1970', () => {
    for (const text of ['2026-11-20T12:00:00.1234567Z', '1969-12-31T23:59:59Z', 'now', '', '1795176000']) {
      expect(parseIsoMicros(text)).toBeUndefined();
    }
    for (const text of ['1795176000000000', '-1', '1.1234567', '1.', '253402300800', ' 1']) {
      expect(parseSecondsText(text)).toBeUndefined();
    }
  });

  it('become the second that has begun', () => {
    expect(microsToSeconds(unixMicros(1_999_999n))).toBe(1);
    expect(microsToSeconds(unixMicros(-1n))).toBeUndefined();
    expect(secondsToMicros(1_795_176_000 as UnixSeconds)).toBe(1_795_176_000_000_000n);
  });

  it('have a text as a length of time, with its sign', () => {
    expect([400_000n, -12_000_000n, 0n, -1n].map(signedSecondsText)).toEqual([
      '+0.4 s',
      '−12 s',
      '0 s',
      '−0.000001 s',
    ]);
  });
});
