import 'server-only';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LogRow, RequestRecord, UnreadableRow } from '@/lib/core/request-record';
import { lineOf, stageOf, textOf } from './bulk-rows';
import { type Dialect, oneRow, type Session } from './engine';
import { RECORD_COLUMNS, type RecordValues, recordValues, uuidOf } from './record-row';
import { raw, sql } from './sql';

export type IngestOptions = {
  /** Unix microseconds: when the rows came. */
  nowUs: number;
  /**
   * `new`: rows that appeared just now, so that a list pinned to an earlier moment leaves them out. `history`: rows that
   * were there all along.
   */
  as: 'new' | 'history';
  /** The revision that what changes gets. */
  revision: number;
};

/** How many rows an ingestion added, and how many it found changed. */
export type Ingested = { added: number; changed: number };

/** How long a row that is read again unchanged keeps the moment it was last seen at, in microseconds. */
const SEEN_AGAIN_US = 3_600_000_000;
const DECIMALS: ReadonlySet<string> = new Set([
  'sequence',
  'request_block',
  'reveal_block',
  'gas_limit',
  'gas_used',
  'callback_gas_used',
]);
const BIGINTS: ReadonlySet<string> = new Set([
  'created_us',
  'updated_us',
  'duration_us',
  'sequence64',
  'request_tx64',
  'reveal_tx64',
]);

const COLUMNS = RECORD_COLUMNS.map((name) => ({ name, type: typeOf(name) }));

/** The type of a column that is no text. */
function typeOf(name: string): string | undefined {
  if (name === 'id') return 'uuid';
  if (name === 'keeper_id') return 'integer';
  if (name === 'gas_share') return 'double precision';
  return DECIMALS.has(name) ? 'decimal(38,0)' : BIGINTS.has(name) ? 'bigint' : undefined;
}

const ALL = raw(RECORD_COLUMNS.join(', '));
const OVERWRITTEN = RECORD_COLUMNS.filter((name) => name !== 'id' && name !== 'keeper_id');
const TAKEN_OVER = raw(OVERWRITTEN.map((name) => `${name} = stage.${name}`).join(', '));
const KNOWN = raw('select id from requests where id in (select id from stage)');
const IS_CHANGED = raw('(requests.wire <> stage.wire or requests.gone_us is not null)');

/** Rows of a keeper, ready to be put in: each identity once. `text` holds `count` records. */
export type PreparedRows = { keeperId: number; count: number; text: string; unreadable: UnreadableRow[] };

/** Works out the columns of rows, a few rows at a time. */
export async function prepareRows(keeperId: number, rows: readonly LogRow[]): Promise<PreparedRows> {
  // A list that moves may hold a row twice: the first one is as good as the other.
  const lines = new Map<string, string>();
  const unreadable = new Map<string, UnreadableRow>();
  await inSlices(rows, (row) => {
    if (row.kind === 'unreadable') {
      unreadable.set(row.rawJson, row);
      return;
    }
    const values = recordValues(keeperId, row);
    const id = String(values[0]);
    if (!lines.has(id)) lines.set(id, lineOf(values, isOdd(values, row)));
  });
  const text = textOf([...lines.values()]);
  return { keeperId, count: lines.size, text, unreadable: [...unreadable.values()] };
}

const FAILURE_TEXT = RECORD_COLUMNS.indexOf('failure_text');

/** JSON holds control characters only as `\u00…`; the text of a failure may come from bytes. */
function isOdd(values: RecordValues, { rawJson }: RequestRecord): boolean {
  return values[FAILURE_TEXT] !== null || rawJson.includes('\\u00');
}

/**
 * Puts rows of a keeper into the index: new ones are added, changed ones take the place of what was there. Rows that can't
 * be read are kept apart.
 * @param session of a transaction
 */
export async function ingest(
  session: Session,
  dialect: Dialect,
  prepared: PreparedRows,
  options: IngestOptions,
): Promise<Ingested> {
  const result = await ingestRecords(session, dialect, prepared, options);
  const odd = await ingestUnreadable(session, prepared, options);
  return { added: result.added + odd, changed: result.changed };
}

async function ingestRecords(
  session: Session,
  dialect: Dialect,
  { count, text }: PreparedRows,
  { nowUs, as, revision }: IngestOptions,
): Promise<Ingested> {
  if (count === 0) return { added: 0, changed: 0 };
  await session.run(stageOf(dialect, COLUMNS, text));
  const unseen = sql`requests.last_seen_us < ${nowUs - SEEN_AGAIN_US}`;
  const before = await oneRow<{ known: number; changed: number; unseen: number }>(
    session,
    sql`select count(*) as known, count(*) filter (where ${IS_CHANGED}) as changed,
      count(*) filter (where ${unseen}) as unseen
    from requests join stage on requests.id = stage.id`,
  );
  const added = count - before.known;
  // A statement for new rows and one for changed ones are ten times as fast as an upsert.
  if (before.changed > 0) {
    await session.run(
      sql`update requests set ${TAKEN_OVER}, last_seen_us = ${nowUs}, gone_us = null, rev = ${revision}
      from stage where requests.id = stage.id and ${IS_CHANGED}`,
    );
  }
  if (before.unseen > 0)
    await session.run(sql`update requests set last_seen_us = ${nowUs} where ${unseen} and id in (${KNOWN})`);
  if (added > 0) {
    const visible = as === 'new' ? sql`${nowUs}` : sql`least(created_us, ${nowUs})`;
    await session.run(
      sql`insert into requests (${ALL}, first_seen_us, last_seen_us, visible_us, gone_us, rev)
      select ${ALL}, ${nowUs}, ${nowUs}, ${visible}, null, ${revision} from stage where id not in (${KNOWN})`,
    );
  }
  return { added, changed: before.changed };
}

/** @returns how many are new, or are sent again */
async function ingestUnreadable(
  session: Session,
  { keeperId, unreadable }: PreparedRows,
  { nowUs, revision }: IngestOptions,
): Promise<number> {
  if (unreadable.length === 0) return 0;
  const known = await session.all<{ id: string; gone: boolean }>(
    sql`select cast(id as text) as id, gone_us is not null as gone from unreadable where keeper_id = ${keeperId}`,
  );
  const goneById = new Map(known.map(({ id, gone }) => [id, gone]));
  let added = 0;
  for (const { rawJson, problem } of unreadable) {
    const id = uuidOf(`${keeperId}\nunreadable\n${rawJson}`);
    const gone = goneById.get(id);
    if (gone === false) continue;
    added += 1;
    await session.run(
      gone === true
        ? sql`update unreadable set gone_us = null, last_seen_us = ${nowUs}, rev = ${revision}
            where id = cast(${id} as uuid)`
        : sql`insert into unreadable (id, keeper_id, problem, wire, first_seen_us, last_seen_us, gone_us, rev)
            values (cast(${id} as uuid), ${keeperId}, ${problem}, ${rawJson}, ${nowUs}, ${nowUs}, null, ${revision})`,
    );
  }
  return added;
}

/** So long work may hold the event loop in one piece, in milliseconds; looked at after each `STEP` items. */
const TURN_MS = 4;
const STEP = 25;

/** Calls `work` for each item in order, and lets everybody else have a turn of the event loop every few milliseconds. */
async function inSlices<T>(items: readonly T[], work: (item: T) => void): Promise<void> {
  let turnEnds = performance.now() + TURN_MS;
  for (let start = 0; start < items.length; start += STEP) {
    for (const item of items.slice(start, start + STEP)) work(item);
    if (performance.now() < turnEnds) continue;
    await nextTurn();
    turnEnds = performance.now() + TURN_MS;
  }
}
