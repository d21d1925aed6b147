import { describe, expect, it } from 'vitest';
import { feedById, inventedId, type SandboxFeed, sandboxFeeds } from './feeds';
import { PriceModel } from './price-model';
import { slotAt } from './slots';

const NOON = slotAt(Date.UTC(2026, 10, 20, 12));
const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';

function feed(id: string): SandboxFeed {
  const sandboxFeed = feedById(id);
  if (!sandboxFeed) throw new Error(`no feed ${id}`);
  return sandboxFeed;
}

describe('the price model', () => {
  it('has the same digits for the same seed, and others for another seed', () => {
    const once = new PriceModel('1').at(feed(BTC), NOON);
    expect(new PriceModel('1').at(feed(BTC), NOON)).toEqual(once);
    expect(new PriceModel('2').at(feed(BTC), NOON).price).not.toBe(once.price);
    expect(new PriceModel('1').at(feed(BTC), NOON + 1).price).not.toBe(once.price);
  });

  it('keeps every value inside its 64 bits, positive where a price must be, for years', () => {
    const model = new PriceModel('7');
    for (const feed of sandboxFeeds) {
      for (let step = 0; step < 60; step += 1) {
        const state = model.at(feed, NOON + step * 6_000_007);
        for (const value of [state.price, state.emaPrice]) {
          expect(BigInt.asIntN(64, value)).toBe(value);
          expect(value > 0n).toBe(feed.level > 0n);
        }
        for (const value of [state.conf, state.emaConf]) {
          expect(value > 0n && BigInt.asUintN(64, value) === value).toBe(true);
        }
      }
    }
  });

  it('moves its average towards the price', () => {
    const model = new PriceModel('1');
    const { volatility } = feed(BTC);
    const minute = 60_000;
    const away = Array.from(
      { length: 2000 },
      (_, step) => Date.UTC(2026, 10, 20) + step * 17 * minute,
    ).flatMap((ms) => {
      const [now, later] = [model.at(feed(BTC), slotAt(ms)), model.at(feed(BTC), slotAt(ms + 10 * minute))];
      const distance = Number(now.price - now.emaPrice) / Number(feed(BTC).level);
      return Math.abs(distance) < 0.08 * volatility
        ? []
        : Math.sign(Number(later.emaPrice - now.emaPrice)) === Math.sign(distance);
    });
    expect(away.length).toBeGreaterThan(200);
    expect(away).not.toContain(false);
  });

  it('has the oddities that the invented feeds are labelled with', () => {
    const model = new PriceModel('1');
    const odd = (number: number) => model.at(feed(inventedId(number)), NOON);
    expect(odd(1).feed.expo).toBe(5);
    expect(odd(2).feed.expo).toBe(-18);
    expect(odd(2).price).toBeGreaterThan(BigInt(Number.MAX_SAFE_INTEGER));
    expect(odd(3).price).toBeLessThan(0n);
    expect(odd(4).price).toBe(0n);
    expect(odd(5).conf).toBeGreaterThan(odd(5).price);
  });
});
