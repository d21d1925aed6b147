import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatIsoSeconds, parseIsoTime, unixMillis } from './time';
import { inputZone, momentFieldText, pickedMoment, pickerText, typedMoment } from './time-text';

const UTC = { zone: 'utc', timeZone: 'Europe/Berlin' } as const;
const BERLIN = { zone: 'local', timeZone: 'Europe/Berlin' } as const;
const styles = [
  UTC,
  BERLIN,
  { zone: 'local', timeZone: 'Asia/Kathmandu' },
  { zone: 'relative', timeZone: 'America/New_York' },
] as const;

describe('typedMoment', () => {
  it('takes text without a zone by the clock that is shown', () => {
    expect(typedMoment(' 2026-11-20T09:00 ', UTC)).toBe('2026-11-20T09:00');
    expect(typedMoment('2026-11-20T09:00', BERLIN)).toBe('2026-11-20T09:00+01:00');
    expect(typedMoment('2026-07-20 09:00:03.25', BERLIN)).toBe('2026-07-20 09:00:03.25+02:00');
    expect(typedMoment('2026-11-20', BERLIN)).toBe('2026-11-20T00:00+01:00');
  });

  it('takes text with a zone by that zone', () => {
    for (const text of ['2026-11-20T09:00Z', '2026-11-20T09:00:00-03:30', '2026-11-20 09:00+02']) {
      expect(typedMoment(text, BERLIN)).toBe(text);
    }
  });

  it('takes nothing that is no time', () => {
    for (const text of ['', 'yesterday', '2026-02-30', '09:00', '1763625600']) {
      expect(typedMoment(text, UTC)).toBeUndefined();
      expect(typedMoment(text, BERLIN)).toBeUndefined();
    }
  });

  it('reads the hours around a change of the clock', () => {
    expect(typedMoment('2026-03-29T01:59', BERLIN)).toBe('2026-03-29T01:59+01:00');
    expect(typedMoment('2026-03-29T02:30', BERLIN)).toBe('2026-03-29T02:30+01:00');
    expect(typedMoment('2026-03-29T03:00', BERLIN)).toBe('2026-03-29T03:00+02:00');
    expect(typedMoment('2026-10-25T02:30', BERLIN)).toBe('2026-10-25T02:30+02:00');
    expect(typedMoment('2026-10-25T03:00', BERLIN)).toBe('2026-10-25T03:00+01:00');
  });
});

describe('the fields', () => {
  it('show a moment so that it is read back as the same one', () => {
    const anySecond = fc.integer({ min: 0, max: 4_102_444_800 }).map((s) => unixMillis(s * 1000));
    fc.assert(
      fc.property(
        anySecond,
        fc.constantFrom(...styles),
        fc.constantFrom('', '.5', '.123456789'),
        (ms, style, part) => {
          const iso = formatIsoSeconds(ms).replace('Z', `${part}Z`);
          const shown = typedMoment(momentFieldText(iso, style), style) ?? '';
          expect(parseIsoTime(shown)).toBe(parseIsoTime(iso));
        },
      ),
    );
  });

  it('show what the link says, or the same by the local clock with its offset', () => {
    expect(momentFieldText('2026-11-20T09:00', UTC)).toBe('2026-11-20T09:00');
    expect(momentFieldText('2026-11-20T08:00:00.12Z', BERLIN)).toBe('2026-11-20T09:00:00.12+01:00');
  });

  it('count ages as UTC, and an unknown zone too', () => {
    expect(inputZone({ zone: 'relative', timeZone: 'Europe/Berlin' })).toBe('UTC');
    expect(inputZone({ zone: 'local', timeZone: 'Nowhere/Town' })).toBe('UTC');
  });
});

describe('the picker', () => {
  it('shows the clock of the style and gives back its moment', () => {
    expect(pickerText('2026-11-20T08:00:03.9Z', BERLIN)).toBe('2026-11-20T09:00:03');
    expect(pickerText('2026-11-20T08:00:03Z', UTC)).toBe('2026-11-20T08:00:03');
    expect(pickedMoment('2026-11-20T09:00', BERLIN)).toBe('2026-11-20T09:00+01:00');
    expect(pickedMoment('2026-11-20T09:00', UTC)).toBe('2026-11-20T09:00:00Z');
    expect(pickedMoment('', UTC)).toBeUndefined();
    expect(pickerText('nonsense', UTC)).toBe('');
  });
});
