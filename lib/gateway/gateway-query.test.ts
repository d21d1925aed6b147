import { describe, expect, it } from 'vitest';
import {
  checkQuery,
  checkTimestamp,
  DEPRECATED_QUERY,
  logsChecks,
  PUBLISH_TIME,
  UPDATES_QUERY,
} from './gateway-query';

const ID = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const params = (query: string) => new URLSearchParams(query);
const logs = (query: string) => checkQuery(params(query), logsChecks(['main', 'test']));
const updates = (query: string) => checkQuery(params(query), UPDATES_QUERY);

describe('the log list', () => {
  it.each([
    ...[
      '',
      'limit=0',
      'limit=1000',
      'limit=0001',
      'offset=9223372036854775807',
      'keeper=test',
      'state=Revealing',
    ],
    ...[
      'state=',
      'query=',
      'query=%00%1b%5B31m',
      'query=-1',
      'sort=up&colour=red&Limit=x',
      'ids[]=x&ids[]=y',
    ],
    ...[
      '2026-11-20T08:05:03.123456789Z',
      '2026-11-20T08:05:03',
      '2026-11-20T08:05:03%2B02:00',
      '2026-11-20',
    ].map((time) => `min_timestamp=${time}`),
  ])('passes %j', (query) => {
    expect(logs(query)).toBeUndefined();
  });

  const times = [
    '',
    'now',
    '1690576635',
    '2026-02-30T00:00:00Z',
    '20 Nov 2026',
    '2026-11-20 08:05:03Z',
    "2026-11-20' OR 1=1",
  ];
  const numbers = [
    '',
    'x',
    '1.0',
    '1e3',
    '0x10',
    '-0',
    '+1',
    ' 1',
    '1\n',
    '１',
    '9223372036854775808',
    '9'.repeat(10_000),
  ];
  it.each([
    ...['min_timestamp', 'max_timestamp'].map((name) => [name, times] as const),
    ...['network_id', 'limit', 'offset'].map((name) => [name, numbers] as const),
    ['limit', ['1001', '18446744073709551616']] as const,
  ])('refuses a malformed %s', (name, values) => {
    for (const value of values)
      expect(checkQuery(new URLSearchParams({ [name]: value }), logsChecks([]))).toContain(
        `${name} must be `,
      );
  });

  it('explains the plus sign that a query turns into a blank, and names the keepers', () => {
    expect(logs('min_timestamp=2026-11-20T08:05:03+02:00')).toContain('%2B');
    for (const keeper of ['other', '', 'Main', 'main,test', '__proto__'])
      expect(logs(`keeper=${keeper}`)).toBe('keeper must be one of main, test.');
  });

  it.each(['limit=1&limit=1', 'keeper=main&keeper=test', 'unknown=1&unknown=2', 'limit=1&%6Cimit=5000'])(
    'refuses a parameter given twice: %s',
    (query) => {
      expect(logs(query)).toContain('given twice');
      expect(checkQuery(params(query))).toContain('given twice');
    },
  );

  it('repeats no control character and no long name in its message', () => {
    const name = encodeURIComponent(`a\u0007\u001b[31m${'x'.repeat(500)}`);
    expect(logs(`${name}=1&${name}=2`)).toMatch(/^a\[31mx{30,40} is given twice\.$/);
  });
});

describe('the update routes', () => {
  it.each([
    '',
    `ids[]=0x${ID.toUpperCase()}`,
    `ids%5B%5D=${ID}&ids[]=${ID}`,
    `ids[]=${ID}&encoding=rot13&more=x`,
    'ids=x',
  ])('pass %j', (query) => {
    expect(updates(query)).toBeUndefined();
  });

  it.each(['', '0x', 'x', ID.slice(1), `${ID}0`, `0x0x${ID}`, ` ${ID}`, 'g'.repeat(64)])(
    'refuse the feed id %j, also among valid ones',
    (id) => {
      expect(updates(`ids[]=${ID}&ids[]=${id}`)).toContain('ids[] must be');
      expect(checkQuery(params(`id=${id}`), DEPRECATED_QUERY)).toContain('id must be');
    },
  );

  it.each(['', '-1', '1.5', 'x', ' 1', '1/..', '../latest', '%2e', '9223372036854775808', '2026-11-20'])(
    'refuse the publish time %j',
    (text) => {
      const query = new URLSearchParams({ id: ID, publish_time: text });
      for (const checks of [PUBLISH_TIME, DEPRECATED_QUERY])
        expect(checkQuery(query, checks)).toContain('publish_time must be');
    },
  );
});

describe('the router body', () => {
  it.each(['1758690761750000', '0', '18446744073709551615'])('accepts the timestamp %s', (timestamp) => {
    expect(checkTimestamp(`{"channel":"warp","more":null,"timestamp":${timestamp}}`)).toBeUndefined();
  });

  it.each([
    ...[
      '"1758690761750000"',
      '""',
      'null',
      '-1',
      '1.5',
      '1.0',
      '1e15',
      '[1]',
      'true',
      '18446744073709551616',
    ].map((timestamp) => `{"timestamp":${timestamp}}`),
    ...['{}', '{"Timestamp":1}', '{"__proto__":{"timestamp":1}}', '[1]', 'null', '1', '', '{"timestamp":1'],
  ])('is refused with %s', (body) => {
    expect(checkTimestamp(body)).toContain('timestamp');
  });
});
