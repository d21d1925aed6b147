import { expect, it } from 'vitest';
import { HASH, recordWith } from '@/lib/core/log-row-fixture';
import { type ListedRow, listedRow } from './requests-response';
import { recordsOf, selectedHashes, selectedNdjson } from './selected';

const twin = (sequence: string) => listedRow(recordWith({ sequence }), 'main');
const unreadable: ListedRow = {
  kind: 'unreadable',
  key: 'unreadable/1',
  rawJson: '{}',
  problem: 'No sequence.',
  keeper: 'main',
};

it('holds selected rows in the order of the table, and no unreadable one', () => {
  const rows = [twin('3'), unreadable, twin('2'), twin('1')];
  const keys = new Set([rows[3]?.key ?? '', rows[0]?.key ?? '', unreadable.key]);
  expect(recordsOf(rows, keys).map(({ sequence }) => sequence)).toEqual(['3', '1']);
});

it('copies the hash of a transaction once', () => {
  const other = listedRow(recordWith({ request_tx_hash: '"0x12"' }), 'main');
  const without = listedRow(recordWith({ request_tx_hash: undefined }), 'main');
  expect(selectedHashes([twin('1'), twin('2'), other, without])).toEqual([HASH, '0x12']);
});

it('writes rows as their service did, with every digit and their keeper', () => {
  const record = twin('18446744073709551615');
  const text = selectedNdjson([record, record]);
  expect(text).toBe(`${`${record.rawJson.slice(0, -1)},"keeper":"main"}\n`.repeat(2)}`);
  expect(text).toContain('"sequence":18446744073709551615');
  expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({ keeper: 'main', network_id: '42161' });
});
