import 'server-only';
import type { DuckDBAppender } from '@duckdb/node-api';
import type { LogRow, RequestRecord, UnreadableRow } from '@/lib/domain/request-record';
import type { Session } from './engine';
import { RECORD_COLUMNS, type RecordValues, recordValues, uuidOf } from './record-row';
import { inSlices } from './slices';

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
  'request_tx64',
  'reveal_tx64',
]);

const STAGE_COLUMNS = RECORD_COLUMNS.map((name) => {
  if (name === 'keeper_id') return `${name} integer`;
  return `${name} ${BIGINTS.has(name) ? 'bigint' : 'text'}`;
});
const CREATE_STAGE = `create or replace temp table stage (${STAGE_COLUMNS.join(', ')})`;

/** By way of hugeint: a text becomes a wide decimal six times as fast. */
const FROM_STAGE = RECORD_COLUMNS.map((name) => {
  if (name === 'id') return 'cast(id as uuid)';
  return DECIMALS.has(name) ? `cast(cast(${name} as hugeint) as decimal(38,0))` : name;
});
const OVERWRITTEN = RECORD_COLUMNS.map((name, index) => ({ name, value: FROM_STAGE[index] })).filter(
  ({ name }) => name !== 'id' && name !== 'keeper_id',
);

const KNOWN = 'select id from requests where id in (select cast(id as uuid) from stage)';
const IS_CHANGED = '(requests.wire <> stage.wire or requests.gone_us is not null)';

/** `$1`: rows that were last seen before it count as `unseen`. */
const COMPARE = `
  select count(*) as known, count(*) filter (where ${IS_CHANGED}) as changed,
    count(*) filter (where requests.last_seen_us < $1) as unseen
  from requests join stage on requests.id = cast(stage.id as uuid)`;

/** `$1` now, `$2` visible from, `$3` revision. A statement for new rows and one for changed ones are ten times as fast as an upsert. */
const INSERT = `
  insert into requests (${RECORD_COLUMNS.join(', ')}, first_seen_us, last_seen_us, visible_us, gone_us, rev)
  select ${FROM_STAGE.join(', ')}, $1, $1, coalesce($2, least(created_us, $1)), null, $3
  from stage where cast(id as uuid) not in (${KNOWN})`;

/** `$1` now, `$2` revision. */
const OVERWRITE = `
  update requests set ${OVERWRITTEN.map(({ name }) => `${name} = changed.${name}`).join(', ')},
    last_seen_us = $1, gone_us = null, rev = $2
  from (select cast(id as uuid) as id, ${OVERWRITTEN.map(({ name, value }) => `${value} as ${name}`).join(', ')}
        from stage) as changed
  where requests.id = changed.id and (requests.wire <> changed.wire or requests.gone_us is not null)`;

/** Rows of a keeper, ready to be put in: each identity once. */
export type PreparedRows = { keeperId: number; records: RecordValues[]; unreadable: UnreadableRow[] };

/** Works out the columns of rows, a few rows at a time. */
export async function prepareRows(keeperId: number, rows: readonly LogRow[]): Promise<PreparedRows> {
  const records = new Map<string, RecordValues>();
  const unreadable: UnreadableRow[] = [];
  await inSlices(rows, (row) => {
    if (row.kind === 'unreadable') unreadable.push(row);
    else addRecord(records, row, keeperId);
  });
  return { keeperId, records: [...records.values()], unreadable };
}

/**
 * Puts rows of a keeper into the index: new ones are added, changed ones take the place of what was there. Rows that can't
 * be read are kept apart.
 * @param session of a transaction
 */
export async function ingest(
  session: Session,
  { keeperId, records, unreadable }: PreparedRows,
  options: IngestOptions,
): Promise<Ingested> {
  const result = await ingestRecords(session, records, options);
  const odd = await ingestUnreadable(session, keeperId, unreadable, options);
  return { added: result.added + odd, changed: result.changed };
}

/** A list that moves may hold a row twice: the first one is as good as the other. */
function addRecord(records: Map<string, RecordValues>, row: RequestRecord, keeperId: number): void {
  const values = recordValues(keeperId, row);
  const id = String(values[0]);
  if (!records.has(id)) records.set(id, values);
}

async function ingestRecords(
  session: Session,
  records: readonly RecordValues[],
  { nowUs, as, revision }: IngestOptions,
): Promise<Ingested> {
  if (records.length === 0) return { added: 0, changed: 0 };
  await session.run(CREATE_STAGE);
  await stage(session, records);
  const seenAgainUs = nowUs - SEEN_AGAIN_US;
  const [before] = await session.all<{ known: number; changed: number; unseen: number }>(COMPARE, [
    seenAgainUs,
  ]);
  const { known = 0, changed = 0, unseen = 0 } = before ?? {};
  const added = records.length - known;
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

async function stage(session: Session, records: readonly RecordValues[]): Promise<void> {
  const appender = await session.connection.createAppender('stage', 'main', 'temp');
  await inSlices(records, (values) => {
    for (const [index, value] of values.entries()) append(appender, index, value);
    appender.endRow();
  });
  appender.closeSync();
}

function append(appender: DuckDBAppender, index: number, value: string | number | bigint | null): void {
  if (value === null) appender.appendNull();
  else if (typeof value === 'string') appender.appendVarchar(value);
  else if (typeof value === 'number' && RECORD_COLUMNS[index] === 'keeper_id') appender.appendInteger(value);
  else appender.appendBigInt(BigInt(value));
}

/** @returns how many are new */
async function ingestUnreadable(
  session: Session,
  keeperId: number,
  rows: readonly UnreadableRow[],
  { nowUs, revision }: IngestOptions,
): Promise<number> {
  let added = 0;
  for (const { rawJson, problem } of rows) {
    const id = uuidOf(`${keeperId}\nunreadable\n${rawJson}`);
    const [known] = await session.all<{ n: number }>('select count(*) as n from unreadable where id = $1', [
      id,
    ]);
    if (known?.n === 1) continue;
    await session.run(
      `insert into unreadable (id, keeper_id, problem, wire, first_seen_us, last_seen_us, gone_us, rev)
       values (cast($1 as uuid), $2, $3, $4, $5, $5, null, $6)`,
      [id, keeperId, problem, rawJson, nowUs, revision],
    );
    added += 1;
  }
  return added;
}
