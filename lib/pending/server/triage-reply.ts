import 'server-only';
import { type IncidentAnswer, MOST_INCIDENT_ROWS, writeListedRow } from '@/lib/contract/codec/triage-detail';
import { incidentMarkdown } from '@/lib/domain/diagnosis/hand-over';
import type { Incident } from '@/lib/domain/diagnosis/incident';
import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import { problemOf } from '@/lib/domain/problem';
import { currentSettings } from '@/lib/server/current-settings';
import { unconfigured } from '@/lib/server/gateway-routes';
import { clocksOff } from '@/lib/server/log-clocks';
import { jsonText, problemText, responseOf } from '@/lib/server/reply';
import { services } from '@/lib/server/services';
import { pendingWires } from '@/lib/store/queries/evidence';
import type { IndexStore } from '@/lib/store/store';
import { type ListedRecord, recordOfWire } from './logged-rows';
import { originOf, paperSource } from './paper-source';
import { type TriageNow, triageOf } from './pending-triage';
import { triageAnswer } from './triage-answer';

const MOST_ID_CHARACTERS = 2000;

/** Answers of the same state are written once. */
const written = new WeakMap<TriageNow, Map<number | undefined, string>>();

/** The index of this process; without a keeper there is nothing to know. */
export function indexOfKeepers(): Outcome<IndexStore> {
  const { index, keepers } = services();
  return keepers.length === 0 ? failed(unconfigured('logs')) : ok(index);
}

/** The state of things as our route answers it. @param most as in `triageAnswer` */
export async function triageText(most?: number): Promise<Outcome<string>> {
  const index = indexOfKeepers();
  if (!index.ok) return index;
  const now = await triageOf(index.value).now();
  const texts = written.get(now) ?? new Map<number | undefined, string>();
  written.set(now, texts);
  const text = texts.get(most) ?? JSON.stringify(triageAnswer(now, currentSettings(), clocksOff(), most));
  texts.set(most, text);
  return ok(text);
}

/** `GET /api/view/pending?most=N`. */
export function replyWithTriage(request: Request): Promise<Response> {
  return replyWith(request, (params) => {
    const most = params.get('most');
    if (most === null) return triageText();
    if (!/^\d{1,3}$/.test(most)) return refused('most should be a whole number from 0 to 999.');
    return triageText(Number(most));
  });
}

/** `GET /api/view/pending/incident?id=…`. */
export function replyWithIncident(request: Request): Promise<Response> {
  return replyWith(request, async (params) => {
    const id = params.get('id') ?? '';
    if (id === '' || id.length > MOST_ID_CHARACTERS) return refused('id should be the id of an incident.');
    const index = indexOfKeepers();
    if (!index.ok) return index;
    return ok(JSON.stringify(await incidentAnswer(id, index.value, originOf(request))));
  });
}

type WrittenIncident = Omit<IncidentAnswer, 'rows'> & { rows: ReturnType<typeof writeListedRow>[] };

async function incidentAnswer(id: string, index: IndexStore, origin: string): Promise<WrittenIncident> {
  const { revision, atMs, state, triage } = await triageOf(index).now();
  const incident = triage.incidents.find((one) => one.id === id);
  if (incident === undefined) return { revision, atMs, state, rows: [] };
  const rows = await rowsOf(incident, index);
  const source = await paperSource(origin, incident.networkId, atMs);
  return {
    revision,
    atMs,
    state,
    incident: { ...incident, rows: incident.rows.slice(0, MOST_INCIDENT_ROWS) },
    rows: rows.map(writeListedRow),
    markdown: incidentMarkdown(incident, rows, source),
  };
}

/** Its oldest requests as the service wrote them, oldest first. */
async function rowsOf(incident: Incident, index: IndexStore): Promise<ListedRecord[]> {
  const { keeper, networkId, sinceMs } = incident;
  const wanted = new Set(incident.rows.slice(0, MOST_INCIDENT_ROWS));
  const [keeperId = 0] = index.keeperIds([keeper]);
  if (wanted.size === 0) return [];
  const wires = await pendingWires(index.engine, keeperId, networkId, sinceMs * 1000);
  return wires.flatMap(({ wire }) => {
    const record = recordOfWire(keeper, wire);
    return record !== undefined && wanted.has(record.key) ? [record] : [];
  });
}

export async function refused(detail: string): Promise<Outcome<never>> {
  return failed({ kind: 'bad-request', detail });
}

/** The answer as a response. A HEAD is answered without work. */
export async function replyWith(
  request: Request,
  answer: (params: URLSearchParams) => Promise<Outcome<string>>,
): Promise<Response> {
  if (request.method === 'HEAD') return responseOf(jsonText(null));
  const outcome = await answer(new URL(request.url).searchParams);
  return responseOf(outcome.ok ? jsonText(outcome.value) : problemText(problemOf(outcome.failure)));
}
