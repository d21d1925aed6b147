import { describe, expect, it } from 'vitest';
import type { CompactFeed } from '@/lib/feeds/stream-events';
import { currencyOf, marketAt } from './currency';
import { pointOf } from './history';

const HOURS = 'America/New_York;0930-1600,0930-1600,0930-1600,0930-1600,0930-1600,C,C;';
const at = (text: string) => Date.parse(text);

function update(atMs: number, change: Partial<CompactFeed> = {}): CompactFeed {
  return { id: 'a'.repeat(64), p: '1', c: '1', e: 0, t: Math.floor(atMs / 1000), r: atMs, ...change };
}

const FRIDAY_CLOSE = at('2026-11-20T21:00:00Z');
const floors = { lateS: 5, staleS: 60 };

function judged(ageS: number, change: Partial<Parameters<typeof currencyOf>[0]> = {}) {
  const nowMs = FRIDAY_CLOSE + 3_600_000;
  const latest = update(nowMs - ageS * 1000);
  return currencyOf({ latest, points: [], nowMs, floors, ...change });
}

describe('how current a feed is', () => {
  it('is judged by the floors where nothing of its cadence is known', () => {
    expect([0, 4, 6, 61].map((ageS) => judged(ageS).word)).toEqual(['fresh', 'fresh', 'late', 'stale']);
  });

  it('is judged by its own pauses where they are longer, as the service tells them', () => {
    const nowMs = FRIDAY_CLOSE + 3_600_000;
    const points = [400, 300, 200, 100].map((agoS) => {
      const one = update(nowMs - agoS * 1000);
      return pointOf({ ...one, pp: one.t - 100 });
    });
    expect(judged(250, { points }).word).toBe('fresh');
    expect(judged(350, { points }).word).toBe('late');
  });

  it('says that the market is closed, and when it opens, where a late feed has hours', () => {
    expect(judged(3_600, { market: { schedule: HOURS } })).toMatchObject({
      word: 'closed',
      opensAtMs: at('2026-11-23T14:30:00Z'),
    });
    expect(judged(2, { market: { schedule: HOURS } }).word).toBe('fresh');
    expect(judged(3_600, { market: { state: 'inactive' } }).word).toBe('inactive');
  });

  it('never has a negative age, whatever the clocks', () => {
    expect(judged(-600).ageS).toBe(0);
  });
});

describe('the market of a schedule', () => {
  it('is open or closed by its hours', () => {
    const kinds = [FRIDAY_CLOSE - 1, FRIDAY_CLOSE, at('2026-11-23T14:30:00Z'), FRIDAY_CLOSE - 1];
    expect(kinds.map((atMs) => marketAt(HOURS, atMs)?.kind)).toEqual(['open', 'closed', 'open', 'open']);
  });

  it('is not told where the text or its zone can’t be read', () => {
    expect(marketAt('anything', 0)).toBeUndefined();
    expect(marketAt('Mars/Olympus;O,O,O,O,O,O,O;', 0)).toBeUndefined();
  });
});
