import 'server-only';
import type { Engine, Session, SqlParameter } from './engine';

/** What somebody has seen and keeps quiet. Moments are unix milliseconds, by the clock of the services. */
export type Acknowledgement = {
  /** `incident` with the id of triage, `request` with the key of its row, `failure` with the name of its group. */
  kind: string;
  id: string;
  atMs: number;
  /** Until then at most; null: until it changes or is over. */
  untilMs: number | null;
  /** What somebody wrote, plain text; empty without. */
  note: string;
  /** Who did it, where access knows. */
  by: string | null;
  /** Requests of it at that time. */
  size: number;
  /** What was its likely cause; null where it has none. */
  cause: string | null;
};

/** An incident from when it was first seen until it was over. */
export type KeptIncident = {
  key: string;
  /** As triage names it: another one of the same id may have been before. */
  id: string;
  keeper: string;
  networkId: string;
  /** The rule that it was opened under, then those that led later. */
  rules: readonly string[];
  headline: string;
  severity: string;
  /** Its oldest request, or the last of a silent network. */
  sinceMs: number;
  openedMs: number;
  closedMs: number | null;
  /** Most requests at once. */
  peak: number;
  /** How many it had when its size was last told. */
  told: number;
};

export type IncidentEvent = {
  /** Key of the incident. */
  incident: string;
  atMs: number;
  kind: 'opened' | 'grew' | 'explained' | 'acknowledged' | 'undone' | 'returned' | 'closed';
  size: number;
  rule: string | null;
  headline: string | null;
  note: string | null;
  by: string | null;
  untilMs: number | null;
};

/** What belongs together: all of it is written, or nothing. */
export type IncidentChange = {
  incidents?: readonly KeptIncident[];
  events?: readonly IncidentEvent[];
  acknowledge?: readonly Acknowledgement[];
  /** Acknowledgements that end. */
  end?: readonly Pick<Acknowledgement, 'kind' | 'id'>[];
};

export type IncidentPeriod = {
  /** Closed since then, or not at all. */
  sinceMs: number;
  keepers: readonly string[];
  networks: readonly string[];
  most: number;
};

/** The members of each, with their columns. */
const ACKNOWLEDGEMENT = {
  kind: 'kind',
  id: 'id',
  atMs: 'at_ms',
  untilMs: 'until_ms',
  note: 'note',
  by: 'by_name',
  size: 'size',
  cause: 'cause',
};
const INCIDENT = {
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
  told: 'told',
};
const EVENT = {
  incident: 'incident',
  atMs: 'at_ms',
  kind: 'kind',
  size: 'size',
  rule: 'rule',
  headline: 'headline',
  note: 'note',
  by: 'by_name',
  untilMs: 'until_ms',
};

type Columns = Record<string, string>;

const selected = (columns: Columns) =>
  Object.entries(columns)
    .map(([member, column]) => `${column} as "${member}"`)
    .join(', ');

/** Acknowledgements, and incidents with what became of them. What holds now is in memory: it is asked for by every page. */
export class IncidentStore {
  readonly #engine: Engine;
  #acknowledgements: readonly Acknowledgement[] = [];
  #open: readonly KeptIncident[] = [];

  private constructor(engine: Engine) {
    this.#engine = engine;
  }

  static async open(engine: Engine): Promise<IncidentStore> {
    const store = new IncidentStore(engine);
    await store.#read();
    // A broken file was put aside, or what was written meanwhile is there again.
    engine.onEvent(() => void store.#read().catch(() => undefined));
    return store;
  }

  get acknowledgements(): readonly Acknowledgement[] {
    return this.#acknowledgements;
  }

  /** Incidents that are not over. */
  get openIncidents(): readonly KeptIncident[] {
    return this.#open;
  }

  /** @throws IndexNotWritableError */
  async change({ incidents = [], events = [], acknowledge = [], end = [] }: IncidentChange): Promise<void> {
    if (incidents.length + events.length + acknowledge.length + end.length === 0) return;
    await this.#engine.write(async (session) => {
      for (const one of incidents) {
        await put(session, 'incidents', INCIDENT, { ...one, rules: one.rules.join() }, ['key']);
      }
      for (const one of events) await put(session, 'incident_events', EVENT, one, []);
      for (const one of acknowledge) {
        await put(session, 'acknowledgements', ACKNOWLEDGEMENT, one, ['kind', 'id']);
      }
      for (const { kind, id } of end) {
        await session.run('delete from acknowledgements where kind = $1 and id = $2', [kind, id]);
      }
    });
    await this.#read();
  }

  /** The newest first, with what became of each, in order of time. */
  async history({
    sinceMs,
    keepers,
    networks,
    most,
  }: IncidentPeriod): Promise<{ incidents: KeptIncident[]; events: IncidentEvent[] }> {
    const parameters: SqlParameter[] = [sinceMs];
    const among = (column: string, values: readonly string[]) => {
      const places = values.map((value) => `$${parameters.push(value)}`);
      return places.length === 0 ? '' : ` and ${column} in (${places.join()})`;
    };
    const chosen = `from incidents where (closed_ms is null or closed_ms >= $1)${among('keeper', keepers)}${among('network_id', networks)}
      order by opened_ms desc, key limit ${most}`;
    return this.#engine.snapshot(async (all) => ({
      incidents: (await all<IncidentRow>(`select ${selected(INCIDENT)} ${chosen}`, parameters)).map(
        incidentOf,
      ),
      events: await all<IncidentEvent>(
        `select ${selected(EVENT)} from incident_events where incident in (select key ${chosen}) order by at_ms`,
        parameters,
      ),
    }));
  }

  /** Forgets everything: the world that it tells of was a simulation, and is another one now. */
  async empty(): Promise<void> {
    await this.#engine.write(async (session) => {
      for (const table of ['acknowledgements', 'incidents', 'incident_events']) {
        await session.run(`delete from ${table}`);
      }
    });
    await this.#read();
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  async #read(): Promise<void> {
    this.#acknowledgements = await this.#engine.all<Acknowledgement>(
      `select ${selected(ACKNOWLEDGEMENT)} from acknowledgements order by at_ms, id`,
    );
    const open = await this.#engine.all<IncidentRow>(
      `select ${selected(INCIDENT)} from incidents where closed_ms is null order by opened_ms, key`,
    );
    this.#open = open.map(incidentOf);
  }
}

/** Enters a row, or puts it in the place of the one with the same key. */
async function put(
  session: Session,
  table: string,
  columns: Columns,
  row: Record<string, SqlParameter>,
  key: readonly string[],
): Promise<void> {
  const names = Object.values(columns);
  const places = names.map((_, at) => `$${at + 1}`).join(', ');
  const others = names.filter((name) => !key.includes(name)).map((name) => `${name} = excluded.${name}`);
  const conflict = key.length === 0 ? '' : `on conflict (${key.join()}) do update set ${others.join(', ')}`;
  await session.run(
    `insert into ${table} (${names.join(', ')}) values (${places}) ${conflict}`,
    Object.keys(columns).map((member) => row[member] ?? null),
  );
}

type IncidentRow = Omit<KeptIncident, 'rules'> & { rules: string };

function incidentOf(row: IncidentRow): KeptIncident {
  return { ...row, rules: row.rules.split(',') };
}
