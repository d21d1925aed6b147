import 'server-only';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LogRow, UnreadableRow } from '@/lib/core/request-record';
import { HOUR_US } from '@/lib/core/time';
import { BulkText, stageStatement } from './bulk-rows';
import { type Dialect, oneRow, type Session } from './engine';
import { RECORD_COLUMNS, recordLine, requestId, uuidOf } from './record-row';
import { BEGINNING_US } from './schema';
import { raw, sql } from './sql';

type IngestOptions = {
  nowUs: number;
  /** Moment from which pinned lists include the rows, unix microseconds. */
  visibleUs: number;
  /** `new`: the rows appeared just now, so lists pinned to earlier moments exclude them. */
  as: 'new' | 'history';
  revision: number;
};

/** `newestUs`: creation of the newest added row. */
export type Ingested = { added: number; changed: number; newestUs?: number | undefined };

/** Interval at which `last_seen_us` of an unchanged row is renewed. */
const SEEN_INTERVAL_US = HOUR_US;
const NAMES = RECORD_COLUMNS.map(({ name }) => name);
const ALL = raw(NAMES.join(', '));
const OVERWRITTEN = NAMES.filter((name) => name !== 'id' && name !== 'keeper_id');
/** Keeps the first observed finish: a restarted service processes its backlog again and dates finished rows anew. */
const DURATION = `case when requests.state = stage.state and requests.created_us = stage.created_us
  then coalesce(requests.duration_us, stage.duration_us) else stage.duration_us end`;
const UPDATED_COLUMNS = raw(
  OVERWRITTEN.map((name) => `${name} = ${name === 'duration_us' ? DURATION : `stage.${name}`}`).join(', '),
);
const KNOWN = raw('select id from requests where id in (select id from stage)');
const IS_CHANGED = raw('(requests.wire <> stage.wire or requests.gone_us is not null)');

/** Bulk form takes a fraction of the memory of parsed rows. */
export class PreparedRows {
  readonly #ids = new Set<string>();
  readonly #text = new BulkText();
  readonly #unreadable = new Map<string, UnreadableRow>();

  constructor(private readonly keeperId: number) {}

  get length(): number {
    return this.#ids.size + this.#unreadable.size;
  }

  /** Works in slices of a few milliseconds. */
  async add(rows: readonly LogRow[]): Promise<this> {
    await forEachSlice(rows, (slice) => this.#text.add(slice.flatMap((row) => this.#lineOf(row) ?? [])));
    return this;
  }

  clear(): void {
    this.#ids.clear();
    this.#text.clear();
    this.#unreadable.clear();
  }

  /** Undefined for an unreadable row and a duplicate: a list that changes while it is read may repeat a row. */
  #lineOf(row: LogRow): string | undefined {
    if (row.kind === 'unreadable') {
      this.#unreadable.set(uuidOf(`${this.keeperId}\nunreadable\n${row.rawJson}`), row);
      return undefined;
    }
    const id = requestId(this.keeperId, row);
    if (this.#ids.has(id)) return undefined;
    this.#ids.add(id);
    return recordLine(this.keeperId, id, row);
  }

  /** Inserts new rows, replaces changed ones, and stores unreadable ones separately, within a transaction. */
  async put(session: Session, dialect: Dialect, options: IngestOptions): Promise<Ingested> {
    const records: Ingested = { added: 0, changed: 0 };
    const count = this.#ids.size;
    if (count > 0) {
      await session.run(stageStatement(dialect, RECORD_COLUMNS, this.#text));
      Object.assign(records, await ingestStaged(session, count, options));
    }
    const unreadable = await ingestUnreadable(session, this.keeperId, this.#unreadable, options);
    return { ...records, added: records.added + unreadable };
  }
}

async function ingestStaged(
  session: Session,
  count: number,
  { nowUs, visibleUs, as, revision }: IngestOptions,
): Promise<Ingested> {
  const unseen = sql`requests.last_seen_us < ${nowUs - SEEN_INTERVAL_US}`;
  const counts = await oneRow<{ stored: number; changed: number; unseen: number }>(
    session,
    sql`select count(*) as stored, count(*) filter (where ${IS_CHANGED}) as changed,
      count(*) filter (where ${unseen}) as unseen
    from requests join stage on requests.id = stage.id`,
  );
  const added = count - counts.stored;
  // Separate statements for new and changed rows are ten times as fast as an upsert.
  if (counts.changed > 0) {
    await session.run(
      sql`update requests set ${UPDATED_COLUMNS}, last_seen_us = ${nowUs}, gone_us = null, rev = ${revision}
      from stage where requests.id = stage.id and ${IS_CHANGED}`,
    );
  }
  if (counts.unseen > 0)
    await session.run(sql`update requests set last_seen_us = ${nowUs} where ${unseen} and id in (${KNOWN})`);
  let newestUs: number | undefined;
  if (added > 0) {
    const fresh = sql`select max(created_us) as us from stage where id not in (${KNOWN})`;
    newestUs = (await oneRow<{ us: number | null }>(session, fresh)).us ?? undefined;
    const visible = as === 'new' ? sql`${visibleUs}` : sql`least(created_us, ${visibleUs})`;
    await session.run(
      sql`insert into requests (${ALL}, first_seen_us, last_seen_us, visible_us, gone_us, rev)
      select ${ALL}, ${nowUs}, ${nowUs}, ${visible}, null, ${revision} from stage where id not in (${KNOWN})`,
    );
  }
  return { added, changed: counts.changed, newestUs };
}

/** @returns the number of rows that are new, or that the service serves again */
async function ingestUnreadable(
  session: Session,
  keeperId: number,
  rows: ReadonlyMap<string, UnreadableRow>,
  { nowUs, visibleUs, as, revision }: IngestOptions,
): Promise<number> {
  if (rows.size === 0) return 0;
  // A pinned list includes the readable rows of the history, and therefore the unreadable ones too.
  const firstSeenUs = as === 'history' ? BEGINNING_US : Math.min(nowUs, visibleUs);
  const served = await session.all<{ id: string }>(
    sql`select cast(id as text) as id from unreadable where keeper_id = ${keeperId} and gone_us is null`,
  );
  const fresh = new Map(rows);
  for (const { id } of served) fresh.delete(id);
  for (const [id, { rawJson, problem }] of fresh) {
    await session.run(
      sql`insert into unreadable (id, keeper_id, problem, wire, first_seen_us, last_seen_us, gone_us, rev)
        values (cast(${id} as uuid), ${keeperId}, ${problem}, ${rawJson}, ${firstSeenUs}, ${nowUs}, null, ${revision})
        on conflict (id) do update set gone_us = null, last_seen_us = ${nowUs}, rev = ${revision}`,
    );
  }
  return fresh.size;
}

const MAX_TURN_MS = 4;
/** Number of items after which the time is checked. */
const STEP = 25;

/**
 * Works on items in slices. Other work gets a turn before each, so that a pending call to the service goes out first.
 */
async function forEachSlice<T>(items: readonly T[], work: (slice: readonly T[]) => void): Promise<void> {
  let turnEnds = 0;
  for (let start = 0; start < items.length; start += STEP) {
    if (performance.now() >= turnEnds) {
      await nextTurn();
      turnEnds = performance.now() + MAX_TURN_MS;
    }
    work(items.slice(start, start + STEP));
  }
}
