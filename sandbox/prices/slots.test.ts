import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sandboxFeeds } from './feeds';
import {
  EVERY_SLOT,
  FIRST_MISSING,
  isUpdated,
  MARKET_HOURS,
  previousPublishTime,
  publishTime,
  silentSince,
  slotAt,
  slotTime,
  slowCadence,
  updateAtOrBefore,
} from './slots';

const anyMs = fc.integer({ min: Date.UTC(2020, 0, 2), max: Date.UTC(2035, 0, 1) });

const cadences = [
  EVERY_SLOT,
  slowCadence(50),
  MARKET_HOURS,
  silentSince(Date.UTC(2026, 0, 1)),
  FIRST_MISSING,
];

describe('cadences', () => {
  it.each(cadences)('find the same updates from both sides: $kind', (cadence) => {
    fc.assert(
      fc.property(anyMs, (ms) => {
        const slot = slotAt(ms);
        const before = updateAtOrBefore(cadence, slot);
        const after = cadence.atOrAfter(slot);
        expect(before).toBeLessThanOrEqual(slot);
        expect(isUpdated(cadence, before ?? 0)).toBe(true);
        if (after === undefined) return;
        expect(after).toBeGreaterThanOrEqual(slot);
        expect(isUpdated(cadence, after)).toBe(true);
        expect(isUpdated(cadence, slot)).toBe(after === slot);
        const previous = updateAtOrBefore(cadence, after - 1);
        if (before !== slot) expect(previous).toBe(before);
        if (cadence.kind === 'first-missing') return;
        expect(previousPublishTime(cadence, after)).toBe(publishTime(previous ?? 0));
      }),
    );
  });

  it('close the market at night and over the weekend', () => {
    const market = MARKET_HOURS;
    const beforeOpening = slotAt(Date.UTC(2026, 10, 20, 12)); // a Friday
    expect(slotTime(market.atOrAfter(beforeOpening) ?? 0)).toBe(Date.UTC(2026, 10, 20, 14, 30));
    expect(slotTime((updateAtOrBefore(market, beforeOpening) ?? 0) + 1)).toBe(Date.UTC(2026, 10, 19, 21));
    const saturday = slotAt(Date.UTC(2026, 10, 21, 16));
    expect(slotTime((updateAtOrBefore(market, saturday) ?? 0) + 1)).toBe(Date.UTC(2026, 10, 20, 21));
    expect(slotTime(market.atOrAfter(saturday) ?? 0)).toBe(Date.UTC(2026, 10, 23, 14, 30));
    const firstOfMonday = market.atOrAfter(saturday) ?? 0;
    expect(previousPublishTime(market, firstOfMonday)).toBe(Date.UTC(2026, 10, 20, 20, 59, 59) / 1000);
  });

  it('are the hours of the exchange for equities', () => {
    const kinds = (type: string) =>
      new Set(sandboxFeeds.flatMap((feed) => (feed.assetType === type ? feed.cadence.kind : [])));
    expect(kinds('equity')).toEqual(new Set(['market']));
    expect(kinds('fx')).toEqual(new Set(['every']));
  });
});
