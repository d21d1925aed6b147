import 'server-only';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Principal } from '@/lib/access/principal';
import { jsonReply, problemReply } from '@/lib/access/reply';
import { type Target, targetKey } from '@/lib/alerts/acknowledge';
import { type AlertEvent, isDue } from '@/lib/alerts/alert-rules';
import { type AlertsAnswer, type AlertTest, MAX_NOTICES, type SentNotice } from '@/lib/alerts/alerts-answer';
import { NO_DETAILS } from '@/lib/alerts/history';
import {
  afterAttempt,
  exampleNotice,
  type Facts,
  incidentNotices,
  messageBody,
  nextMessages,
  testNotice,
} from '@/lib/alerts/notices';
import type { IncidentRecord, Notice } from '@/lib/core/incident-record';
import { failureProblem } from '@/lib/core/problem';
import { formatSpan } from '@/lib/core/time';
import { problemsNow } from '@/lib/insights/server/problems';
import { listedChain } from '@/lib/pending/server/chain-cache';
import { triageOf } from '@/lib/pending/server/triage';
import { networksFor } from '@/lib/services/network-directory';
import { type Services, services } from '@/lib/services/services';
import { IndexNotWritableError, indexFailure } from '@/lib/store/engine';
import {
  failureConditions,
  feedConditions,
  isOfUnreadKeeper,
  problemConditions,
  uncheckedEvents,
} from './conditions';
import { publicOrigin } from './post';
import { deliver, pauseEndMs, senderOf } from './webhook';

/** Wait for current problems: of a response, and of the render of a page, whose browser queries again. */
const MAX_PROBLEMS_WAIT_MS = 5000;
export const MAX_PAGE_WAIT_MS = 800;

export async function alertsAnswer(maxWaitMs = MAX_PROBLEMS_WAIT_MS): Promise<AlertsAnswer> {
  const deps = services();
  const { settings, incidents, keepers, hosts, rpc, source } = deps;
  const pausedUntilMs = pauseEndMs(senderOf(deps));
  const format = settings.alertWebhook?.format;
  const origin = publicOrigin(settings);
  const atMs = Date.now();
  const acknowledged = new Set(incidents.acknowledgements.map(targetKey));
  const open = incidents.openIncidents.filter(
    ({ id }) => !acknowledged.has(targetKey({ kind: 'incident', id })),
  );
  const opened = openedNotices(open, deps);
  const [real] = opened;
  const example = real ?? exampleNotice(atMs);
  const form = { origin, isSandbox: source === 'sandbox' };
  const shown: AlertsAnswer = {
    atMs,
    format,
    origin,
    pausedUntilMs: pausedUntilMs > atMs ? pausedUntilMs : undefined,
    ...(await holdingNow(opened, deps, maxWaitMs)),
    has: {
      keepers: keepers.length > 0,
      services: hosts.length > 0,
      feeds: settings.watchedFeeds.length > 0,
      chains: rpc.size > 0,
    },
    example: {
      json: messageBody([example], { ...form, format: 'json' }),
      slack: messageBody([example], { ...form, format: 'slack' }),
      isReal: real !== undefined,
    },
  };
  try {
    return { ...shown, notices: (await incidents.notices(MAX_NOTICES)).map(sentNotice) };
  } catch (error) {
    return { ...shown, unread: indexFailure(error).detail };
  }
}

/** Notices of open incidents in their current state, the most severe first. */
function openedNotices(open: readonly IncidentRecord[], { index }: Services): Notice[] {
  const now = triageOf(index).cached();
  return (now?.triage.incidents ?? []).flatMap((detected) => {
    const incident = open.find(({ id }) => id === detected.id);
    if (now === undefined || incident === undefined) return [];
    const { key, openedMs } = incident;
    return incidentNotices({
      events: [{ ...NO_DETAILS, incident: key, atMs: openedMs, kind: 'opened', size: detected.size }],
      incidents: [incident],
      detected: [{ ...detected, ...listedChain(detected) }],
      acknowledgements: [],
      networkName: (id) => networksFor([id])[0]?.name ?? `Network ${id}`,
      nowMs: now.atMs,
      atMs: Date.now(),
    });
  });
}

/** A part that takes longer than `maxWaitMs` is unknown. */
async function holdingNow(
  opened: readonly Notice[],
  deps: Services,
  maxWaitMs: number,
): Promise<Pick<AlertsAnswer, 'holding' | 'unchecked'>> {
  const late = pause(maxWaitMs, undefined, { ref: false });
  const [problems, failures] = await Promise.all([
    Promise.race([problemsNow().catch(() => undefined), late]),
    Promise.race([failureConditions(deps).catch(() => undefined), late]),
  ]);
  if (problems === undefined) return { unchecked: [] };
  const unchecked: AlertEvent[] = [
    ...uncheckedEvents(problems, deps),
    ...(failures === undefined || failures.unjudged.size > 0 ? (['failures.new'] as const) : []),
  ];
  const { openNotices } = deps.incidents;
  // A condition of a keeper that is not read now neither begins nor ends.
  const isOpen = (subject: string) =>
    openNotices.some((notice) => notice.subject === subject && notice.endedMs === null);
  const conditions = [
    ...problemConditions(problems.problems).filter(
      ({ subject }) => isOpen(subject) || !isOfUnreadKeeper(subject, deps),
    ),
    ...(failures?.conditions ?? []),
    ...(await feedConditions(deps)),
  ];
  const nowMs = deps.index.now();
  const messages = await deps.incidents.noticesOf(opened.map(({ id }) => id)).catch(() => []);
  const incidents = opened.map(({ id, kind, title, facts, sinceMs, subject }) => {
    const state = messages.find((notice) => notice.id === id)?.state;
    const parsedFacts = JSON.parse(facts) as Facts;
    const { path } = parsedFacts;
    const details = detailsOf(parsedFacts);
    return { event: kind, title, path, sinceMs, details, state, isDue: true, target: targetOf(subject) };
  });
  const faults = conditions.map(({ subject, kind, title, facts, sinceMs }) => {
    const state = openNotices.find((notice) => notice.subject === subject && notice.endedMs === null)?.state;
    const details = detailsOf(facts);
    return {
      event: kind,
      title,
      path: facts.path,
      sinceMs,
      details,
      state,
      isDue: isDue(kind, sinceMs, nowMs),
      target: targetOf(subject),
    };
  });
  return { holding: [...incidents, ...faults].slice(0, MAX_NOTICES), unchecked };
}

/** The target that a condition's subject names. */
function targetOf(subject: string): Target | undefined {
  const [, kind, id] = /^(incident|failure)\/(.+)$/s.exec(subject) ?? [];
  if (id !== undefined) return { kind: kind as 'incident' | 'failure', id };
  return /^(wallet|nonce|numbers|hashes)\//.test(subject) ? { kind: 'chain', id: subject } : undefined;
}

/** `Likely cause: Whole network · Next: check …`, as in the message. */
function detailsOf({ cause, causeLabel, next }: Facts): string | undefined {
  const why = cause !== undefined && (causeLabel === undefined ? cause : `${causeLabel}: ${cause}`);
  const parts = [why, next !== undefined && `Next: ${next}`].filter(Boolean);
  return parts.length === 0 ? undefined : parts.join(' · ');
}

function sentNotice({ facts, subject: _, endedMs: _endedMs, ...notice }: Notice): SentNotice {
  const { affected, cause, path } = JSON.parse(facts) as Facts;
  return { ...notice, affected, cause, path };
}

/** `GET /api/view/alerts`. */
export const replyWithAlerts = async (): Promise<Response> => jsonReply(await alertsAnswer());

const refused = (kind: 'bad-request' | 'too-many' | 'failing', detail: string, retryAfterS?: number) =>
  problemReply(failureProblem({ kind, detail, ...(retryAfterS === undefined ? {} : { retryAfterS }) }));

/** `POST /api/view/alerts/test`: sends a test message at once, without retry. */
export async function replyToAlertTest(_request: Request, principal: Principal): Promise<Response> {
  const sender = senderOf(services());
  const { settings, incidents } = sender.deps;
  if (settings.alertWebhook === undefined) return refused('bad-request', 'ALERT_WEBHOOK_URL is not set.');
  const pauseMs = pauseEndMs(sender) - Date.now();
  if (pauseMs > 0) {
    const detail = `The receiver requested a pause. Try again in ${formatSpan(pauseMs)}.`;
    return refused('too-many', detail, Math.ceil(pauseMs / 1000));
  }
  const notice = testNotice(`test/${randomUUID()}`, principal.user ?? null, Date.now());
  if (nextMessages([notice], sender.tried, notice.atMs).length === 0) {
    return refused('too-many', 'Message limit reached. Try again in a minute.');
  }
  const beganAt = performance.now();
  const { refusal, status, answer } = await deliver(sender, [notice]);
  const tookMs = Math.round(performance.now() - beganAt);
  const state = refusal === undefined ? 'sent' : 'given-up';
  try {
    await incidents.change({ notices: [{ ...afterAttempt(notice, refusal, Date.now()), state }] });
  } catch (fault) {
    if (!(fault instanceof IndexNotWritableError)) throw fault;
    return problemReply(failureProblem(fault.failure));
  }
  const error = refusal?.error ?? null;
  return jsonReply({
    state,
    error,
    ...(status === undefined ? {} : { status, tookMs, answer }),
  } satisfies AlertTest);
}
