import { describe, expect, test } from 'vitest';
import { rowText } from '@/lib/core/log-row-fixture';
import { readListing, withUniqueKeys } from './listing';

const REST =
  '"total":"18446744073709551616","asof":"2026-11-20T08:00:00.000Z","offset":"50","cursor":"abc",' +
  '"clocks":[{"keeper":"main","offByMs":-600000},{"keeper":7}]';

const listed = (row: string, keeper = 'main') => `{"keeper":"${keeper}","row":${row}}`;
const textOf = (...rows: string[]) => `{"rows":[${rows.join(',')}],${REST}}`;

function read(text: string) {
  const listing = readListing(text);
  if (!listing.ok) throw new Error(listing.failure.detail);
  return listing.value;
}

describe('a listing', () => {
  test('is read with every digit of its rows and counts', () => {
    const listing = read(textOf(listed(rowText({ odd: '1.10', gas_limit: '12345678901234567890' }))));
    expect(listing).toMatchObject({
      total: '18446744073709551616',
      asof: '2026-11-20T08:00:00.000Z',
      offset: '50',
      cursor: 'abc',
      clocks: [{ keeper: 'main', offByMs: -600_000 }],
    });
    expect(listing.rows).toMatchObject([
      { kind: 'record', keeper: 'main', gasLimit: '12345678901234567890', extra: { odd: '1.10' } },
    ]);
  });

  test('names its keepers in the keys, each of which is there once', () => {
    const { rows } = read(
      textOf(listed(rowText()), listed(rowText()), listed(rowText(), 'test'), listed('null')),
    );
    expect(rows.map(({ key }) => key.replace(/0x\w+/g, '0x'))).toEqual([
      'main/42161/0x/18446744073709551615/0x',
      'main/42161/0x/18446744073709551615/0x#2',
      'test/42161/0x/18446744073709551615/0x',
      expect.stringMatching(/^main\/unreadable\/[0-9a-f]{8}$/),
    ]);
  });

  test('keeps a row that cannot be read in its place', () => {
    const { rows } = read(textOf(listed('{"sequence":null}'), listed('7'), listed(rowText())));
    expect(rows.map(({ kind }) => kind)).toEqual(['unreadable', 'unreadable', 'record']);
    expect(rows[0]?.rawJson).toBe('{"sequence":null}');
  });

  test('may lack a total and a cursor', () => {
    expect(read('{"rows":[],"asof":"2026-11-20T08:00:00Z","offset":"0"}')).toEqual({
      rows: [],
      total: undefined,
      asof: '2026-11-20T08:00:00Z',
      offset: '0',
      cursor: undefined,
      previous: undefined,
      unreadable: 0,
      revision: 0,
      index: [],
      clocks: [],
    });
  });

  test.each([
    '',
    '[]',
    'null',
    '{',
    '{"rows":7,"asof":"x"}',
    '{"rows":[]}',
    '{"rows":[{"row":{}}],"asof":"x"}',
  ])('is none when it is %s', (text) => {
    expect(readListing(text)).toMatchObject({ ok: false, failure: { kind: 'malformed' } });
  });
});

test('a key that looks like a second one does not clash with it', () => {
  const row = (key: string) =>
    ({ kind: 'unreadable', key, keeper: 'main', rawJson: '', problem: '' }) as const;
  const keys = withUniqueKeys([row('a#2'), row('a'), row('a'), row('a#2'), row('a')]).map(({ key }) => key);
  expect(keys).toEqual(['a#2', 'a', 'a#3', 'a#2#2', 'a#4']);
});
