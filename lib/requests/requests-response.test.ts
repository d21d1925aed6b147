import { expect, test } from 'vitest';
import { rowText } from '@/lib/core/log-row-fixture';
import { readListing, readSearchResult } from './requests-response';

const REST = {
  total: '18446744073709551616',
  asof: '2026-11-20T08:00:00.000Z',
  clocks: [{ keeper: 'main', offByMs: -600_000 }],
  revision: 7,
  index: [],
};
const textOf = (...rows: string[]) =>
  JSON.stringify({ rows: rows.map((row) => ({ keeper: 'main', row })), ...REST });

test('a listing is read with every digit of its rows and counts; a row that cannot be read keeps its place', () => {
  const broken = ['{"sequence":null}', '7', 'null', '{'];
  const row = rowText({ odd: '1.10', gas_limit: '12345678901234567890' });
  const listing = readListing(textOf(...broken, row));
  expect(listing).toMatchObject({
    ok: true,
    value: {
      ...REST,
      rows: [
        ...broken.map((rawJson) => ({
          kind: 'unreadable',
          rawJson,
          key: expect.stringMatching(/^main\/unreadable\/[0-9a-f]{8}$/),
        })),
        {
          kind: 'record',
          keeper: 'main',
          key: expect.stringMatching(/^main\/42161\/0x\w+\/18446744073709551615\/0x\w+$/),
          gasLimit: '12345678901234567890',
          extra: { odd: '1.10' },
        },
      ],
    },
  });
});

test.each(['', '[]', 'null', '{', '{"rows":7}', textOf().replace('asof', 'of'), '{"rows":[{"row":"{}"}]}'])(
  'a listing is malformed when it is %s',
  (text) => {
    for (const read of [readListing, readSearchResult]) {
      expect(read(text)).toMatchObject({ ok: false, failure: { kind: 'malformed' } });
    }
  },
);
