import 'server-only';
import type { Acknowledgement, IncidentEvent, IncidentRecord, Notice } from '@/lib/core/incident-record';
import { DAY_MS } from '@/lib/core/time';
import type { Engine, Session } from './engine';
import { listOf, raw, type SqlParameter, sql } from './sql';
import type { IndexStore } from './store';

/** Changes that are written together, or not at all. */
type IncidentChange = {
  incidents?: readonly IncidentRecord[];
  events?: readonly IncidentEvent[];
  acknowledge?: readonly Acknowledgement[];
  notices?: readonly Notice[];
  /** Acknowledgements to delete. */
  end?: readonly Pick<Acknowledgement, 'kind' | 'id'>[];
};

/** `sinceMs`: incidents that are open, or closed since then. */
type IncidentPeriod = {
  sinceMs: number;
  keepers: readonly string[];
  networks: readonly string[];
  limit: number;
};

/** A table: its record members, and the key of a row. */
type Table = { name: string; members: readonly string[]; key: readonly string[] };

const ACKNOWLEDGEMENTS: Table = {
  name: 'acknowledgements',
  members: 'kind id atMs untilMs note by size cause'.split(' '),
  key: ['kind', 'id'],
};
const INCIDENTS: Table = {
  name: 'incidents',
  members:
    'key id keeper networkId rules headline severity sinceMs openedMs closedMs peak reportedSize'.split(' '),
  key: ['key'],
};
const EVENTS: Table = {
  name: 'incident_events',
  members: 'incident atMs kind size rule headline note by untilMs'.split(' '),
  key: [],
};
const NOTICES: Table = {
  name: 'notices',
  members: 'id subject kind title facts sinceMs atMs endedMs state attempts nextMs sentMs error'.split(' '),
  key: ['id'],
};

/** Time after which sent notices are deleted. */
const NOTICE_TTL_MS = 90 * DAY_MS;

/**
 * Columns whose name differs from the member. `by` is a keyword of SQL. `told` is the first name of the member: during an
 * update, instances of the earlier version write the same tables.
 */
const COLUMN_NAMES: Readonly<Record<string, string>> = { by: 'by_name', reportedSize: 'told' };

/** `atMs` → `at_ms`. */
function columnOf(member: string): string {
  return COLUMN_NAMES[member] ?? member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function selected({ name, members }: Table) {
  const columns = members.map((member) => `${columnOf(member)} as "${member}"`);
  return raw(`select ${columns.join(', ')} from ${name}`);
}

/** An index that other processes share. */
type SharedIndex = Pick<IndexStore, 'onRevision' | 'touch' | 'write'>;

/** Acknowledgements, incidents and their events. Current ones are cached in memory, because every page needs them. */
export class IncidentStore {
  #acknowledgements: readonly Acknowledgement[] = [];
  #open: readonly IncidentRecord[] = [];
  #notices: readonly Notice[] = [];

  private constructor(
    private readonly engine: Engine,
    private readonly index?: SharedIndex,
  ) {}

  /** @param index set if other processes share the database; its revisions trigger a new read */
  static async open(engine: Engine, index?: SharedIndex): Promise<IncidentStore> {
    const store = new IncidentStore(engine, index);
    await store.read();
    index?.onRevision(() => void store.read().catch(() => undefined));
    // The file was replaced, or data written meanwhile has been put back.
    engine.onEvent(() => void store.read().catch(() => undefined));
    return store;
  }

  get acknowledgements(): readonly Acknowledgement[] {
    return this.#acknowledgements;
  }

  /** Open incidents. */
  get openIncidents(): readonly IncidentRecord[] {
    return this.#open;
  }

  /** Notices that wait to be sent, and those of conditions that still hold. */
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

  /** Like `change`, but only while this process is the leader. @throws IndexNotWritableError also if it no longer is */
  async changeAsLeader(written: IncidentChange): Promise<void> {
    const { index } = this;
    if (index === undefined) return this.change(written);
    if (!isChange(written)) return;
    await index.write(async (session) => ({ result: await writeChange(session, written), isChange: true }));
    await this.read();
  }

  /** Incidents of a period, newest first, with their events in order of time. */
  history({ sinceMs, keepers, networks, limit }: IncidentPeriod) {
    const among = (column: string, values: readonly string[]) =>
      values.length === 0 ? raw('') : sql`and ${raw(column)} in ${listOf(values)}`;
    const chosen = sql`where (closed_ms is null or closed_ms >= ${sinceMs})
      ${among('keeper', keepers)} ${among('network_id', networks)}
      order by opened_ms desc, key limit ${raw(limit)}`;
    return this.engine.snapshot(async (from) => ({
      incidents: (await from.all<IncidentRow>(sql`${selected(INCIDENTS)} ${chosen}`)).map(incidentOf),
      events: await from.all<IncidentEvent>(
        sql`${selected(EVENTS)} where incident in (select key from incidents ${chosen}) order by at_ms`,
      ),
    }));
  }

  /** Notices, newest first. */
  notices(limit: number): Promise<Notice[]> {
    return this.engine.all(sql`${selected(NOTICES)} order by at_ms desc, id limit ${raw(limit)}`);
  }

  /** Deletes everything, when the simulation that it describes is reset. */
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

  /** Reloads the current records, because another process may have written. */
  async read(): Promise<void> {
    this.#acknowledgements = await this.engine.all<Acknowledgement>(
      sql`${selected(ACKNOWLEDGEMENTS)} order by at_ms, id`,
    );
    const open = await this.engine.all<IncidentRow>(
      sql`${selected(INCIDENTS)} where closed_ms is null order by opened_ms, key`,
    );
    this.#open = open.map(incidentOf);
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
    await put(session, INCIDENTS, { ...incident, rules: incident.rules.join() });
  for (const event of events) await put(session, EVENTS, event);
  for (const acknowledgement of acknowledge) await put(session, ACKNOWLEDGEMENTS, acknowledgement);
  for (const notice of notices) await put(session, NOTICES, notice);
  if (notices.length > 0) {
    const sinceMs = Math.max(...notices.map(({ atMs }) => atMs)) - NOTICE_TTL_MS;
    await session.run(sql`delete from notices where at_ms < ${sinceMs} and state <> 'waiting'`);
  }
  for (const { kind, id } of end)
    await session.run(sql`delete from acknowledgements where kind = ${kind} and id = ${id}`);
}

/** Inserts a row, or replaces the one with the same key. */
async function put(
  session: Session,
  { name, members, key }: Table,
  row: Record<string, SqlParameter>,
): Promise<void> {
  const columns = members.map(columnOf);
  const others = columns
    .filter((column) => !key.includes(column))
    .map((column) => `${column} = excluded.${column}`);
  const conflict = key.length === 0 ? '' : `on conflict (${key.join()}) do update set ${others.join(', ')}`;
  const values = listOf(members.map((member) => row[member] ?? null));
  await session.run(
    sql`insert into ${raw(name)} (${raw(columns.join(', '))}) values ${values} ${raw(conflict)}`,
  );
}

type IncidentRow = Omit<IncidentRecord, 'rules'> & { rules: string };

const incidentOf = (row: IncidentRow): IncidentRecord => ({ ...row, rules: row.rules.split(',') });
