import { expect, it } from 'vitest';
import { readPage } from '@/lib/core/log-row-fixture';
import { SerialQueue } from '@/lib/core/serial-queue';
import { defaultRequestsView } from '@/lib/requests/view';
import { openTestStore } from '@/lib/store/engine-fixture';
import type { IndexStore } from '@/lib/store/store';
import { ExportedView } from './view-export';

const rowAt = (sequence: number, createdAt: string, more = '') =>
  `{"chain_id":"base","network_id":"1","created_at":"${createdAt}","sequence":${sequence},"more":"${more}","state":{"state":"pending"}}`;

async function storeOf(...texts: string[]): Promise<IndexStore> {
  const store = await openTestStore(() => Date.parse('2026-11-20T09:00:00Z'), 'main');
  for (let index = 0; index < texts.length; index += 5000) {
    await store.ingest(1, readPage(texts.slice(index, index + 5000)).rows, 'history');
  }
  return store;
}

const open = (store: IndexStore) => {
  const query = { view: defaultRequestsView(), keeperIds: [1] };
  return ExportedView.open(store.engine, query, { queue: new SerialQueue(), withUnreadable: true });
};

async function sequencesOf(view: ExportedView): Promise<number[]> {
  const rows: string[] = [];
  for await (const piece of view.pieces()) rows.push(...piece.map(({ wire }) => wire));
  view.end();
  return rows.map((wire) => JSON.parse(wire).sequence);
}

it('every row is read once and in order, with 20,000 in one instant two centuries from the others', async () => {
  const moments = [
    '1684-06-01T00:00:00Z',
    '1970-01-01T00:00:00Z',
    '2255-01-01T00:00:00Z',
    '9999-01-01T00:00:00Z',
  ];
  const texts = [
    ...moments.map((moment, index) => rowAt(index, moment)),
    ...Array.from({ length: 20_000 }, (_, index) => rowAt(100 + index, '2026-11-20T08:00:00.000001Z')),
    ...Array.from({ length: 300 }, (_, index) =>
      rowAt(50_000 + index, new Date(1_763_700_000_000 + index).toISOString()),
    ),
  ];
  const store = await storeOf(...texts);
  const view = await open(store);
  expect(view.total).toBe(20_304);
  const sequences = await sequencesOf(view);
  const ordered = await store.engine.all<{ sequence: string }>(
    'select cast(sequence as text) as sequence from requests order by created_us desc, id',
  );
  expect(sequences).toEqual(ordered.map(({ sequence }) => Number(sequence)));
  expect(new Set(sequences).size).toBe(20_304);
  await store.close();
}, 60_000);

it('rows of a megabyte are read a few at a time', async () => {
  const texts = Array.from({ length: 30 }, (_, index) =>
    rowAt(index, `2026-11-20T08:00:${10 + index}Z`, 'x'.repeat(1_000_000)),
  );
  const store = await storeOf(...texts);
  const view = await open(store);
  const sizes: number[] = [];
  for await (const piece of view.pieces()) sizes.push(piece.length);
  view.end();
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(30);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2);
  await store.close();
});

it('without a transaction, rows that changed or vanished are left out, and no new one is included', async () => {
  const texts = Array.from({ length: 9000 }, (_, index) =>
    rowAt(index, new Date(1_763_700_000_000 + index * 1000).toISOString()),
  );
  const store = await storeOf(...texts);
  const view = await open(store);
  const pieces = view.pieces();
  const first = (await pieces.next()).value ?? [];
  // The transaction has ended.
  view.end();
  const finished = rowAt(0, new Date(1_763_700_000_000).toISOString()).replace('pending', 'failed');
  const late = rowAt(77_777, new Date(1_763_700_000_500).toISOString());
  await store.ingest(1, readPage([finished, late]).rows, 'history');
  await store.write(async (session) => {
    await session.run('delete from requests where sequence = 1');
    return { result: undefined, isChange: true };
  });
  const rest: number[] = [];
  for await (const piece of pieces) rest.push(...piece.map(({ wire }) => JSON.parse(wire).sequence));
  expect(first.length).toBe(2048);
  expect(rest).toEqual(Array.from({ length: 6950 }, (_, index) => 6951 - index));
  expect(view.total).toBe(9000);
  await store.close();
});
