import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkAtTime,
  checkDeprecated,
  checkLogsQuery,
  checkRepeats,
  checkRouterBody,
  checkUpdatesQuery,
  type Refusal,
} from './gateway-query';

const ID = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const KEEPERS = ['main', 'test'];

const params = (query: string) => new URLSearchParams(query);
const logs = (query: string) => checkLogsQuery(params(query), KEEPERS);

/** Every refusal is one sentence or two that name the parameter. */
function expectRefusal(refusal: Refusal | undefined, name: string): void {
  expect(refusal?.detail).toMatch(/\.$/);
  expect(refusal?.detail).toContain(name);
}

describe('the log list', () => {
  it.each([
    '',
    'limit=0',
    'limit=1000',
    'limit=0001',
    'offset=0',
    'offset=9223372036854775807',
    'network_id=0',
    'network_id=42161',
    'network_id=9223372036854775807',
    'keeper=main',
    'keeper=test',
    'state=pending',
    'state=Revealing',
    'state=',
    'query=',
    'query=hello',
    'query=%00%1b%5B31m',
    'query=-1',
    'min_timestamp=2026-11-20T08:05:03Z',
    'min_timestamp=2026-11-20T08:05:03.123456789Z',
    'max_timestamp=2026-11-20T08:05:03',
    'max_timestamp=2026-11-20T08:05:03%2B02:00',
    'max_timestamp=2026-11-20',
    'sort=up&colour=red&Limit=x',
    'ids[]=x&ids[]=y',
    `min_timestamp=2026-11-20T08:05:03Z&max_timestamp=2026-11-19T08:05:03Z&query=${'9'.repeat(500)}&limit=50&offset=100`,
  ])('passes %j', (query) => {
    expect(logs(query)).toBeUndefined();
  });

  it.each(['min_timestamp', 'max_timestamp'])('refuses a %s that is no ISO 8601 time', (name) => {
    for (const value of [
      '',
      'now',
      '1690576635',
      '2026-02-30T00:00:00Z',
      '2026-11-20T25:00:00Z',
      '20 Nov 2026',
      '2026-11-20 08:05:03Z',
      '2026-11-20T08:05:03Zz',
      "2026-11-20' OR 1=1",
    ]) {
      expectRefusal(checkLogsQuery(new URLSearchParams({ [name]: value }), KEEPERS), name);
    }
  });

  it('explains the plus sign that a query turns into a blank', () => {
    expect(logs('min_timestamp=2026-11-20T08:05:03+02:00')?.detail).toContain('%2B');
  });

  it.each(['network_id', 'limit', 'offset'])('refuses a %s that is no integer of 0 or more', (name) => {
    for (const value of [
      '',
      'x',
      '1.5',
      '1.0',
      '1e3',
      '0x10',
      '-1',
      '-0',
      '+1',
      ' 1',
      '1 ',
      '1\n',
      '１',
      '1,000',
      'NaN',
      'null',
      '9223372036854775808',
      '9'.repeat(10_000),
      `${'0'.repeat(10_000)}x`,
    ]) {
      expectRefusal(checkLogsQuery(new URLSearchParams({ [name]: value }), KEEPERS), name);
    }
  });

  it('refuses a limit over 1000', () => {
    expectRefusal(logs('limit=1001'), 'limit');
    expectRefusal(logs('limit=18446744073709551616'), 'limit');
  });

  it.each(['keeper=other', 'keeper=', 'keeper=Main', 'keeper=main,test', 'keeper=__proto__'])(
    'refuses %s and names the keepers there are',
    (query) => {
      expect(logs(query)?.detail).toBe('keeper must be one of main, test.');
    },
  );

  it.each([
    'limit=1&limit=1',
    'query=a&query=b',
    'keeper=main&keeper=test',
    'network_id=1&network_id=10',
    'state=Pending&state=Failed',
    'unknown=1&unknown=2',
    'limit=1&%6Cimit=5000',
    'min_timestamp=2026-11-20&min_timestamp=2026-11-20',
  ])('refuses a parameter given twice: %s', (query) => {
    expectRefusal(logs(query), 'given twice');
  });

  it('names no control character and no long name in what it says', () => {
    const name = `a\u0007\u001b[31m${'x'.repeat(500)}`;
    const refusal = checkLogsQuery(
      new URLSearchParams([
        [name, '1'],
        [name, '2'],
      ]),
      KEEPERS,
    );
    expect(refusal?.detail).toMatch(/^a\[31mx+ is given twice\.$/);
    expect(refusal?.detail.length).toBeLessThan(60);
  });

  it('passes exactly the integers from 0 to 1000 as a limit', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer(), fc.integer({ min: -5, max: 1005 })), (limit) => {
        expect(logs(`limit=${limit}`) === undefined).toBe(limit >= 0 && limit <= 1000);
      }),
    );
  });
});

describe('the update routes', () => {
  it.each([
    '',
    `ids[]=${ID}`,
    `ids[]=0x${ID.toUpperCase()}`,
    `ids%5B%5D=${ID}&ids%5B%5D=${ID}&ids[]=0x${ID}`,
    `ids[]=${ID}&encoding=rot13&parsed=maybe&ignore_invalid_price_ids=1&more=x`,
    `ids[]=${ID}&allow_unordered=true&benchmarks_only=false`,
    'ids=x',
  ])('pass %j', (query) => {
    expect(checkUpdatesQuery(params(query))).toBeUndefined();
    expect(checkAtTime('1690576635', params(query))).toBeUndefined();
  });

  it.each(['', '0x', 'x', ID.slice(1), `${ID}0`, `0x0x${ID}`, ` ${ID}`, `${ID},${ID}`, 'g'.repeat(64)])(
    'refuse the feed id %j, also among good ones',
    (id) => {
      const query = new URLSearchParams([
        ['ids[]', ID],
        ['ids[]', id],
        ['ignore_invalid_price_ids', 'true'],
      ]);
      expectRefusal(checkUpdatesQuery(query), 'ids[]');
      expectRefusal(checkAtTime('1690576635', query), 'ids[]');
    },
  );

  it('refuse a parameter given twice, but not ids[]', () => {
    expectRefusal(checkUpdatesQuery(params(`ids[]=${ID}&ids[]=${ID}&parsed=true&parsed=true`)), 'parsed');
    expectRefusal(checkAtTime('1', params('encoding=hex&encoding=base64')), 'encoding');
  });

  it.each(['0', '1690576635', '9223372036854775807'])('take %s for a publish time', (text) => {
    expect(checkAtTime(text, params(''))).toBeUndefined();
  });

  it.each([
    '',
    '-1',
    '1.5',
    '1e9',
    'x',
    '0x1',
    ' 1',
    '+1',
    '1/..',
    '../latest',
    '%2e',
    '9223372036854775808',
    '2026-11-20',
  ])('refuse the publish time %j', (text) => {
    expectRefusal(checkAtTime(text, params('')), 'publish_time');
  });
});

describe('the deprecated route', () => {
  it('passes a good id and time, and leaves missing ones to the service', () => {
    for (const query of ['', `id=0x${ID}&publish_time=1690576635&verbose=x&binary=y&more=z`]) {
      expect(checkDeprecated(params(query))).toBeUndefined();
    }
  });

  it.each([
    ['id=x', 'id'],
    ['id=', 'id'],
    [`id=${ID}&id=${ID}`, 'id is given twice'],
    [`id=${ID}&publish_time=-1`, 'publish_time'],
    [`id=${ID}&publish_time=`, 'publish_time'],
    [`id=${ID}&publish_time=1.5`, 'publish_time'],
    [`id=${ID}&publish_time=1&publish_time=1`, 'publish_time is given twice'],
  ])('refuses %s', (query, named) => {
    expectRefusal(checkDeprecated(params(query)), named);
  });
});

describe('the directory and the symbols', () => {
  it('pass anything but a parameter given twice', () => {
    expect(checkRepeats(params('query=btc&asset_type=crypto&x=%00'))).toBeUndefined();
    expectRefusal(checkRepeats(params('query=a&query=b')), 'query');
  });
});

describe('the router body', () => {
  const price = (body: string) => checkRouterBody(body, true);

  it.each([
    '{"timestamp":1758690761750000}',
    '{"timestamp":0}',
    '{"timestamp":18446744073709551615}',
    '{"channel":"warp","priceFeedIds":["x"],"more":null,"timestamp":1}',
  ])('passes %s for /v1/price', (body) => {
    expect(price(body)).toBeUndefined();
  });

  it.each([
    '{"timestamp":"1758690761750000"}',
    '{"timestamp":""}',
    '{}',
    '{"channel":"real_time"}',
    '{"Timestamp":1}',
    '{"timestamp":null}',
    '{"timestamp":-1}',
    '{"timestamp":1.5}',
    '{"timestamp":1.0}',
    '{"timestamp":1e15}',
    '{"timestamp":[1]}',
    '{"timestamp":{"value":"1"}}',
    '{"timestamp":true}',
    '{"timestamp":18446744073709551616}',
    `{"timestamp":${'9'.repeat(10_000)}}`,
    '{"body":{"timestamp":1}}',
    '{"__proto__":{"timestamp":1}}',
    '[1]',
    'null',
    '1758690761750000',
    '',
    '{"timestamp":1',
  ])('refuses %.60s for /v1/price', (body) => {
    expectRefusal(price(body), 'timestamp');
  });

  it('leaves the body of /v1/latest_price to the service', () => {
    for (const body of ['{"channel":"real_time"}', '{}', '{"timestamp":"1"}', 'null', '']) {
      expect(checkRouterBody(body, false)).toBeUndefined();
    }
  });
});
