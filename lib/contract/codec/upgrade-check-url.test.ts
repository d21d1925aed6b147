import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FeedId } from '@/lib/domain/feed';
import { type UnixSeconds, unixSeconds } from '@/lib/domain/units';
import { parseFeedReference } from './feeds-url';
import {
  formatUpgradeUrl,
  inspectBesideCheck,
  MOST_CHECKED_FEEDS,
  parseUpgradeUrl,
  type UpgradeView,
} from './upgrade-check-url';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';

const read = (address: string) => parseUpgradeUrl(new URL(address, 'http://localhost').searchParams);

describe('the address of an upgrade check', () => {
  test('is readable', () => {
    const view: UpgradeView = {
      feeds: [{ kind: 'symbol', symbol: 'Crypto.BTC/USD' }],
      at: unixSeconds(1_790_000_000),
      extra: 'deprecated',
    };
    const address =
      '/services?upgrade=Crypto.BTC/USD&upgradeat=1790000000&upgradewith=deprecated#upgrade-check';
    expect(formatUpgradeUrl(view)).toBe(address);
    expect(read(address)).toEqual({ view, problems: [] });
  });

  test('leaves the rest of the page’s query alone', () => {
    const others = new URLSearchParams(`inspect=updates:latest:${BTC}&upgrade=old&upgradeat=5`);
    const address = formatUpgradeUrl(
      { feeds: [{ kind: 'symbol', symbol: 'A/B' }], at: undefined, extra: 'none' },
      others,
    );
    expect(address).toBe(`/services?inspect=updates:latest:${BTC}&upgrade=A/B#upgrade-check`);
  });

  test('goes along when a payload is opened in the inspector', () => {
    const view: UpgradeView = { feeds: [{ kind: 'symbol', symbol: 'A/B' }], at: undefined, extra: 'none' };
    const address = inspectBesideCheck(view, { host: 'upgraded', at: 'latest', ids: [BTC as FeedId] });
    expect(address).toBe(`/services?inspect=upgraded:latest:${BTC}&upgrade=A/B#payload-inspector`);
  });

  test('asks for nothing without feeds', () => {
    expect(read('/services?upgradeat=5').view).toBeUndefined();
    expect(read('/services?upgrade=,').view).toBeUndefined();
  });

  test('reports what can’t be read, and keeps the rest', () => {
    const { view, problems } = read('/services?upgrade=0x12,BTC/USD,btc/usd&upgradeat=soon&upgradewith=all');
    expect(view).toEqual({ feeds: [{ kind: 'symbol', symbol: 'btc/usd' }], at: undefined, extra: 'none' });
    expect(problems.map(({ param, value }) => `${param}=${value}`)).toEqual([
      'upgrade=0x12',
      'upgradeat=soon',
      'upgradewith=all',
    ]);
  });

  test('holds a few feeds, and says how many are left out', () => {
    const ids = Array.from({ length: 14 }, (_, n) => n.toString(16).repeat(64));
    const { view, problems } = read(`/services?upgrade=${ids.join(',')}`);
    expect(view?.feeds).toHaveLength(MOST_CHECKED_FEEDS);
    expect(problems[0]?.message).toContain('4 more are left out');
  });

  test('gives back every view', () => {
    const symbol = fc.stringMatching(/^[A-Za-z0-9 +&%#?./-]{1,20}$/).map((text) => text.trim());
    const feed = symbol.map(parseFeedReference).filter((one) => one !== undefined);
    const view = fc.record({
      feeds: fc.uniqueArray(feed, {
        minLength: 1,
        maxLength: MOST_CHECKED_FEEDS,
        selector: (one) => JSON.stringify(one).toLowerCase(),
      }),
      at: fc.option(
        fc.nat(4_000_000_000).map((n) => n as UnixSeconds),
        { nil: undefined },
      ),
      extra: fc.constantFrom('deprecated' as const, 'none' as const),
    });
    fc.assert(
      fc.property(view, (one) => {
        expect(read(formatUpgradeUrl(one))).toEqual({ view: one, problems: [] });
      }),
    );
  });
});
