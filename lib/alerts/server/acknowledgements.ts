import 'server-only';
import { z } from 'zod';
import type { Principal } from '@/lib/access/principal';
import { jsonReply, problemReply } from '@/lib/access/reply';
import { readJsonBody } from '@/lib/access/request-body';
import {
  type AcknowledgeAnswer,
  acknowledgedCases,
  acknowledgedChainsOf,
  chainsNow,
  MAX_NOTE_CHARACTERS,
  MAX_TARGETS,
  ORDER_KINDS,
  type OrderTarget,
  stuckNow,
  type Target,
  targetKey,
} from '@/lib/alerts/acknowledge';
import { NO_DETAILS } from '@/lib/alerts/history';
import { unconfigured } from '@/lib/core/health';
import type { Acknowledgement, IncidentEvent } from '@/lib/core/incident-record';
import { badRequest, failed, type Outcome, ok } from '@/lib/core/outcome';
import { failureProblem } from '@/lib/core/problem';
import { DAY_MS } from '@/lib/core/time';
import { chainStates } from '@/lib/onchain/server/network-watch';
import type { TriageNow } from '@/lib/pending/server/triage';
import { groupIdOf } from '@/lib/pending/singles';
import { log } from '@/lib/platform/log';
import { services } from '@/lib/services/services';
import { IndexNotWritableError } from '@/lib/store/engine';
import { chainKnowledge, failuresOfDay, recordIncidents } from './incident-watch';

/** `GET /api/view/acknowledgements`: those in force. */
export async function replyWithAcknowledgements(): Promise<Response> {
  if (services().keepers.length === 0) return problemReply(failureProblem(unconfigured('logs')));
  return jsonReply(acknowledgedNow(await recordIncidents()));
}

function acknowledgedNow({ triage, atMs }: TriageNow): AcknowledgeAnswer {
  const { index, incidents: store } = services();
  const acknowledged = acknowledgedCases(triage, store.acknowledgements, atMs);
  const chains = chainStates();
  const ofChains = acknowledgedChainsOf(chains, store.acknowledgements, atMs);
  const lasts = ({ untilMs }: Acknowledgement) => untilMs === null || atMs < untilMs;
  const holds: Partial<Record<string, (acknowledgement: Acknowledgement) => boolean>> = {
    failure: lasts,
    // A chain problem stays acknowledged while the chain does not report on it.
    chain: (acknowledgement) =>
      ofChains.has(targetKey(acknowledgement)) ||
      (lasts(acknowledgement) && chainKnowledge(acknowledgement.id, chains, atMs) !== 'reported'),
  };
  const holding = store.acknowledgements.filter(
    (acknowledgement) =>
      holds[acknowledgement.kind]?.(acknowledgement) ?? acknowledged.has(targetKey(acknowledgement)),
  );
  return {
    revision: index.revision,
    acknowledgements: holding.map(({ size: _, cause: _cause, kind, ...acknowledgement }) => {
      return { ...acknowledgement, kind: kind as Target['kind'] };
    }),
  };
}

/** An entry of a PostgreSQL index holds 2,704 bytes. */
const MAX_ID_BYTES = 2000;
const MAX_DURATION_MS = 366 * DAY_MS;
/** Each acknowledgement takes a few kilobytes. */
const MAX_KEPT = 5000;

const isStorable = (id: string) => Buffer.byteLength(id) <= MAX_ID_BYTES;

const ORDER = z.object({
  action: z.enum(['acknowledge', 'undo']),
  targets: z
    .array(z.object({ kind: z.enum(ORDER_KINDS), id: z.string().min(1).refine(isStorable) }))
    .min(1)
    .max(MAX_TARGETS),
  forMs: z.int().positive().max(MAX_DURATION_MS).nullable().default(null),
  note: z.string().max(MAX_NOTE_CHARACTERS).default(''),
});

type Order = z.infer<typeof ORDER>;

const FORM =
  'Send JSON: {"action": "acknowledge" or "undo", "targets": [{"kind", "id"}], "forMs"?, "note"?}.';

/** `POST /api/view/acknowledge` answers with the acknowledgements in force afterwards. */
export async function replyToAcknowledge(request: Request, principal: Principal): Promise<Response> {
  if (services().keepers.length === 0) return problemReply(failureProblem(unconfigured('logs')));
  const order = await readJsonBody('order', request, ORDER, FORM);
  const done = order.ok ? await carryOut(order.value, principal.user ?? null) : order;
  return done.ok ? jsonReply(done.value) : problemReply(failureProblem(done.failure));
}

async function carryOut(order: Order, by: string | null): Promise<Outcome<AcknowledgeAnswer>> {
  const { index, incidents: store } = services();
  try {
    // Recorded first, so that the history has every acknowledged incident.
    const now = await recordIncidents();
    const targets = targetsOf(order, now);
    const change =
      order.action === 'undo' ? undone(targets, by, now) : await acknowledged(order, targets, by, now);
    if (!change.ok) return change;
    await store.change(change.value);
    // Open pages are notified, as after a change of rows.
    await index.touch();
    log().info({}, order.action === 'undo' ? 'acknowledgement undone' : 'acknowledged');
    return ok(acknowledgedNow(now));
  } catch (error) {
    if (!(error instanceof IndexNotWritableError)) throw error;
    return failed(error.failure);
  }
}

type Change = { acknowledge?: Acknowledgement[]; end?: Target[]; events: IncidentEvent[] };

/** Groups are replaced by their requests. */
function targetsOf({ targets }: Order, { triage: { singles } }: TriageNow): Target[] {
  return targets.flatMap(({ kind, id }: OrderTarget): Target[] => {
    if (kind !== 'group') return [{ kind, id }];
    return singles
      .filter((single) => groupIdOf(single) === id)
      .map(({ key }) => ({ kind: 'request' as const, id: key }));
  });
}

const WORDS: Record<Target['kind'], string> = {
  incident: 'incident',
  request: 'stuck request',
  failure: 'failure group',
  chain: 'problem of a chain',
};

async function acknowledged(
  { forMs, note }: Order,
  targets: readonly Target[],
  by: string | null,
  { triage, atMs }: TriageNow,
): Promise<Outcome<Change>> {
  const { incidents: store } = services();
  const untilMs = forMs === null ? null : Math.floor(atMs) + forMs;
  if (store.acknowledgements.length + targets.length > MAX_KEPT) {
    return badRequest(`At most ${MAX_KEPT} acknowledgements. Undo some first.`);
  }
  const present = new Map([...stuckNow(triage), ...chainsNow(chainStates(), atMs)]);
  const failures = await failuresOfDay(targets, atMs);
  const acknowledge: Acknowledgement[] = [];
  for (const target of targets) {
    const { kind, id } = target;
    const failed = { size: failures.get(id) ?? 0, cause: null };
    const now = kind === 'failure' ? failed : present.get(targetKey(target));
    if (now === undefined) {
      return badRequest(`No such ${WORDS[kind]}.`);
    }
    acknowledge.push({ ...target, atMs, untilMs, note: note.trim(), by, ...now });
  }
  const events = acknowledge.flatMap((acknowledgement) =>
    eventOf(acknowledgement, { atMs, kind: 'acknowledged', size: acknowledgement.size, note, by, untilMs }),
  );
  return ok({ acknowledge, events });
}

function undone(targets: readonly Target[], by: string | null, { atMs }: TriageNow): Outcome<Change> {
  const { acknowledgements } = services().incidents;
  const acknowledgedKeys = new Set(acknowledgements.map(targetKey));
  const end = targets.filter((target) => acknowledgedKeys.has(targetKey(target)));
  return ok({ end, events: end.flatMap((target) => eventOf(target, { atMs, kind: 'undone', size: 0, by })) });
}

function eventOf(
  { kind, id }: Pick<Acknowledgement, 'kind' | 'id'>,
  event: Pick<IncidentEvent, 'atMs' | 'kind' | 'size'> & Partial<IncidentEvent>,
): IncidentEvent[] {
  const incident = services().incidents.openIncidents.find(
    (incident) => kind === 'incident' && incident.id === id,
  );
  return incident === undefined ? [] : [{ ...NO_DETAILS, ...event, incident: incident.key }];
}
