import 'server-only';
import { type IncidentAnswer, MOST_INCIDENT_ROWS, writeListedRow } from '@/lib/contract/codec/triage-detail';
import { incidentMarkdown } from '@/lib/domain/diagnosis/hand-over';
import type { Incident } from '@/lib/domain/diagnosis/incident';
import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import { problemOf } from '@/lib/domain/problem';
import { currentSettings } from '@/lib/server/current-settings';
import { clocksOff } from '@/lib/server/explorer/log-clocks';
import { unconfigured } from '@/lib/server/gateway-routes';
import { jsonText, problemText, responseOf } from '@/lib/server/reply';
import { realTimers } from '@/lib/upstream/timers';
import { isListedRecord, type ListedRecord } from './log-rows';
import { originOf, paperSource } from './paper-source';
import { triageAnswer } from './triage-answer';
import { logBug, type SharedTriage, sharedTriage } from './triage-shared';
import type { TriageNow } from './triage-view';

/** Longest that an answer waits for the look that is under way: short enough to feel like none. */
const WAIT_MS = 150;
const MOST_ID_CHARACTERS = 2000;

/** Answers of the same state are written once. */
const written = new WeakMap<TriageNow, Map<number | undefined, string>>();

/** Settles with the work, or after a moment; a bug in the work is logged, and what is known stands. */
export function briefly(work: Promise<unknown>): Promise<'over' | 'under-way'> {
  return new Promise((resolve) => {
    const callOff = realTimers.after(WAIT_MS, () => resolve('under-way'));
    work.catch(logBug).finally(() => {
      callOff();
      resolve('over');
    });
  });
}

/** The state of things as our route answers it. @param most as in `triageAnswer` */
export async function triageText(most?: number): Promise<Outcome<string>> {
  const { sources, gatherer, view } = sharedTriage();
  if (sources.size === 0) return failed(unconfigured('logs'));
  const look = await briefly(gatherer.ask());
  const now = await view.now(look === 'over' ? 'latest' : 'recent');
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
    const shared = sharedTriage();
    if (shared.sources.size === 0) return failed(unconfigured('logs'));
    await briefly(shared.gatherer.ask());
    return ok(JSON.stringify(await incidentAnswer(id, shared, originOf(request))));
  });
}

type WrittenIncident = Omit<IncidentAnswer, 'rows'> & { rows: ReturnType<typeof writeListedRow>[] };

async function incidentAnswer(id: string, { view }: SharedTriage, origin: string): Promise<WrittenIncident> {
  const now = await view.now();
  const { state } = now.gathered;
  const { atMs } = now;
  const incident = now.triage.incidents.find((one) => one.id === id);
  if (incident === undefined) return { atMs, state, rows: [] };
  const rows = rowsOf(incident, now);
  const source = await paperSource(origin, incident.networkId, atMs);
  return {
    atMs,
    state,
    incident: { ...incident, rows: incident.rows.slice(0, MOST_INCIDENT_ROWS) },
    rows: rows.map(writeListedRow),
    markdown: incidentMarkdown(incident, rows, source),
  };
}

/** Its oldest requests, oldest first. */
function rowsOf({ keeper, rows: keys }: Incident, { gathered }: TriageNow): ListedRecord[] {
  const piece = gathered.evidence.find((one) => one.keeper === keeper)?.pending;
  if (piece?.kind !== 'known') return [];
  const wanted = new Set(keys.slice(0, MOST_INCIDENT_ROWS));
  const found = piece.value.rows.filter(isListedRecord).filter(({ key }) => wanted.has(key));
  return found.sort((one, other) => one.createdAt.ms - other.createdAt.ms);
}

export async function refused(detail: string): Promise<Outcome<never>> {
  return failed({ kind: 'bad-request', detail });
}

/**
 * The answer as a response. A HEAD is answered without a look: a flood of them costs the services nothing.
 */
export async function replyWith(
  request: Request,
  answer: (params: URLSearchParams) => Promise<Outcome<string>>,
): Promise<Response> {
  if (request.method === 'HEAD') return responseOf(jsonText(null));
  const outcome = await answer(new URL(request.url).searchParams);
  return responseOf(outcome.ok ? jsonText(outcome.value) : problemText(problemOf(outcome.failure)));
}
