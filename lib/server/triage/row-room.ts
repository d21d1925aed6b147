import 'server-only';
import type { ListedRow } from '@/lib/contract/codec/listing';
import { ok } from '@/lib/domain/outcome';
import type { LogSource } from '@/lib/server/explorer/log-source';

/** Rows have some 600 characters, failed ones with a long reason a few thousand: more than any page of them needs. */
const CHARACTERS_PER_ROW = 4000;

/** What a page may have beside that: for many pages that are kept at once, and for those of a single request. */
export const ROOM = { forMany: 100_000, forOne: 2_000_000 } as const;

/**
 * The log, with rows that are kept for a while: a service that fills each answer up to the byte cap would otherwise fill the
 * memory. A row for which its page has no room left counts as unreadable and keeps nothing of its text; the others live on.
 * @param room characters of JSON that a page may have beside what its rows usually take
 */
export function withinRoom(source: LogSource, room: number): LogSource {
  return {
    keeper: source.keeper,
    async page(...asked) {
      const page = await source.page(...asked);
      return page.ok ? ok({ ...page.value, rows: rowsWithin(page.value.rows, room) }) : page;
    },
    count: (...asked) => source.count(...asked),
  };
}

function rowsWithin(rows: readonly ListedRow[], room: number): ListedRow[] {
  let left = room + rows.length * CHARACTERS_PER_ROW;
  return rows.map((row) => {
    if (row.rawJson.length > left) return withoutText(row);
    left -= row.rawJson.length;
    return row;
  });
}

const KEY_CHARACTERS = 200;

function withoutText({ keeper, key }: ListedRow): ListedRow {
  // A part of a text would keep the whole of it, so this is a copy.
  const ownKey = JSON.parse(JSON.stringify(key.slice(0, KEY_CHARACTERS))) as string;
  return { kind: 'unreadable', keeper, key: ownKey, rawJson: '', problem: 'The row is too large.' };
}
