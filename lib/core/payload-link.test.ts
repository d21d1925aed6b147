import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFeedId } from './feed';
import { type InspectedUpdate, inspectedRoute, inspectLink, parseInspectText } from './payload-link';
import { unixSeconds } from './time';

const ID = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const someId = fc
  .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 })
  .map((text) => parseFeedId(text) ?? []);

const inspected: fc.Arbitrary<InspectedUpdate> = fc.record({
  host: fc.constantFrom('updates' as const, 'upgraded' as const),
  at: fc.oneof(
    fc.constant('latest' as const),
    fc.integer({ min: 0, max: 4_000_000_000 }).map((value) => unixSeconds(value) ?? ('latest' as const)),
  ),
  ids: fc.uniqueArray(someId, { minLength: 1, maxLength: 5 }).map((ids) => ids.flat()),
});

const reread = (link: string) =>
  parseInspectText(new URL(link, 'http://page').searchParams.get('inspect') ?? '');

describe('the link to a payload', () => {
  it('reads back what it was made of', () => {
    fc.assert(
      fc.property(inspected, (update) => {
        expect(reread(inspectLink(update.host, update.at, update.ids))).toEqual({ update: update });
      }),
    );
  });

  it('is a readable address of the prices page', () => {
    const id = parseFeedId(ID) ?? expect.fail();
    const link = inspectLink('upgraded', unixSeconds(1_690_576_635) ?? 'latest', [id]);
    expect(link).toBe(`/prices?view=inspector&inspect=upgraded:1690576635:${ID}`);
  });

  it('reads ids as people write them, each once', () => {
    const read = parseInspectText(`updates:latest:0x${ID.toUpperCase()}, ${ID}`);
    expect(read).toEqual({ update: { host: 'updates', at: 'latest', ids: [ID] } });
  });

  it.each([
    ['logs:latest:x', /Use updates/],
    ['updates', /whole unix seconds/],
    [`updates:-1:${ID}`, /whole unix seconds/],
    [`updates:1e9:${ID}`, /whole unix seconds/],
    [`updates:99999999999999999:${ID}`, /whole unix seconds/],
    ['updates:latest:', /64 hex digits/],
    ['updates:latest:BTC', /64 hex digits/],
    [`updates:latest:${ID}:more`, /Use updates/],
  ])('names the problem with %s', (text, says) => {
    expect(parseInspectText(text)).toEqual({ problem: expect.stringMatching(says) });
  });

  it('holds at most 100 feeds', () => {
    const id = (at: number) => at.toString(16).padStart(64, '0');
    const ids = Array.from({ length: 101 }, (_, index) => id(index));
    expect(parseInspectText(`updates:latest:${ids.join(',')}`)).toHaveProperty('problem');
    expect(parseInspectText(`updates:latest:${ids.slice(1).join(',')}`)).toHaveProperty('update');
  });

  it('requests hex and the parsed form of every feed', () => {
    const { update } = parseInspectText(`upgraded:1690576635:${ID}`);
    expect(update && inspectedRoute(update)).toBe(
      `/api/upgraded/v2/updates/price/1690576635?ids[]=${ID}&encoding=hex&parsed=true&ignore_invalid_price_ids=true`,
    );
  });
});
