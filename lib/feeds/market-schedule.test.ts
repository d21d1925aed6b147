import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { marketAt } from './market-schedule';

const NEW_YORK =
  'America/New_York;0930-1600,0930-1600,0930-1600,0930-1600,0930-1600,C,C;1126/C,1127/0930-1300';
const DAY = '0900-1130&1230-1500';
const TOKYO = `Asia/Tokyo;${DAY},${DAY},${DAY},${DAY},${DAY},C,C;`;

describe('the market of a schedule', () => {
  it.each([
    ['open by its own clock', NEW_YORK, '2026-11-20T15:00:00Z', 'open'],
    ['open until the last millisecond', NEW_YORK, '2026-11-20T20:59:59.999Z', 'open'],
    ['closed from then on, over the weekend', NEW_YORK, '2026-11-20T21:00:00Z', '2026-11-23T14:30:00Z'],
    ['open an hour earlier in summer', NEW_YORK, '2026-07-20T13:30:00Z', 'open'],
    ['closed on a holiday', NEW_YORK, '2026-11-26T17:00:00Z', '2026-11-27T14:30:00Z'],
    ['closed early on a short day', NEW_YORK, '2026-11-27T18:00:00Z', '2026-11-30T14:30:00Z'],
    ['closed in the middle of a day', TOKYO, '2026-11-20T03:00:00Z', '2026-11-20T03:30:00Z'],
    ['closed, and opens never', 'Etc/UTC;C,C,C,C,C,C,C;', '2026-11-17T12:00:00Z', 'never'],
  ])('is %s', (_, text, moment, expected) => {
    const market = marketAt(text, Date.parse(moment));
    const opensAtMs = expected === 'never' ? undefined : Date.parse(expected);
    expect(market).toEqual(expected === 'open' ? { kind: 'open' } : { kind: 'closed', opensAtMs });
  });

  it('is not known where the text is anything else', () => {
    for (const text of [
      '',
      'UTC',
      'UTC;O,O,O',
      'UTC;O,O,O,O,O,O,X;',
      'UTC;O,O,O,O,O,O,0900;',
      'UTC;O,O,O,O,O,O,1600-0900;',
      'UTC;O,O,O,O,O,O,0960-1600;',
      'UTC;O,O,O,O,O,O,O;07/C',
      ';O,O,O,O,O,O,O;',
      'Mars/Olympus;O,O,O,O,O,O,O;',
      `UTC;O,O,O,O,O,O,O;${'0101/C,'.repeat(5000)}`,
      undefined,
    ]) {
      expect(marketAt(text, 0)).toBeUndefined();
    }
    fc.assert(fc.property(fc.string(), (text) => void marketAt(text, 0)));
  });
});
