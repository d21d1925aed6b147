import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepCookie, readZoneCookie, zoneCookie } from './time-text';

/** The value as a server gets it. */
const sentValue = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1, cookie.indexOf(';'));

describe('the cookie of the zone', () => {
  it('reads back what was written, for every style and zone', () => {
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

  it('counts anything else as not chosen, and keeps a choice whose zone is not known', () => {
    for (const text of [undefined, '', 'mars', ':', 'LOCAL:Europe/Berlin', '__proto__:x']) {
      expect(readZoneCookie(text)).toEqual({ zone: 'utc', timeZone: 'UTC' });
    }
    expect(readZoneCookie('local:Mars/Olympus')).toEqual({ zone: 'local', timeZone: 'UTC' });
  });

  it('holds for a year and for every page', () => {
    const page = { cookie: '' };
    keepCookie(page, zoneCookie({ zone: 'local', timeZone: 'Europe/Berlin' }));
    expect(page.cookie).toBe('ks-zone=local:Europe/Berlin; Path=/; Max-Age=31536000; SameSite=Lax');
  });
});
