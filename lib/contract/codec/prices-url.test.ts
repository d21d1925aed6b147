import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeedId } from '@/lib/domain/feed';
import { CHANNELS } from '@/lib/domain/router-price';
import { type UnixMicros, unixMicros } from '@/lib/domain/units';
import {
  formatPricesUrl,
  LOOKUP_SOURCES,
  MOST_LOOKED_UP,
  type PriceReference,
  type PricesView,
  parsePriceReference,
  parsePricesUrl,
  ROUTER_FORMATS,
  ROUTER_PROPERTIES,
  USUAL_PRICES,
} from './prices-url';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43' as FeedId;

const read = (query: string) => parsePricesUrl(new URLSearchParams(query));
const noon = 1_795_176_000_000_000n as UnixMicros;

const id = fc.stringMatching(/^[0-9a-f]{63}[a-f]$/).map((text) => text as FeedId);
const routerId = fc.bigInt({ min: 0n, max: 2n ** 53n }).map(String);
const reference: fc.Arbitrary<PriceReference> = fc.oneof(
  id.map((one): PriceReference => ({ kind: 'id', id: one })),
  routerId.map((one): PriceReference => ({ kind: 'router', routerId: one })),
  fc.record({ kind: fc.constant('pair' as const), id, routerId }),
  fc
    .stringMatching(/^[A-Z][a-z]{2,6}\.[A-Z]{3}\/[A-Z]{3}$/)
    .map((symbol) => ({ kind: 'symbol' as const, symbol })),
);
const micros = fc.bigInt({ min: 0n, max: 2n ** 51n }).map(unixMicros);
const some = <T>(all: readonly T[]) => fc.subarray([...all]);
const yesNo = fc.constantFrom('yes' as const, 'no' as const);
const usual = fc.record({
  feeds: fc.uniqueArray(reference, { maxLength: 8, selector: (one) => JSON.stringify(one) }),
  sources: fc.subarray([...LOOKUP_SOURCES], { minLength: 1 }),
  channel: fc.constantFrom(...CHANNELS),
  properties: some([...ROUTER_PROPERTIES, 'newOne']),
  formats: some(ROUTER_FORMATS),
  encoding: fc.constantFrom('hex' as const, 'base64' as const),
  parsed: yesNo,
  invalid: fc.constantFrom('ignored' as const, 'refused' as const),
  verbose: yesNo,
  binary: yesNo,
  mode: fc.constantFrom('table' as const, 'json' as const, 'curl' as const),
});
const view: fc.Arbitrary<PricesView> = fc.oneof(
  usual,
  fc.tuple(usual, micros).map(([one, at]) => ({ ...one, at })),
);

describe('the address of a lookup', () => {
  it('gives back every view', () => {
    fc.assert(
      fc.property(view, (one) => {
        const address = formatPricesUrl(one);
        const { view: again, problems } = read(address.split('?')[1] ?? '');
        expect(problems).toEqual([]);
        expect(again).toEqual(one);
      }),
    );
  });

  it('is short where all is as usual, and readable where it is not', () => {
    expect(formatPricesUrl(USUAL_PRICES)).toBe('/prices');
    const one = {
      ...USUAL_PRICES,
      feeds: [{ kind: 'symbol', symbol: 'Crypto.BTC/USD' } as const],
      at: noon,
    };
    expect(formatPricesUrl(one)).toBe('/prices?ids=Crypto.BTC/USD&at=2026-11-20T12:00:00Z');
  });

  it('names feeds by either id, both, or the symbol', () => {
    expect(parsePriceReference(`0x${BTC.toUpperCase()}`)).toEqual({ kind: 'id', id: BTC });
    expect(parsePriceReference('007')).toEqual({ kind: 'router', routerId: '7' });
    expect(parsePriceReference(`1:${BTC}`)).toEqual({ kind: 'pair', routerId: '1', id: BTC });
    expect(parsePriceReference('1:nonsense')).toBeUndefined();
    expect(parsePriceReference('0x12')).toBeUndefined();
    expect(read(`ids=${BTC},0x${BTC}&ids=${BTC}`).view.feeds).toHaveLength(1);
  });

  it('takes the moment as ISO time or as seconds, never as a guess', () => {
    expect(read('at=1795176000').view.at).toBe(noon);
    expect(read('at=2026-11-20T12:00:00.000001Z').view.at).toBe(noon + 1n);
    expect(read('at=now').view).not.toHaveProperty('at');
    expect(read('at=1795176000000000').problems[0]?.message).toMatch(/unix seconds/);
  });

  it('takes the first of the moments and series that links of former versions name, and says so', () => {
    for (const query of ['at=1795176000,1795176060', 'at=2026-11-20T12:00:00Z/2026-11-20T13:00:00Z/60s']) {
      const { view: one, problems } = read(query);
      expect(one.at).toBe(noon);
      expect(problems).toMatchObject([{ param: 'at', message: expect.stringMatching(/One moment/) }]);
    }
  });

  it('reports what it can’t read, and looks up the rest', () => {
    const { view: one, problems } = read(
      `ids=${BTC},0x12&at=yesterday&sources=moon&channel=fast&formats=a b&mode=poem&parsed=maybe&x=1`,
    );
    expect(one).toEqual({ ...USUAL_PRICES, feeds: [{ kind: 'id', id: BTC }], formats: [] });
    expect(problems.map(({ param }) => param).sort()).toEqual(
      ['at', 'channel', 'formats', 'ids', 'mode', 'parsed', 'sources', 'x'].sort(),
    );
  });

  it('holds no more feeds than one call takes', () => {
    const ids = Array.from({ length: MOST_LOOKED_UP + 5 }, (_, at) => String(at + 1)).join(',');
    const { view: one, problems } = read(`ids=${ids}`);
    expect(one.feeds).toHaveLength(MOST_LOOKED_UP);
    expect(problems[0]?.message).toMatch(/5 are left out/);
  });
});
