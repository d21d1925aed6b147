import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closedSpans, marketAt } from './market';

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

  it('is unknown for any other text', () => {
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

describe('the times at which a market is closed', () => {
  const spans = (text: string, from: string, until: string) =>
    closedSpans(text, Date.parse(from), Date.parse(until)).map(({ fromMs, untilMs }) =>
      [fromMs, untilMs].map((ms) => new Date(ms).toISOString().slice(0, 16)),
    );
  const FX = 'America/New_York;O,O,O,O,0000-1700,C,1700-2400;';

  it('are the weekend of a week, by its own clock, over a change to winter time', () => {
    expect(spans(FX, '2026-11-16T00:00Z', '2026-11-23T12:00Z')).toEqual([
      ['2026-11-20T22:00', '2026-11-22T22:00'],
    ]);
    expect(spans(FX, '2026-10-30T12:00Z', '2026-11-02T12:00Z')).toEqual([
      ['2026-10-30T21:00', '2026-11-01T22:00'],
    ]);
  });

  it('are cut to the requested time, with nights and holidays', () => {
    expect(spans(FX, '2026-11-21T00:00Z', '2026-11-21T06:00Z')).toEqual([
      ['2026-11-21T00:00', '2026-11-21T06:00'],
    ]);
    expect(spans(NEW_YORK, '2026-11-25T15:00Z', '2026-11-27T15:00Z')).toEqual([
      ['2026-11-25T21:00', '2026-11-27T14:30'],
    ]);
    expect(spans(FX, '2026-11-18T00:00Z', '2026-11-18T06:00Z')).toEqual([]);
    expect(spans('no schedule', '2026-11-18T00:00Z', '2026-11-18T06:00Z')).toEqual([]);
  });

  it('are those of the market itself, through hours that clocks skip or show twice', () => {
    const hours = 'America/New_York;0130-0230,O,O,O,O,O,0000-0130&0230-2400;';
    for (const day of ['2026-11-01', '2026-03-08']) {
      const fromMs = Date.parse(`${day}T03:00Z`);
      const closed = closedSpans(hours, fromMs, fromMs + 8 * 3_600_000);
      const differing = Array.from({ length: 8 * 12 }, (_, index) => fromMs + index * 300_000).filter(
        (atMs) =>
          closed.some((span) => span.fromMs <= atMs && atMs < span.untilMs) !==
          (marketAt(hours, atMs)?.kind === 'closed'),
      );
      expect(differing.map((ms) => new Date(ms).toISOString())).toEqual([]);
    }
  });

  it('hold exactly the moments at which the market is closed', () => {
    const moment = fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2026-12-31') });
    const text = fc.constantFrom(FX, NEW_YORK, TOKYO, 'Etc/UTC;C,C,C,C,C,C,C;', 'Etc/UTC;O,O,O,O,O,O,O;');
    fc.assert(
      fc.property(text, moment, fc.nat(7 * 86_400_000), fc.nat(1_000), (schedule, fromMs, length, share) => {
        const atMs = fromMs + Math.floor((length * share) / 1_001);
        const isClosed = closedSpans(schedule, fromMs, fromMs + length + 1).some(
          (span) => span.fromMs <= atMs && atMs < span.untilMs,
        );
        expect(isClosed).toBe(marketAt(schedule, atMs)?.kind === 'closed');
      }),
    );
  });
});
