import { HermesClient, type PriceUpdate } from '@pythnetwork/hermes-client';
import { PythLazerClient } from '@pythnetwork/pyth-lazer-sdk';
import { describe, expect } from 'vitest';
import type { Dashboard } from '@/e2e/dashboard';
import { test } from './server';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const ETH = 'ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace';

for (const host of ['updates', 'upgraded']) {
  describe(`the public client of the price update service, at our gateway to ${host},`, () => {
    const clientOf = ({ origin }: Dashboard) => new HermesClient(`${origin}/api/${host}`, { httpRetries: 0 });

    test('lists feeds', async ({ dashboard }) => {
      const feeds = await clientOf(dashboard).getPriceFeeds({ query: 'btc', assetType: 'crypto' });
      expect(feeds.map((feed) => feed.id)).toContain(BTC);
    });

    test('gets the latest update, parsed and binary', async ({ dashboard }) => {
      const update = await clientOf(dashboard).getLatestPriceUpdates([`0x${BTC}`, ETH], {
        encoding: 'base64',
        parsed: true,
      });
      expect(update.parsed?.map((feed) => feed.id)).toEqual([BTC, ETH]);
      expect(
        Buffer.from(update.binary.data[0] ?? '', 'base64')
          .subarray(0, 4)
          .toString(),
      ).toBe('PNAU');
    });

    test('leaves out invalid ids if the query says so, and the parsed form too', async ({ dashboard }) => {
      const ids = [BTC, 'ab'.repeat(32)];
      const update = await clientOf(dashboard).getLatestPriceUpdates(ids, {
        parsed: false,
        ignoreInvalidPriceIds: true,
      });
      expect(update.parsed ?? null).toBeNull();
      expect(update.binary.encoding).toBe('hex');
    });

    test('is refused an unknown id', async ({ dashboard }) => {
      await expect(clientOf(dashboard).getLatestPriceUpdates(['ab'.repeat(32)])).rejects.toThrow(/404/);
    });

    test('gets the first update at or after a time', async ({ dashboard }) => {
      const at = Math.floor(Date.now() / 1000) - 60;
      const update = await clientOf(dashboard).getPriceUpdatesAtTimestamp(at, [BTC]);
      const [feed] = update.parsed ?? [];
      expect(feed?.price.publish_time).toBeGreaterThanOrEqual(at);
      expect(feed?.metadata.prev_publish_time).toBeLessThan(at);
    });

    test('follows the stream', async ({ dashboard }) => {
      const source = await clientOf(dashboard).getPriceUpdatesStream([BTC], {
        parsed: true,
        encoding: 'hex',
        benchmarksOnly: true,
      });
      const updates: PriceUpdate[] = [];
      await new Promise<void>((resolve, reject) => {
        source.onerror = (error) => reject(new Error(`stream: ${error.message}`));
        source.onmessage = (event) => {
          updates.push(JSON.parse(event.data));
          if (updates.length === 3) resolve();
        };
      });
      source.close();
      const times = updates.map((update) => update.parsed?.[0]?.price.publish_time ?? 0);
      expect([...times].sort()).toEqual(times);
      expect(new Set(times).size).toBe(3);
    });
  });
}

describe('the public client of the router, at our gateway,', () => {
  const clientOf = ({ origin }: Dashboard) => {
    const url = `${origin}/api/router`;
    return PythLazerClient.create({ token: 'not-a-key', priceServiceUrl: url, metadataServiceUrl: url });
  };

  test('lists symbols', async ({ dashboard }) => {
    const client = await clientOf(dashboard);
    const symbols = await client.getSymbols({ query: 'BTC', asset_type: 'crypto' });
    expect(symbols.map((symbol) => symbol.symbol)).toContain('Crypto.BTC/USD');
  });

  test('gets the latest price with a signed payload', async ({ dashboard }) => {
    const client = await clientOf(dashboard);
    const update = await client.getLatestPrice({
      priceFeedIds: [1],
      properties: ['price', 'bestBidPrice', 'bestAskPrice', 'confidence', 'exponent'],
      formats: ['evm', 'solana', 'leEcdsa', 'leUnsigned'],
      channel: 'fixed_rate@200ms',
      jsonBinaryEncoding: 'hex',
    });
    expect(update.parsed?.priceFeeds[0]?.price).toMatch(/^-?\d+$/);
    for (const format of ['evm', 'solana', 'leEcdsa', 'leUnsigned'] as const) {
      expect(update[format]?.data).toMatch(/^[0-9a-f]+$/);
    }
  });

  test('gets the price at a time', async ({ dashboard }) => {
    const client = await clientOf(dashboard);
    const timestamp = (Math.floor(Date.now() / 1000) - 60) * 1_000_000;
    const request = {
      priceFeedIds: [1],
      properties: ['price' as const],
      formats: [],
      channel: 'fixed_rate@200ms' as const,
    };
    const update = await client.getPrice({ ...request, timestamp });
    expect(Number(update.parsed?.timestampUs)).toBe(timestamp);
  });

  test('gets the reason for a refused channel', async ({ dashboard }) => {
    const client = await clientOf(dashboard);
    const request = {
      priceFeedIds: [999_999],
      properties: ['price' as const],
      formats: [],
      channel: 'real_time' as const,
    };
    await expect(client.getLatestPrice(request)).rejects.toThrow(/400|404/);
  });
});
