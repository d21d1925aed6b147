import { expect, it } from 'vitest';
import type { ListedRow } from '@/lib/contract/codec/listing';
import { ok } from '@/lib/domain/outcome';
import type { LogSource } from '@/lib/server/explorer/log-source';
import { ROOM, withinRoom } from './row-room';
import { requests, rowOf, START_MS } from './triage-fakes';

function sourceOf(sizes: readonly number[]): LogSource {
  const rows = requests('8453', sizes.length, START_MS, 1000).map(
    (request, at): ListedRow => ({ ...rowOf(request), keeper: 'main', rawJson: 'x'.repeat(sizes[at] ?? 0) }),
  );
  return {
    keeper: 'main',
    page: async () => ok({ rows, total: String(rows.length) }),
    count: async () => ok(String(rows.length)),
  };
}

async function kindsOf(sizes: readonly number[], room: number = ROOM.forMany): Promise<string[]> {
  const page = await withinRoom(sourceOf(sizes), room).page({}, sizes.length, 0, 'user');
  if (!page.ok) throw new Error(page.failure.detail);
  return page.value.rows.map(({ kind, rawJson }) => `${kind} ${rawJson.length}`);
}

it('leaves rows as they are, also long ones', async () => {
  expect(await kindsOf([600, 50_000, 600])).toEqual(['record 600', 'record 50000', 'record 600']);
});

it('keeps nothing of a row that the page has no room for, and all others', async () => {
  expect(await kindsOf([600, 30_000_000, 600])).toEqual(['record 600', 'unreadable 0', 'record 600']);
});

it('has the room once for all rows of a page', async () => {
  const kinds = await kindsOf(Array.from({ length: 200 }, () => 30_000));
  expect(kinds.filter((kind) => kind === 'record 30000')).toHaveLength(30);
  expect(kinds.filter((kind) => kind === 'unreadable 0')).toHaveLength(170);
});

it('has room for a megabyte where one request is looked at', async () => {
  expect(await kindsOf([1_000_000], ROOM.forOne)).toEqual(['record 1000000']);
});
