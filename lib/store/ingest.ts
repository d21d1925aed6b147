import 'server-only';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LogRow, RequestRecord, UnreadableRow } from '@/lib/core/request-record';
import { lineOf, stageOf, textOf } from './bulk-rows';
import type { Dialect, Session } from './engine';
import { RECORD_COLUMNS, type RecordValues, recordValues, uuidOf } from './record-row';

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

const OVERWRITTEN = RECORD_COLUMNS.filter((name) => name !== 'id' && name !== 'keeper_id');
const KNOWN = 'select id from requests where id in (select id from stage)';
const IS_CHANGED = '(requests.wire <> stage.wire or requests.gone_us is not null)';

/** `$1`: rows that were last seen before it count as `unseen`. */
const COMPARE = `
  select count(*) as known, count(*) filter (where ${IS_CHANGED}) as changed,
    count(*) filter (where requests.last_seen_us < $1) as unseen
  from requests join stage on requests.id = stage.id`;

/** `$1` now, `$2` visible from, `$3` revision. A statement for new rows and one for changed ones are ten times as fast as an upsert. */
const INSERT = `
  insert into requests (${RECORD_COLUMNS.join(', ')}, first_seen_us, last_seen_us, visible_us, gone_us, rev)
  select ${RECORD_COLUMNS.join(', ')}, $1, $1, coalesce($2, least(created_us, $1)), null, $3
  from stage where id not in (${KNOWN})`;

/** `$1` now, `$2` revision. */
const OVERWRITE = `
  update requests set ${OVERWRITTEN.map((name) => `${name} = stage.${name}`).join(', ')},
    last_seen_us = $1, gone_us = null, rev = $2
  from stage where requests.id = stage.id and ${IS_CHANGED}`;

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
  await session.run(stageOf(dialect, COLUMNS), [text]);
  const seenAgainUs = nowUs - SEEN_AGAIN_US;
  const [before] = await session.all<{ known: number; changed: number; unseen: number }>(COMPARE, [
    seenAgainUs,
  ]);
  const { known = 0, changed = 0, unseen = 0 } = before ?? {};
  const added = count - known;
  if (changed > 0) await session.run(OVERWRITE, [nowUs, revision]);
  if (unseen > 0) {
    await session.run(`update requests set last_seen_us = $1 where last_seen_us < $2 and id in (${KNOWN})`, [
      nowUs,
      seenAgainUs,
    ]);
  }
  if (added > 0) await session.run(INSERT, [nowUs, as === 'new' ? nowUs : null, revision]);
  return { added, changed };
}

/** @returns how many are new, or are sent again */
async function ingestUnreadable(
  session: Session,
  { keeperId, unreadable }: PreparedRows,
  { nowUs, revision }: IngestOptions,
): Promise<number> {
  if (unreadable.length === 0) return 0;
  const known = await session.all<{ id: string; gone: boolean }>(
    'select cast(id as text) as id, gone_us is not null as gone from unreadable where keeper_id = $1',
    [keeperId],
  );
  const goneById = new Map(known.map(({ id, gone }) => [id, gone]));
  let added = 0;
  for (const { rawJson, problem } of unreadable) {
    const id = uuidOf(`${keeperId}\nunreadable\n${rawJson}`);
    const gone = goneById.get(id);
    if (gone === false) continue;
    added += 1;
    if (gone === true) {
      await session.run(
        'update unreadable set gone_us = null, last_seen_us = $1, rev = $2 where id = cast($3 as uuid)',
        [nowUs, revision, id],
      );
      continue;
    }
    await session.run(
      `insert into unreadable (id, keeper_id, problem, wire, first_seen_us, last_seen_us, gone_us, rev)
       values (cast($1 as uuid), $2, $3, $4, $5, $5, null, $6)`,
      [id, keeperId, problem, rawJson, nowUs, revision],
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
