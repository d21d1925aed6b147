import 'server-only';
import {
  type Acknowledgement,
  type IncidentEvent,
  type IncidentRecord,
  isDegraded,
  type Notice,
} from '@/lib/core/incident-record';
import { DAY_MS } from '@/lib/core/time';
import type { Engine, Session } from './engine';
import { raw, type SqlParameter, sql, sqlList } from './sql';
import type { IndexStore } from './store';

/** All changes are written together, or none. */
type IncidentChange = {
  incidents?: readonly IncidentRecord[];
  events?: readonly IncidentEvent[];
  acknowledge?: readonly Acknowledgement[];
  notices?: readonly Notice[];
  /** Acknowledgements to delete. */
  end?: readonly Pick<Acknowledgement, 'kind' | 'id'>[];
};

/** `sinceMs` selects incidents that are open, or were closed since then. */
type IncidentPeriod = {
  sinceMs: number;
  keepers: readonly string[];
  networks: readonly string[];
  limit: number;
};

/** A table of records: the column of each member, and the columns of the primary key. */
type Table<Row> = { name: string; columns: Record<keyof Row & string, string>; key: readonly string[] };

const ACKNOWLEDGEMENTS: Table<Acknowledgement> = {
  name: 'acknowledgements',
  // `by` is a keyword of SQL.
  columns: {
    kind: 'kind',
    id: 'id',
    atMs: 'at_ms',
    untilMs: 'until_ms',
    note: 'note',
    by: 'by_name',
    size: 'size',
    cause: 'cause',
  },
  key: ['kind', 'id'],
};
const INCIDENTS: Table<IncidentRecord> = {
  name: 'incidents',
  // Instances of the earlier version write this column during an update, so it has the member's old name.
  columns: {
    key: 'key',
    id: 'id',
    keeper: 'keeper',
    networkId: 'network_id',
    rules: 'rules',
    headline: 'headline',
    severity: 'severity',
    sinceMs: 'since_ms',
    openedMs: 'opened_ms',
    closedMs: 'closed_ms',
    peak: 'peak',
    reportedSize: 'told',
  },
  key: ['key'],
};
const EVENTS: Table<IncidentEvent> = {
  name: 'incident_events',
  columns: {
    incident: 'incident',
    atMs: 'at_ms',
    kind: 'kind',
    size: 'size',
    rule: 'rule',
    headline: 'headline',
    note: 'note',
    by: 'by_name',
    untilMs: 'until_ms',
  },
  key: [],
};
const NOTICES: Table<Notice> = {
  name: 'notices',
  columns: {
    id: 'id',
    subject: 'subject',
    kind: 'kind',
    title: 'title',
    facts: 'facts',
    sinceMs: 'since_ms',
    atMs: 'at_ms',
    endedMs: 'ended_ms',
    state: 'state',
    attempts: 'attempts',
    nextMs: 'next_ms',
    sentMs: 'sent_ms',
    error: 'error',
  },
  key: ['id'],
};

const NOTICE_TTL_MS = 90 * DAY_MS;

function selected<Row>(table: Table<Row>) {
  const columns = Object.entries<string>(table.columns).map(([member, column]) => `${column} as "${member}"`);
  return raw(`select ${columns.join(', ')} from ${table.name}`);
}

type SharedIndex = Pick<IndexStore, 'onRevision' | 'touch' | 'write'>;

/** Current records are cached in memory, because every page needs them. */
export class IncidentStore {
  #acknowledgements: readonly Acknowledgement[] = [];
  #open: readonly IncidentRecord[] = [];
  #degraded: readonly IncidentRecord[] = [];
  #notices: readonly Notice[] = [];

  private constructor(
    private readonly engine: Engine,
    private readonly index?: SharedIndex,
  ) {}

  /** @param index set if other processes share the database; its revisions trigger a reload */
  static async open(engine: Engine, index?: SharedIndex): Promise<IncidentStore> {
    const store = new IncidentStore(engine, index);
    await store.read();
    index?.onRevision(() => void store.read().catch(() => undefined));
    // The file may have been replaced, or data written meanwhile may have been put back.
    engine.onEvent(() => void store.read().catch(() => undefined));
    return store;
  }

  get acknowledgements(): readonly Acknowledgement[] {
    return this.#acknowledgements;
  }

  /** Open incidents of stuck requests. */
  get openIncidents(): readonly IncidentRecord[] {
    return this.#open;
  }

  get openDegraded(): readonly IncidentRecord[] {
    return this.#degraded;
  }

  /** Notices that wait to be sent, and notices of conditions that still hold. */
  get openNotices(): readonly Notice[] {
    return this.#notices;
  }

  /** @throws IndexNotWritableError */
  async change(written: IncidentChange): Promise<void> {
    if (!isChange(written)) return;
    await this.engine.write((session) => writeChange(session, written));
    await this.read();
    await this.index?.touch();
  }

  /** Writes only while this process is the leader. @throws IndexNotWritableError also if it no longer is */
  async changeAsLeader(written: IncidentChange): Promise<void> {
    const { index } = this;
    if (index === undefined) return this.change(written);
    if (!isChange(written)) return;
    await index.write(async (session) => ({ result: await writeChange(session, written), isChange: true }));
    await this.read();
  }

  /** Newest first, with their events in order of time. */
  history({ sinceMs, keepers, networks, limit }: IncidentPeriod) {
    const andIn = (column: string, values: readonly string[]) =>
      values.length === 0 ? raw('') : sql`and ${raw(column)} in ${sqlList(values)}`;
    const chosen = sql`where (closed_ms is null or closed_ms >= ${sinceMs})
      ${andIn('keeper', keepers)} ${andIn('network_id', networks)}
      order by opened_ms desc, key limit ${raw(limit)}`;
    return this.engine.snapshot(async (from) => ({
      incidents: (await from.all<IncidentRow>(sql`${selected(INCIDENTS)} ${chosen}`)).map(incidentOf),
      events: await from.all<IncidentEvent>(
        sql`${selected(EVENTS)} where incident in (select key from incidents ${chosen}) order by at_ms`,
      ),
    }));
  }

  /** Newest first. */
  notices(limit: number): Promise<Notice[]> {
    return this.engine.all(sql`${selected(NOTICES)} order by at_ms desc, id limit ${raw(limit)}`);
  }

  async noticesOf(ids: readonly string[]): Promise<Notice[]> {
    if (ids.length === 0) return [];
    return this.engine.all(sql`${selected(NOTICES)} where id in ${sqlList(ids)}`);
  }

  /** Deletes everything when the simulation that the data describe is reset. */
  async empty(): Promise<void> {
    await this.engine.write(async (session) => {
      for (const { name } of [ACKNOWLEDGEMENTS, INCIDENTS, EVENTS, NOTICES]) {
        await session.run(`delete from ${name}`);
      }
    });
    await this.read();
  }

  close(): Promise<void> {
    return this.engine.close();
  }

  /** Another process may have written. */
  async read(): Promise<void> {
    this.#acknowledgements = await this.engine.all<Acknowledgement>(
      sql`${selected(ACKNOWLEDGEMENTS)} order by at_ms, id`,
    );
    const open = await this.engine.all<IncidentRow>(
      sql`${selected(INCIDENTS)} where closed_ms is null order by opened_ms, key`,
    );
    const records = open.map(incidentOf);
    this.#open = records.filter((record) => !isDegraded(record));
    this.#degraded = records.filter(isDegraded);
    this.#notices = await this.engine.all<Notice>(
      sql`${selected(NOTICES)} where state = 'waiting' or ended_ms is null order by at_ms, id`,
    );
  }
}

const isChange = (written: IncidentChange) => Object.values(written).some(({ length }) => length > 0);

async function writeChange(
  session: Session,
  { incidents = [], events = [], acknowledge = [], notices = [], end = [] }: IncidentChange,
): Promise<void> {
  for (const incident of incidents)
    await upsert(session, INCIDENTS, { ...incident, rules: incident.rules.join() });
  for (const event of events) await upsert(session, EVENTS, event);
  for (const acknowledgement of acknowledge) await upsert(session, ACKNOWLEDGEMENTS, acknowledgement);
  for (const notice of notices) await upsert(session, NOTICES, notice);
  if (notices.length > 0) {
    const sinceMs = Math.max(...notices.map(({ atMs }) => atMs)) - NOTICE_TTL_MS;
    // A condition that still holds would alert again without its notice.
    await session.run(
      sql`delete from notices where at_ms < ${sinceMs} and state <> 'waiting' and ended_ms is not null`,
    );
  }
  for (const { kind, id } of end)
    await session.run(sql`delete from acknowledgements where kind = ${kind} and id = ${id}`);
}

async function upsert<Row>(
  session: Session,
  table: Table<Row>,
  row: Readonly<Record<keyof Row & string, SqlParameter>>,
): Promise<void> {
  const { name, key } = table;
  const columns = Object.values<string>(table.columns);
  const members = Object.keys(table.columns) as (keyof Row & string)[];
  const others = columns
    .filter((column) => !key.includes(column))
    .map((column) => `${column} = excluded.${column}`);
  const conflict = key.length === 0 ? '' : `on conflict (${key.join()}) do update set ${others.join(', ')}`;
  const values = sqlList(members.map((member) => row[member] ?? null));
  await session.run(
    sql`insert into ${raw(name)} (${raw(columns.join(', '))}) values ${values} ${raw(conflict)}`,
  );
}

type IncidentRow = Omit<IncidentRecord, 'rules'> & { rules: string };

const incidentOf = (row: IncidentRow): IncidentRecord => ({ ...row, rules: row.rules.split(',') });
