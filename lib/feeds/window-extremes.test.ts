import fc from 'fast-check';
import { expect, it } from 'vitest';
import { scaledToNumber } from '@/lib/core/numbers';
import { WindowExtremes } from './window-extremes';

it('knows the lowest and the highest price of the window, whatever came', () => {
  const steps = fc.array(fc.record({ afterMs: fc.nat(500), price: fc.integer({ min: -9, max: 9 }) }), {
    minLength: 1,
    maxLength: 120,
  });
  fc.assert(
    fc.property(steps, fc.nat(3_000), (all, laterMs) => {
      const extremes = new WindowExtremes(1_000);
      const seen: { atMs: number; price: number }[] = [];
      let nowMs = 0;
      for (const { afterMs, price } of all) {
        nowMs += afterMs;
        extremes.add(nowMs, { mantissa: BigInt(price), expo: 0 });
        seen.push({ atMs: nowMs, price });
      }
      nowMs += laterMs;
      const inside = seen.filter(({ atMs }) => atMs >= nowMs - 1_000).map(({ price }) => price);
      const read = extremes.read(nowMs);
      expect(read && [scaledToNumber(read.lowest), scaledToNumber(read.highest)]).toEqual(
        inside.length === 0 ? undefined : [Math.min(...inside), Math.max(...inside)],
      );
    }),
  );
});
