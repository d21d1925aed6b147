import { HermesClient } from '@pythnetwork/hermes-client';
import { PythLazerClient } from '@pythnetwork/pyth-lazer-sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NOON_MS, type PriceHarness, startPriceHarness } from './price-harness';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';

let sandbox: PriceHarness;
beforeAll(async () => {
  sandbox = await startPriceHarness();
});
beforeEach(() => sandbox.clock.set({ ms: NOON_MS }));
afterAll(() => sandbox.close());

describe.each(['/updates', '/upgraded/hermes'])('the public client of the update service on %s', (base) => {
  const client = () => new HermesClient(`${sandbox.origin}${base}`, { httpRetries: 0, accessToken: 'any' });

  it('reads the directory', async () => {
    expect((await client().getPriceFeeds()).length).toBeGreaterThanOrEqual(60);
    const fx = await client().getPriceFeeds({ query: 'eur', assetType: 'fx' });
    expect(fx.map(({ attributes }) => attributes.symbol)).toEqual(['FX.EUR/USD']);
  });

  it('reads latest updates and updates at a time', async () => {
    const options = { encoding: 'base64', parsed: true, ignoreInvalidPriceIds: true } as const;
    const latest = await client().getLatestPriceUpdates([`0x${BTC}`, 'f'.repeat(64)], options);
    expect(latest.parsed?.map(({ id }) => id)).toEqual([BTC]);
    const then = await client().getPriceUpdatesAtTimestamp(NOON_MS / 1000, [BTC], options);
    expect(then).toEqual(latest);
    await expect(client().getPriceUpdatesAtTimestamp(1, [BTC])).rejects.toThrow('Update data not found');
  });

  it('reads the stream', async () => {
    const source = await client().getPriceUpdatesStream([BTC], {
      parsed: true,
      allowUnordered: true,
      benchmarksOnly: false,
    });
    const message = new Promise<string>((resolve) => {
      source.onmessage = ({ data }) => resolve(data);
    });
    await new Promise((resolve) => {
      source.onopen = resolve;
    });
    sandbox.advance(600);
    expect(JSON.parse(await message).parsed[0].id).toBe(BTC);
    source.close();
  });
});

describe('the public client of the router', () => {
  const client = () =>
    PythLazerClient.create({
      token: 'any',
      metadataServiceUrl: `${sandbox.origin}/router/`,
      priceServiceUrl: `${sandbox.origin}/router`,
    });
  const request = {
    priceFeedIds: [1],
    properties: ['price', 'exponent'] as ('price' | 'exponent')[],
    formats: ['evm', 'solana'] as ('evm' | 'solana')[],
    channel: 'fixed_rate@200ms' as const,
  };

  it('reads symbols', async () => {
    const symbols = await (await client()).getSymbols({ query: 'btc', asset_type: 'crypto' });
    expect(symbols.some(({ pyth_lazer_id, hermes_id }) => pyth_lazer_id === 1 && hermes_id === BTC)).toBe(
      true,
    );
  });

  it('reads latest prices and prices at a time', async () => {
    const latest = await (await client()).getLatestPrice(request);
    expect(latest.parsed?.priceFeeds[0]?.exponent).toBe(-8);
    expect(latest.solana?.encoding).toBe('base64');
    const timestamp = Number(latest.parsed?.timestampUs);
    expect(await (await client()).getPrice({ ...request, timestamp })).toEqual(latest);
  });
});
