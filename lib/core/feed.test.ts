import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  distinctName,
  type FeedEntry,
  type FeedId,
  findFeed,
  parseFeedId,
  readDeprecatedFeed,
  readFeedDirectoryRows,
  readUpdateBody,
} from './feed';
import { defaultFeeds } from './registry';

const ID = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const PRICE = '{"price":"2931999000000","conf":"705950551","expo":-8,"publish_time":1690576635}';
const EMA = '{"price":"2929734300000","conf":"625449400","expo":-8,"publish_time":1690576635}';

const element = (change: Record<string, string | undefined> = {}) => {
  const metadata =
    '{"prev_publish_time":1690576634,"proof_available_time":1690576640,"slot":18446744073709551615}';
  const members = { id: `"${ID}"`, price: PRICE, ema_price: EMA, metadata, ...change };
  const present = Object.entries(members).filter(([, json]) => json !== undefined);
  return `{${present.map(([name, json]) => `"${name}":${json}`).join(',')}}`;
};

function readElements(...elements: string[]) {
  const body = readUpdateBody(
    `{"binary":{"encoding":"hex","data":["504e41"]},"parsed":[${elements.join(',')}]}`,
  );
  if (!body.ok) throw new Error(body.failure.detail);
  return body.value;
}

describe('parseFeedId', () => {
  it('reads any case, with and without 0x', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const hex = Buffer.from(bytes).toString('hex');
        for (const text of [hex, hex.toUpperCase(), `0x${hex}`, `0X${hex.toUpperCase()}`]) {
          expect(parseFeedId(text)).toBe(hex);
        }
      }),
    );
  });

  it.each(['', '0x', ID.slice(1), `${ID}0`, `0x0x${ID}`, ` ${ID}`, `${ID}\n`, 'g'.repeat(64)])(
    'refuses %j',
    (text) => {
      expect(parseFeedId(text)).toBeUndefined();
    },
  );
});

describe('readUpdateBody', () => {
  it('reads price, confidence, average and metadata, digit for digit', () => {
    expect(readElements(element())).toEqual({
      updates: [
        {
          id: ID,
          price: { mantissa: 2931999000000n, expo: -8 },
          conf: { mantissa: 705950551n, expo: -8 },
          publishTime: 1690576635,
          ema: {
            price: { mantissa: 2929734300000n, expo: -8 },
            conf: { mantissa: 625449400n, expo: -8 },
            publishTime: 1690576635,
          },
          prevPublishTime: 1690576634,
          proofAvailableTime: 1690576640,
          slot: '18446744073709551615',
        },
      ],
      unreadable: [],
      binary: { encoding: 'hex', data: ['504e41'] },
      parsedPresent: true,
    });
  });

  it.each([
    ['absent', undefined],
    ['null', 'null'],
    ['empty', '{}'],
    ['full of nulls', '{"slot":null,"proof_available_time":null,"prev_publish_time":null}'],
  ])('tolerates metadata that is %s', (_, metadata) => {
    const [update] = readElements(element({ metadata, ema_price: undefined })).updates;
    expect(update).toEqual({ ...update, ema: undefined, prevPublishTime: undefined, slot: undefined });
  });

  it('reads unusual prices: negative, zero, exponents of -18 and +5, confidence above the price', () => {
    for (const [price, conf, expo] of [
      ['-37', '5', -2],
      ['0', '0', 0],
      ['18446744073709551615', '18446744073709551615', -18],
      ['12', '99', 5],
    ] as const) {
      const json = `{"price":"${price}","conf":"${conf}","expo":${expo},"publish_time":1}`;
      const [update] = readElements(element({ price: json })).updates;
      expect(update?.price).toEqual({ mantissa: BigInt(price), expo });
      expect(update?.conf).toEqual({ mantissa: BigInt(conf), expo });
    }
  });

  it('reads ids in another case or with 0x as the same feed', () => {
    const [update] = readElements(element({ id: `"0x${ID.toUpperCase()}"` })).updates;
    expect(update?.id).toBe(ID);
  });

  it('returns unreadable updates beside readable ones', () => {
    const bad = [
      'null',
      element({ id: '"e62d"' }),
      element({ price: 'null' }),
      element({ price: PRICE.replace('"2931999000000"', '"29.3"') }),
      element({ price: PRICE.replace('1690576635', '-1') }),
      element({ price: PRICE.replace('-8', '-2000000000') }),
      element({ price: PRICE.replace('705950551', '-1') }),
    ];
    const body = readElements(...bad, element());
    expect(body.updates).toHaveLength(1);
    expect(body.unreadable.map((row) => row.rawJson)).toEqual(bad);
    expect(body.unreadable.every((row) => row.problem.endsWith('.'))).toBe(true);
  });

  it('distinguishes parsed=false from an empty list', () => {
    const binary = '"binary":{"encoding":"base64","data":[]}';
    for (const text of [`{${binary}}`, `{${binary},"parsed":null}`]) {
      const body = readUpdateBody(text);
      expect(body.ok && body.value.parsedPresent).toBe(false);
    }
    const empty = readUpdateBody(`{${binary},"parsed":[]}`);
    expect(empty.ok && empty.value.parsedPresent).toBe(true);
  });

  const odd = [
    '',
    'null',
    '[]',
    '{}',
    '"x"',
    '{"parsed":{}}',
    '{"binary":{"data":"x"}}',
    '{"parsed":[',
    '<html>',
  ];
  it.each(odd)('calls %j malformed', (text) => {
    expect(readUpdateBody(text)).toMatchObject({ ok: false, failure: { kind: 'malformed' } });
  });
});

describe('readDeprecatedFeed', () => {
  it('reads the feed, the verbose members and the binary update', () => {
    const metadata = '{"emitter_chain":26,"prev_publish_time":1,"price_service_receive_time":2,"slot":3}';
    const feed = readDeprecatedFeed(`${element({ metadata }).slice(0, -1)},"vaa":"UE5BVQ=="}`);
    const update = { id: ID, prevPublishTime: 1, slot: '3' };
    const value = { update, vaa: 'UE5BVQ==', emitterChain: '26', priceServiceReceiveTime: 2 };
    expect(feed).toMatchObject({ ok: true, value });
  });

  it.each(['', '[]', 'null', '{}', element({ price: '{}' })])('calls %j malformed', (text) => {
    expect(readDeprecatedFeed(text)).toMatchObject({ ok: false, failure: { kind: 'malformed' } });
  });
});

describe('readFeedDirectoryRows', () => {
  const row = `{"id":"${ID}","attributes":{"symbol":"Crypto.BTC/USD","asset_type":"Crypto","base":"BTC","quote_currency":"USD","description":"BITCOIN","more":1}}`;

  it('reads entries, and names an entry without attributes by its id', () => {
    const other = ID.replace('e6', '00');
    const names = { symbol: 'Crypto.BTC/USD', assetType: 'Crypto', description: 'BITCOIN' };
    const entry = { id: ID, ...names, base: 'BTC', quoteCurrency: 'USD' };
    const entries = [entry, { id: other, symbol: other, assetType: '' }];
    const rows = readFeedDirectoryRows(`[${row},{"id":"0x${other}"}]`);
    expect(rows).toMatchObject({ ok: true, value: { unreadable: [], rows: entries } });
  });

  it('returns an entry without a readable id as unreadable', () => {
    const rows = readFeedDirectoryRows(`[{"id":"x"},${row},null]`);
    expect(rows.ok && rows.value.rows).toHaveLength(1);
    expect(rows.ok && rows.value.unreadable.map((each) => each.rawJson)).toEqual(['{"id":"x"}', 'null']);
  });

  it('distinguishes an empty directory from a missing one', () => {
    expect(readFeedDirectoryRows('[]')).toEqual({ ok: true, value: { rows: [], unreadable: [] } });
    for (const text of ['', 'null', '{}', '[']) {
      expect(readFeedDirectoryRows(text)).toMatchObject({ ok: false, failure: { kind: 'malformed' } });
    }
  });
});

describe('findFeed', () => {
  const entry = (symbol: string, digit: string): FeedEntry => {
    return { id: parseFeedId(digit.repeat(64)) as FeedId, symbol, assetType: '' };
  };
  const entries = [entry('Crypto.BTC/USD', 'a'), entry('FX.EUR/USD', 'b'), entry('Crypto.EUR/USD', 'c')];

  it('finds by id, by symbol, and by a unique short symbol', () => {
    expect(findFeed(entries, `0x${'A'.repeat(64)}`)?.symbol).toBe('Crypto.BTC/USD');
    expect(findFeed(entries, ' crypto.eur/usd ')?.symbol).toBe('Crypto.EUR/USD');
    expect(findFeed(entries, 'BTC/USD')?.symbol).toBe('Crypto.BTC/USD');
  });

  it('does not guess', () => {
    for (const text of ['EUR/USD', '', ' ', 'USD', 'f'.repeat(64)])
      expect(findFeed(entries, text)).toBeUndefined();
  });
});

it.each([
  ['Crypto.ACRED/USD', 'ACRED / US DOLLAR', ''],
  ['Crypto.BTC/USD', 'BTCUSD', ''],
  ['Crypto.BTC/USD', 'Crypto.BTC/USD', ''],
  ['Equity.US.AAPL/USD', 'Aapl', ''],
  ['Crypto.BEHYPE/HYPE.RR', 'BEHYPE / HYPE.RR', ''],
  ['Crypto.AVALON.USDA/USD', 'AVALON.USDA / US DOLLAR', ''],
  ['Crypto.BTC/USD', 'BITCOIN / US DOLLAR', 'BITCOIN / US DOLLAR'],
  ['Crypto.USDC/USD', 'USD COIN', 'USD COIN'],
  ['A', '', ''],
])('beside %s the name %s is shown as “%s”', (symbol, name, shown) => {
  expect(distinctName(symbol, name)).toBe(shown);
});

it('the built-in feeds hold every feed of the default board', () => {
  const coins = ['Crypto.BTC/USD', 'Crypto.ETH/USD', 'Crypto.SOL/USD'];
  expect(defaultFeeds().map((feed) => feed.symbol)).toEqual([...coins, 'FX.EUR/USD', 'Metal.XAU/USD']);
  expect(defaultFeeds()[0]).toMatchObject({ id: ID, base: 'BTC', quoteCurrency: 'USD' });
});
