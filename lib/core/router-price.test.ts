import { describe, expect, it } from 'vitest';
import {
  CHANNELS,
  permittedChannels,
  readRouterPrices,
  readRouterSymbols,
  routerScaled,
} from './router-price';

const FEED_ID = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';

describe('permittedChannels', () => {
  it('is the minimum and every slower one, in the order of the contract', () => {
    expect(permittedChannels('real_time')).toEqual(CHANNELS);
    expect(permittedChannels('fixed_rate@200ms')).toEqual(['fixed_rate@200ms', 'fixed_rate@1000ms']);
    expect(permittedChannels('fixed_rate@1000ms')).toEqual(['fixed_rate@1000ms']);
  });

  it('is empty for an unknown minimum', () => {
    expect(permittedChannels('fixed_rate@5ms')).toEqual([]);
  });
});

describe('readRouterSymbols', () => {
  it('links both kinds of id and keeps unknown members', () => {
    const row = `{"pyth_lazer_id":1,"name":"BTCUSD","symbol":"Crypto.BTC/USD","description":"BITCOIN","asset_type":"crypto",
      "exponent":-8,"min_publishers":3,"min_channel":"real_time","state":"stable","hermes_id":"0x${FEED_ID}",
      "quote_currency":"USD"}`;
    const names = { name: 'BTCUSD', symbol: 'Crypto.BTC/USD', description: 'BITCOIN', quoteCurrency: 'USD' };
    const rest = {
      assetType: 'crypto',
      exponent: -8,
      minChannel: 'real_time',
      state: 'stable',
      feedId: FEED_ID,
    };
    const value = { rows: [{ routerId: '1', ...names, ...rest }], unreadable: [] };
    expect(readRouterSymbols(`[${row}]`)).toEqual({ ok: true, value });
  });

  it('reads a row with only its id, and returns one without as unreadable', () => {
    const symbols = [{ routerId: '18446744073709551615', feedId: null, symbol: '' }];
    const unreadable = [{ rawJson: '{"name":"x"}' }, { rawJson: '7' }];
    const rows = '[{"pyth_lazer_id":"18446744073709551615","hermes_id":null},{"name":"x"},7]';
    expect(readRouterSymbols(rows)).toMatchObject({ ok: true, value: { rows: symbols, unreadable } });
  });

  it.each(['', 'null', '{}', '['])('calls %j malformed', (text) => {
    const failure = { kind: 'malformed', service: 'router' };
    expect(readRouterSymbols(text)).toMatchObject({ ok: false, failure });
  });
});

describe('readRouterPrices', () => {
  it('keeps integers that came as number or text, and payloads by their format', () => {
    const prices = readRouterPrices(`{"parsed":{"timestampUs":"1758690761750000","priceFeeds":[
      {"priceFeedId":1,"price":"18446744073709551615","bestBidPrice":-5,"publisherCount":9,"exponent":-8,
       "marketSession":"regular","feedUpdateTimestamp":1758690761750000,"fundingRate":"1","confidence":null}]},
      "evm":{"encoding":"hex","data":"0a"},"later":{"encoding":"base64","data":"AA"},"odd":3}`);
    expect(prices).toEqual({
      ok: true,
      value: {
        timestampUs: '1758690761750000',
        rows: [
          {
            routerId: '1',
            exponent: -8,
            figures: { price: '18446744073709551615', bestBidPrice: '-5' },
            publisherCount: '9',
            marketSession: 'regular',
            feedUpdateTimestamp: '1758690761750000',
            extra: { fundingRate: '"1"' },
          },
        ],
        unreadable: [],
        payloads: [
          { format: 'evm', encoding: 'hex', data: '0a' },
          { format: 'later', encoding: 'base64', data: 'AA' },
        ],
      },
    });
  });

  it('reads an answer that holds only a signed payload', () => {
    const prices = readRouterPrices('{"solana":{"encoding":"base64","data":"AA"}}');
    expect(prices.ok && prices.value.payloads).toHaveLength(1);
    expect(prices.ok && prices.value.timestampUs).toBeUndefined();
  });

  it('returns an unreadable element beside the readable ones', () => {
    const prices = readRouterPrices('{"parsed":{"priceFeeds":[{"price":"1"},{"priceFeedId":2}]}}');
    expect(prices.ok && prices.value.rows.map((price) => price.routerId)).toEqual(['2']);
    expect(prices.ok && prices.value.unreadable).toEqual([
      { rawJson: '{"price":"1"}', problem: 'priceFeedId is not an integer.' },
    ]);
  });

  it.each(['', 'null', '[]', '{}', '{"parsed":{}}', '{"parsed":[]}', '{"evm":{"data":1}}'])(
    'calls %j malformed',
    (text) => {
      expect(readRouterPrices(text)).toMatchObject({ ok: false, failure: { kind: 'malformed' } });
    },
  );
});

describe('routerScaled', () => {
  const price = { exponent: undefined, figures: { price: '123' } };

  it('prefers the answer’s exponent to the symbol list’s', () => {
    expect(routerScaled({ ...price, exponent: -2 }, 'price', -8)).toEqual({ mantissa: 123n, expo: -2 });
    expect(routerScaled(price, 'price', -8)).toEqual({ mantissa: 123n, expo: -8 });
  });

  it('returns nothing without an exponent', () => {
    expect(routerScaled(price, 'price', undefined)).toBeUndefined();
    expect(routerScaled(price, 'emaPrice', -8)).toBeUndefined();
  });
});
