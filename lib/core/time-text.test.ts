import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatIsoSeconds, parseIsoTime } from './time';
import {
  clockWords,
  formatRelative,
  inputZone,
  isTimeZone,
  momentFieldText,
  momentText,
  momentWords,
  pickedMoment,
  pickerText,
  readZoneCookie,
  shownMoment,
  typedMoment,
  writeCookie,
  zoneCookie,
  zoneOffsetMs,
} from './time-text';

const UTC = { zone: 'utc', timeZone: 'UTC' } as const;
const BERLIN = { zone: 'local', timeZone: 'Europe/Berlin' } as const;
const AT = Date.UTC(2026, 10, 20, 8, 5, 3, 120);

const secondOf = (ms: number) => Math.floor(ms / 1000) * 1000;
/** The last zone with an offset of half a minute, which ISO text cannot express, changed it on 7 January 1972. */
const anyMoment = fc.integer({ min: Date.UTC(1972, 0, 8), max: Date.UTC(2200, 0, 1) });
const anyZone = fc.constantFrom(...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC'));

/** The local time in the second line of a moment's tooltip. */
function withOffset(ms: number, timeZone: string): string {
  const line = momentText(ms, { zone: 'local', timeZone }, ms).title.split('\n')[1] ?? '';
  const [day, time, offset] = line.split(' ');
  return `${day} ${time}${offset}`;
}

describe('shownMoment', () => {
  it('shows UTC and local times in the same form, to the second', () => {
    expect(shownMoment(AT, UTC, AT)).toBe('2026-11-20 08:05:03');
    expect(shownMoment(AT, BERLIN, AT)).toBe('2026-11-20 09:05:03');
  });

  it('reads back to the same second in UTC', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }), (ms) => {
        expect(parseIsoTime(shownMoment(ms, UTC, 0))).toBe(secondOf(ms));
      }),
    );
  });

  it('reads back to the same second with the offset of any zone', () => {
    fc.assert(
      fc.property(anyMoment, anyZone, (ms, timeZone) => {
        const text = withOffset(ms, timeZone);
        expect(parseIsoTime(text)).toBe(secondOf(ms));
      }),
    );
  });

  it('never reads the same for two seconds, in any zone on any day of the year', () => {
    for (const timeZone of Intl.supportedValuesOf('timeZone')) {
      const style = { zone: 'local', timeZone } as const;
      for (let dayMs = Date.UTC(2026, 0, 1); dayMs < Date.UTC(2027, 0, 1); dayMs += 86_400_000) {
        // Times of a day look the same only at a clock change.
        if (zoneOffsetMs(dayMs, timeZone) === zoneOffsetMs(dayMs + 86_400_000, timeZone)) continue;
        const moments = Array.from({ length: 6 * 36 }, (_, index) => dayMs + (index - 36) * 600_000);
        const texts = moments.map((ms) => shownMoment(ms, style, ms));
        expect([timeZone, texts.length]).toEqual([timeZone, new Set(texts).size]);
      }
    }
  });

  it('includes the offset only where clocks are set back', () => {
    const first = Date.UTC(2026, 9, 25, 0, 30);
    const again = Date.UTC(2026, 9, 25, 1, 30);
    const before = first - 3_600_000;
    const after = again + 3_600_000;
    const texts = [before, first, again, after].map((ms) => shownMoment(ms, BERLIN, ms));
    expect(texts).toEqual([
      '2026-10-25 01:30:00',
      '2026-10-25 02:30:00 +02:00',
      '2026-10-25 02:30:00 +01:00',
      '2026-10-25 03:30:00',
    ]);
    expect(momentWords(again, BERLIN, again)).toBe('02:30:00 +01:00');
  });

  it('names a time beyond the calendar as such, in every style', () => {
    for (const zone of ['utc', 'local', 'relative'] as const) {
      expect(shownMoment(1e20, { zone, timeZone: 'Europe/Berlin' }, AT)).toBe('out of range');
      expect(shownMoment(Number.NaN, { zone, timeZone: 'Europe/Berlin' }, AT)).toBe('out of range');
    }
  });
});

describe('zones', () => {
  const spring = Date.UTC(2026, 2, 29, 0, 59, 59);
  const autumn = Date.UTC(2026, 9, 25, 0, 30);
  it.each([
    ['before an hour is left out', spring, 'Europe/Berlin', '2026-03-29 01:59:59+01:00'],
    ['and after it', spring + 1000, 'Europe/Berlin', '2026-03-29 03:00:00+02:00'],
    ['in an hour that comes twice', autumn, 'Europe/Berlin', '2026-10-25 02:30:00+02:00'],
    ['and when it comes again', autumn + 3_600_000, 'Europe/Berlin', '2026-10-25 02:30:00+01:00'],
    ['where the offset is no whole hours', AT, 'Asia/Kathmandu', '2026-11-20 13:50:03+05:45'],
    ['where it is behind UTC', AT, 'America/St_Johns', '2026-11-20 04:35:03-03:30'],
  ])('are right %s', (_, ms, zone, text) => {
    expect(withOffset(ms, zone)).toBe(text);
  });

  it('treats an unknown name as UTC', () => {
    for (const name of ['Mars/Olympus', '', 'UTC; Path=/', 'x'.repeat(5000)]) {
      expect(isTimeZone(name)).toBe(false);
      expect(zoneOffsetMs(AT, name)).toBe(0);
    }
  });
});

describe('momentText', () => {
  it('has UTC, local time with its offset and the service’s digits in its title', () => {
    const { title, iso } = momentText(AT, BERLIN, AT, '2026-11-20T08:05:03.120456Z');
    expect(title.split('\n')).toEqual([
      '2026-11-20 08:05:03 UTC',
      '2026-11-20 09:05:03 +01:00 Europe/Berlin',
      'As sent: 2026-11-20T08:05:03.120456Z',
    ]);
    expect(iso).toBe('2026-11-20T08:05:03.120456Z');
  });

  it('copies milliseconds in UTC where the service wrote nothing', () => {
    expect(momentText(AT, BERLIN, AT).iso).toBe('2026-11-20T08:05:03.120Z');
  });

  it('omits the local line where local is UTC', () => {
    expect(momentText(AT, UTC, AT).title).toBe('2026-11-20 08:05:03 UTC');
  });
});

it.each([
  [0, '0 s ago'],
  [-9_999, '0 s ago'],
  [59_999, '59 s ago'],
  [60_000, '1 min ago'],
  [7_200_000, '2 h ago'],
  [172_800_000, '2 d ago'],
  [-180_000, 'in 3 min'],
])('formatRelative shows what is %d ms ago as "%s"', (age, text) => {
  expect(formatRelative(AT - age, AT)).toBe(text);
});

it('a time of day includes its date unless it is today’s', () => {
  const friday = Date.UTC(2026, 10, 20, 20, 59, 58);
  const monday = Date.UTC(2026, 10, 23, 9);
  expect(clockWords(friday, UTC, monday)).toBe('2026-11-20 20:59:58 UTC');
  expect(clockWords(friday, BERLIN, monday)).toBe('2026-11-20 21:59:58 +01:00');
  expect(clockWords(monday, { ...BERLIN, zone: 'relative' }, monday)).toBe('09:00:00 UTC');
});

it('momentWords omits the date if it is today’s by the shown clock', () => {
  const late = Date.UTC(2026, 10, 20, 23, 30);
  expect(momentWords(late, UTC, late)).toBe('23:30:00 UTC');
  expect(momentWords(late, BERLIN, late)).toBe('00:30:00 +01:00');
  expect(momentWords(AT, BERLIN, late)).toBe('2026-11-20 09:05:03 +01:00');
  expect(momentWords(AT, { ...UTC, zone: 'relative' }, AT + 180_000)).toBe('3 min ago');
});

const SHOWN_UTC = { zone: 'utc', timeZone: 'Europe/Berlin' } as const;
const SHOWN_BERLIN = { zone: 'local', timeZone: 'Europe/Berlin' } as const;
const styles = [
  SHOWN_UTC,
  SHOWN_BERLIN,
  { zone: 'local', timeZone: 'Asia/Kathmandu' },
  { zone: 'relative', timeZone: 'America/New_York' },
] as const;

describe('typedMoment', () => {
  it.each([
    ['2026-11-20 09:05:03 UTC', '2026-11-20T09:05:03Z'],
    ['2026-11-20 09:05 GMT', '2026-11-20T09:05:00Z'],
    ['2026-11-20 UTC', '2026-11-20T00:00:00Z'],
    ['2026-11-20 10:05:03 +01:00 Europe/Berlin', '2026-11-20T09:05:03Z'],
    ['2026-10-25 02:30:00 +01:00', '2026-10-25T01:30:00Z'],
    ['2026-10-25 02:30:00.5 +0200', '2026-10-25T00:30:00Z'],
  ])('reads %j as our pages write it', (text, iso) => {
    const ms = parseIsoTime(typedMoment(text, BERLIN) ?? '') ?? Number.NaN;
    expect(formatIsoSeconds(ms)).toBe(iso);
  });

  it('reads text without a zone by the shown clock', () => {
    expect(typedMoment(' 2026-11-20T09:00 ', SHOWN_UTC)).toBe('2026-11-20T09:00');
    expect(typedMoment('2026-11-20', SHOWN_BERLIN)).toBe('2026-11-20T00:00+01:00');
    const late = Date.UTC(2026, 10, 20, 23, 30);
    expect(typedMoment('Yesterday 14:00', SHOWN_UTC, late)).toBe('2026-11-19 14:00');
    expect(typedMoment('yesterday 9:00', SHOWN_BERLIN, late)).toBe('2026-11-20 09:00+01:00');
    expect(typedMoment('today', SHOWN_UTC, late)).toBe('2026-11-20 00:00');
  });

  it.each([
    ['2026-11-20T09:00', '+01:00'],
    ['2026-07-20 09:00:03.25', '+02:00'],
    ['2026-11-20T09:00Z', ''],
    ['2026-11-20T09:00:00-03:30', ''],
    ['2026-11-20 09:00+02', ''],
    ['2026-03-29T01:59', '+01:00'],
    ['2026-03-29T02:30', '+01:00'],
    ['2026-03-29T03:00', '+02:00'],
    ['2026-10-25T02:30', '+02:00'],
    ['2026-10-25T03:00', '+01:00'],
  ])(
    'adds to %s “%s”: its own zone holds, and around a change of the clock the one of then',
    (text, zone) => {
      expect(typedMoment(text, SHOWN_BERLIN)).toBe(`${text}${zone}`);
    },
  );

  it.each(['', 'tomorrow', '2026-02-30', '09:00', '1763625600'])('reads no time from “%s”', (text) => {
    expect(typedMoment(text, SHOWN_UTC)).toBeUndefined();
    expect(typedMoment(text, SHOWN_BERLIN)).toBeUndefined();
  });
});

describe('the fields', () => {
  it('show a moment so that it reads back as the same one', () => {
    const anySecond = fc.integer({ min: 0, max: 4_102_444_800 }).map((s) => s * 1000);
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

  it('show the text of the link, or the same moment by the local clock with its offset', () => {
    expect(momentFieldText('2026-11-20T09:00', SHOWN_UTC)).toBe('2026-11-20T09:00');
    expect(momentFieldText('2026-11-20T08:00:00.12Z', SHOWN_BERLIN)).toBe('2026-11-20T09:00:00.12+01:00');
  });

  it('treat ages and an unknown zone as UTC', () => {
    expect(inputZone({ zone: 'relative', timeZone: 'Europe/Berlin' })).toBe('UTC');
    expect(inputZone({ zone: 'local', timeZone: 'Nowhere/Town' })).toBe('UTC');
  });
});

it('the picker shows the clock of the style and returns its moment', () => {
  expect(pickerText('2026-11-20T08:00:03.9Z', SHOWN_BERLIN)).toBe('2026-11-20T09:00:03');
  expect(pickerText('2026-11-20T08:00:03Z', SHOWN_UTC)).toBe('2026-11-20T08:00:03');
  expect(pickedMoment('2026-11-20T09:00', SHOWN_BERLIN)).toBe('2026-11-20T09:00+01:00');
  expect(pickedMoment('2026-11-20T09:00', SHOWN_UTC)).toBe('2026-11-20T09:00:00Z');
  expect(pickedMoment('', SHOWN_UTC)).toBeUndefined();
  expect(pickerText('nonsense', SHOWN_UTC)).toBe('');
});

/** The value of a cookie that a server receives. */
const sentValue = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1, cookie.indexOf(';'));

describe('the cookie of the zone', () => {
  it('reads back every style and zone', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('utc', 'local', 'relative'),
        fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
        (zone, timeZone) => {
          const style = { zone, timeZone } as const;
          expect(readZoneCookie(sentValue(zoneCookie(style)))).toEqual(style);
        },
      ),
    );
  });

  it('treats anything else as no choice, and keeps a choice with an unknown zone', () => {
    for (const text of [undefined, '', 'mars', ':', 'LOCAL:Europe/Berlin', '__proto__:x']) {
      expect(readZoneCookie(text)).toEqual({ zone: 'utc', timeZone: 'UTC' });
    }
    expect(readZoneCookie('local:Mars/Olympus')).toEqual({ zone: 'local', timeZone: 'UTC' });
  });

  it('holds for a year and for every page', () => {
    const page = { cookie: '' };
    writeCookie(page, zoneCookie({ zone: 'local', timeZone: 'Europe/Berlin' }));
    expect(page.cookie).toBe('ks-zone=local:Europe/Berlin; Path=/; Max-Age=31536000; SameSite=Lax');
  });
});
