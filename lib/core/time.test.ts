import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatAge,
  formatDuration,
  formatIsoMicros,
  formatIsoMillis,
  formatIsoSeconds,
  formatLatency,
  formatSpan,
  formatUtcSeconds,
  isoTimeInUtc,
  microsToMillis,
  microsToSeconds,
  millisToMicros,
  millisToSeconds,
  parseIsoMicros,
  parseIsoTime,
  parseSecondsText,
  secondsToMicros,
  signedSecondsText,
  type UnixSeconds,
  unixMicros,
  unixSeconds,
} from './time';

const anyDate = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9998-12-31T00:00:00Z'),
  noInvalidDate: true,
});

describe('parseIsoTime', () => {
  it.each([
    ['2026-11-20T08:05:03Z', '2026-11-20T08:05:03.000Z'],
    ['2026-11-20T08:05:03z', '2026-11-20T08:05:03.000Z'],
    ['2026-11-20t08:05:03.5Z', '2026-11-20T08:05:03.500Z'],
    ['2026-11-20T08:05:03,5Z', '2026-11-20T08:05:03.500Z'],
    ['2026-11-20 08:05:03', '2026-11-20T08:05:03.000Z'],
    ['2026-11-20T08:05:03', '2026-11-20T08:05:03.000Z'],
    ['2026-11-20T08:05', '2026-11-20T08:05:00.000Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20T08:05:03.123456789Z', '2026-11-20T08:05:03.123Z'],
    ['2026-11-20T08:05:03.999999999', '2026-11-20T08:05:03.999Z'],
    ['2026-11-20T08:05:03+02:00', '2026-11-20T06:05:03.000Z'],
    ['2026-11-20T08:05:03.25-0530', '2026-11-20T13:35:03.250Z'],
    ['2026-11-20T08:05:03+02', '2026-11-20T06:05:03.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['0099-01-01T00:00:00Z', '0099-01-01T00:00:00.000Z'],
  ])('reads %s as %s', (text, expected) => {
    const ms = parseIsoTime(text);
    expect(ms === undefined ? undefined : new Date(ms).toISOString()).toBe(expected);
  });

  it.each([
    '',
    'now',
    '1690576635',
    '1690576635000',
    '2026-02-30T00:00:00Z',
    '2025-02-29',
    '2026-13-01T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T10:60:00Z',
    '2026-01-01T10:00:60Z',
    '2026-01-01T10Z',
    '2026-01-01T10:00:00+24:00',
    '2026-01-01T10:00:00+02:60',
    '2026-01-01T10:00:00 02:00',
    '2026-01-01T10:00:00.Z',
    '2026-1-1',
    '2026-01-01Z',
    ' 2026-01-01T10:00:00Z',
    '2026-01-01T10:00:00Z\n',
    '26-01-01',
    '0000-01-01T00:00:00+14:00',
    '9999-12-31T23:00:00-14:00',
    'Fri, 20 Nov 2026 08:05:03 GMT',
    '٢٠٢٦-01-01T10:00:00Z',
  ])('rejects %j', (text) => {
    expect(parseIsoTime(text)).toBeUndefined();
  });

  it('reads the output of toISOString, with and without the zone', () => {
    fc.assert(
      fc.property(anyDate, (date) => {
        const text = date.toISOString();
        expect(parseIsoTime(text)).toBe(date.getTime());
        expect(parseIsoTime(text.slice(0, -1))).toBe(date.getTime());
      }),
    );
  });
});

it('isoTimeInUtc keeps every digit of the fraction while it moves the zone', () => {
  expect(isoTimeInUtc('2026-11-20T08:05:03.123456789+02:00')).toBe('2026-11-20T06:05:03.123456789Z');
  expect(isoTimeInUtc('2026-11-20T08:05')).toBe('2026-11-20T08:05:00Z');
  expect(isoTimeInUtc('2026-02-30')).toBeUndefined();
});

describe('conversions', () => {
  it('convert between units, rounding down', () => {
    const seconds = unixSeconds(1_690_576_635);
    expect(seconds === undefined ? undefined : seconds * 1000).toBe(1_690_576_635_000);
    expect(millisToSeconds(1_690_576_635_999)).toBe(1_690_576_635);
    expect(microsToMillis(unixMicros(1_690_576_635_000_999n))).toBe(1_690_576_635_000);
    expect(microsToMillis(unixMicros(-1n))).toBe(-1);
    expect(millisToMicros(1_690_576_635_123)).toBe(1_690_576_635_123_000n);
  });

  it('refuse seconds that are fractional, negative or beyond the year 9999', () => {
    for (const value of [1.5, -1, Number.NaN, Number.POSITIVE_INFINITY, 253_402_300_800]) {
      expect(unixSeconds(value)).toBeUndefined();
    }
    expect(unixSeconds(253_402_300_799)).toBe(253_402_300_799);
  });
});

describe('formatting', () => {
  it('writes UTC, to the millisecond or the second', () => {
    const moment = Date.UTC(2026, 10, 20, 8, 5, 3, 987);
    expect(formatIsoMillis(moment)).toBe('2026-11-20T08:05:03.987Z');
    expect(formatIsoSeconds(moment)).toBe('2026-11-20T08:05:03Z');
    expect(formatUtcSeconds(moment)).toBe('2026-11-20 08:05:03');
  });

  it('names a moment beyond the calendar, rather than throwing', () => {
    for (const value of [8.64e15 + 1, Number.NaN, -1e15]) {
      expect(formatIsoMillis(value)).toBe('out of range');
      expect(formatIsoSeconds(value)).toBe('out of range');
      expect(formatUtcSeconds(value)).toBe('out of range');
    }
  });
});

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

  it('refuse digits, cut-off text and times before 1970', () => {
    for (const text of ['2026-11-20T12:00:00.1234567Z', '1969-12-31T23:59:59Z', 'now', '', '1795176000']) {
      expect(parseIsoMicros(text)).toBeUndefined();
    }
    for (const text of ['1795176000000000', '-1', '1.1234567', '1.', '253402300800', ' 1']) {
      expect(parseSecondsText(text)).toBeUndefined();
    }
  });

  it('round down to the second', () => {
    expect(microsToSeconds(unixMicros(1_999_999n))).toBe(1);
    expect(microsToSeconds(unixMicros(-1n))).toBeUndefined();
    expect(secondsToMicros(1_795_176_000 as UnixSeconds)).toBe(1_795_176_000_000_000n);
  });
});

describe('formatDuration', () => {
  it.each([
    [-5, '0.0 s'],
    [840, '0.8 s'],
    [9_999, '9.9 s'],
    [12_899, '12.8 s'],
    [59_999, '59.9 s'],
    [60_000, '1 min'],
    [303_000, '5 min 03 s'],
    [1_123_200_000, '13 d'],
    [8_040_000, '2 h 14 min'],
    [273_600_000, '3 d 4 h'],
  ])('shows %d ms as "%s"', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it.each([
    [40.4, '40 ms'],
    [999.6, '1.0 s'],
    [1_340, '1.3 s'],
    [123_000, '2 min 03 s'],
  ])('shows %d ms of latency as "%s"', (ms, text) => {
    expect(formatLatency(ms)).toBe(text);
  });

  it('shows ticking figures in whole seconds and never below zero', () => {
    expect(formatAge(3_900)).toBe('3 s');
    expect(formatAge(-1)).toBe('0 s');
  });

  it('shows signed seconds with every digit, and with equal decimals where they are compared', () => {
    const texts = [signedSecondsText(-480_000n), signedSecondsText(-480_000n, 3), signedSecondsText(0n, 3)];
    expect(texts).toEqual(['−0.48 s', '−0.480 s', '0.000 s']);
  });
});

it.each([
  [7_999, '7 s'],
  [60_000, '1 min'],
  [125_000, '2 min 05 s'],
  [10_800_000, '3 h'],
  [345_600_000, '4 d'],
  [36_000_000, '10 h'],
])('formatSpan writes %d ms as "%s"', (ms, text) => {
  expect(formatSpan(ms)).toBe(text);
});
