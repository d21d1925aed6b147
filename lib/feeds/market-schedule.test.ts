import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MarketSchedule, marketStateAt, parseMarketSchedule } from './market-schedule';

const UTC = () => 0;
const NEW_YORK =
  'America/New_York;0930-1600,0930-1600,0930-1600,0930-1600,0930-1600,C,C;1126/C,1127/0930-1300';
const at = (text: string) => Date.parse(text);

function parsed(text: string): MarketSchedule {
  const schedule = parseMarketSchedule(text);
  if (schedule === undefined) throw new Error('not a schedule');
  return schedule;
}

describe('the schedule of a market', () => {
  it('is read with its zone, its week and its holidays', () => {
    const schedule = parsed(NEW_YORK);
    expect(schedule.timeZone).toBe('America/New_York');
    expect(schedule.week[0]).toEqual([{ fromMin: 570, untilMin: 960 }]);
    expect(schedule.week[6]).toEqual([]);
    expect(schedule.holidays.get('1127')).toEqual([{ fromMin: 570, untilMin: 780 }]);
  });

  it('is none where the text is anything else', () => {
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
      `UTC;O,O,O,O,O,O,O;${'0101/C,'.repeat(5000)}`,
    ]) {
      expect(parseMarketSchedule(text)).toBeUndefined();
    }
    fc.assert(fc.property(fc.string(), (text) => void parseMarketSchedule(text)));
  });

  it('tells open from closed, and when it opens', () => {
    // A Friday; New York is five hours behind.
    const offset = () => -5 * 3_600_000;
    const schedule = parsed(NEW_YORK);
    expect(marketStateAt(schedule, at('2026-11-20T15:00:00Z'), offset)).toEqual({ kind: 'open' });
    expect(marketStateAt(schedule, at('2026-11-20T21:00:00Z'), offset)).toEqual({
      kind: 'closed',
      opensAtMs: at('2026-11-23T14:30:00Z'),
    });
  });

  it('knows holidays and short days', () => {
    const schedule = parsed(NEW_YORK);
    expect(marketStateAt(schedule, at('2026-11-26T12:00:00Z'), UTC)).toEqual({
      kind: 'closed',
      opensAtMs: at('2026-11-27T09:30:00Z'),
    });
    expect(marketStateAt(schedule, at('2026-11-27T14:00:00Z'), UTC).kind).toBe('closed');
  });

  it('says nothing of an opening that never comes', () => {
    const never = parsed('Etc/UTC;C,C,C,C,C,C,C;');
    expect(marketStateAt(never, at('2026-11-17T12:00:00Z'), UTC)).toEqual({ kind: 'closed' });
  });

  it('has a break in the middle of a day', () => {
    const day = '0900-1130&1230-1500';
    const schedule = parsed(`Asia/Tokyo;${day},${day},${day},${day},${day},C,C;`);
    const offset = () => 9 * 3_600_000;
    expect(marketStateAt(schedule, at('2026-11-20T03:00:00Z'), offset)).toEqual({
      kind: 'closed',
      opensAtMs: at('2026-11-20T03:30:00Z'),
    });
  });
});
