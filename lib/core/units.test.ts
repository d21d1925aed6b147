import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatIsoMillis,
  formatIsoSeconds,
  formatUtcSeconds,
  isoTimeInUtc,
  isUsualTime,
  microsToMillis,
  millisToMicros,
  millisToSeconds,
  parseIsoTime,
  secondsToMillis,
  unixMicros,
  unixMillis,
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

  it('reads what toISOString writes, with and without the zone', () => {
    fc.assert(
      fc.property(anyDate, (date) => {
        const text = date.toISOString();
        expect(parseIsoTime(text)).toBe(date.getTime());
        expect(parseIsoTime(text.slice(0, -1))).toBe(date.getTime());
      }),
    );
  });
});

describe('isoTimeInUtc', () => {
  it('keeps every digit of the fraction while it moves the zone', () => {
    expect(isoTimeInUtc('2026-11-20T08:05:03.123456789+02:00')).toBe('2026-11-20T06:05:03.123456789Z');
    expect(isoTimeInUtc('2026-11-20T08:05')).toBe('2026-11-20T08:05:00Z');
    expect(isoTimeInUtc('2026-02-30')).toBeUndefined();
  });

  it('names the same moment as the text it was given', () => {
    fc.assert(
      fc.property(anyDate, (date) => {
        const text = date.toISOString().replace('Z', '+05:45');
        const moved = isoTimeInUtc(text);
        expect(moved === undefined ? undefined : parseIsoTime(moved)).toBe(parseIsoTime(text));
      }),
    );
  });
});

describe('conversions', () => {
  it('change the unit by the factor between them, rounding down', () => {
    const seconds = unixSeconds(1_690_576_635);
    expect(seconds === undefined ? undefined : secondsToMillis(seconds)).toBe(1_690_576_635_000);
    expect(millisToSeconds(unixMillis(1_690_576_635_999))).toBe(1_690_576_635);
    expect(microsToMillis(unixMicros(1_690_576_635_000_999n))).toBe(1_690_576_635_000);
    expect(microsToMillis(unixMicros(-1n))).toBe(-1);
    expect(millisToMicros(unixMillis(1_690_576_635_123))).toBe(1_690_576_635_123_000n);
  });

  it('take no seconds that are broken, negative or beyond the year 9999', () => {
    for (const value of [1.5, -1, Number.NaN, Number.POSITIVE_INFINITY, 253_402_300_800]) {
      expect(unixSeconds(value)).toBeUndefined();
    }
    expect(unixSeconds(253_402_300_799)).toBe(253_402_300_799);
  });
});

describe('formatting', () => {
  it('writes UTC, to the millisecond or the second', () => {
    const moment = unixMillis(Date.UTC(2026, 10, 20, 8, 5, 3, 987));
    expect(formatIsoMillis(moment)).toBe('2026-11-20T08:05:03.987Z');
    expect(formatIsoSeconds(moment)).toBe('2026-11-20T08:05:03Z');
    expect(formatUtcSeconds(moment)).toBe('2026-11-20 08:05:03');
  });

  it('says so when a moment has no text, rather than throwing', () => {
    for (const value of [8.64e15 + 1, Number.NaN, -1e15]) {
      expect(formatIsoMillis(unixMillis(value))).toBe('out of range');
      expect(formatIsoSeconds(unixMillis(value))).toBe('out of range');
      expect(formatUtcSeconds(unixMillis(value))).toBe('out of range');
    }
  });
});

describe('isUsualTime', () => {
  it('says yes only to what parseIsoTime reads', () => {
    const digits = (length: number) => fc.stringMatching(new RegExp(`^\\d{${length}}$`));
    const likeATime = fc
      .tuple(digits(4), digits(2), digits(2), digits(2), digits(2), digits(2), fc.constantFrom('', '.5', '.'))
      .map(([y, mon, d, h, m, s, fraction]) => `${y}-${mon}-${d}T${h}:${m}:${s}${fraction}Z`);
    fc.assert(
      fc.property(likeATime, (text) => {
        if (isUsualTime(text)) expect(parseIsoTime(text)).toBeDefined();
      }),
      { numRuns: 2000 },
    );
  });

  it('says yes to the form that services write', () => {
    expect(isUsualTime('2026-11-20T08:05:03.120Z')).toBe(true);
    expect(isUsualTime('2026-02-29T08:05:03Z')).toBe(false);
  });
});
