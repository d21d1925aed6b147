import { expect, it } from 'vitest';
import type { FeedEntry, FeedId } from '@/lib/core/feed';
import { isTrading } from './market-now';

const NEW_YORK = 'America/New_York;0930-1600,0930-1600,0930-1600,0930-1600,0930-1600,C,C;';
const TOKYO = 'Asia/Tokyo;0900-1500,0900-1500,0900-1500,0900-1500,0900-1500,C,C;';

function feed(more: Partial<FeedEntry>): FeedEntry {
  return { id: 'ab'.repeat(32) as FeedId, symbol: 'Equity.US.X/USD', assetType: 'Equity', ...more };
}

const at = (text: string) => Date.parse(text);

it.each([
  ['before the opening in winter', NEW_YORK, '2026-11-20T14:29:00Z', false],
  ['at the opening in winter', NEW_YORK, '2026-11-20T14:30:00Z', true],
  ['an hour earlier in summer', NEW_YORK, '2026-07-20T13:30:00Z', true],
  ['at the close', NEW_YORK, '2026-11-20T21:00:00Z', false],
  ['on a weekend', NEW_YORK, '2026-11-21T16:00:00Z', false],
  ['east of UTC, on the day before by UTC', TOKYO, '2026-11-20T00:00:00Z', true],
])('knows a market %s', (_, schedule, moment, open) => {
  expect(isTrading(feed({ schedule }), at(moment))).toBe(open);
});

it('expects no price of a feed that is not published, and always one where it never closes', () => {
  expect(isTrading(feed({ state: 'coming_soon', schedule: 'UTC;O,O,O,O,O,O,O;' }), 0)).toBe(false);
  expect(isTrading(feed({ state: 'stable', schedule: 'UTC;O,O,O,O,O,O,O;' }), 0)).toBe(true);
});

it('knows nothing where the directory says nothing that can be read', () => {
  for (const schedule of [undefined, '', 'Nowhere/Town;O,O,O,O,O,O,O;', '../etc;O,O,O,O,O,O,O;', 'UTC;O']) {
    expect(isTrading(feed(schedule === undefined ? {} : { schedule }), 0)).toBeUndefined();
  }
});
