import 'server-only';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Principal } from '@/lib/access/principal';
import { jsonReply, problemReply } from '@/lib/access/reply';
import { quietChains, targetKey } from '@/lib/alerts/acknowledge';
import { FREQUENT_FAILURES } from '@/lib/alerts/alert-rules';
import { type AlertsAnswer, type AlertTest, MAX_NOTICES, type SentNotice } from '@/lib/alerts/alerts-answer';
import { NO_DETAILS } from '@/lib/alerts/history';
import {
  type Attempt,
  afterAttempt,
  type Condition,
  conditionNotices,
  exampleNotice,
  type Facts,
  incidentNotices,
  MAX_MESSAGES_PER_MINUTE,
  messageBody,
  nextMessages,
  type SendFailure,
  testNotice,
} from '@/lib/alerts/notices';
import type { IncidentRecord, Notice } from '@/lib/core/incident-record';
import { countOf } from '@/lib/core/numbers';
import { problemOf } from '@/lib/core/problem';
import { retryAfterSeconds } from '@/lib/core/retry-after';
import { clipped } from '@/lib/core/text';
import { formatSpan, MINUTE_MS } from '@/lib/core/time';
import { knownFeeds, resolveFeeds } from '@/lib/feeds/server/feed-directory';
import type { Problem } from '@/lib/insights/problem';
import { insightsOf } from '@/lib/insights/server/insights-endpoint';
import { problemsNow, staleFeeds } from '@/lib/insights/server/problems';
import { DEFAULT_INSIGHTS_VIEW } from '@/lib/insights/view';
import { chainStates } from '@/lib/onchain/server/network-watch';
import { listedChain } from '@/lib/pending/server/known-chain';
import { triageOf } from '@/lib/pending/server/triage';
import { log } from '@/lib/platform/log';
import { processWideOf } from '@/lib/platform/process-wide';
import { defaultRequestsView, formatRequestsUrl } from '@/lib/requests/view';
import { networksFor } from '@/lib/services/network-directory';
import { type Services, services, startedServices } from '@/lib/services/services';
import { IndexClosedError, IndexNotWritableError, indexFailure } from '@/lib/store/engine';

/** Sends alerts to `ALERT_WEBHOOK_URL`. notices.ts decides on messages and times. */

/** Interval of checks for due messages. */
const EVERY_MS = 5000;
/** Interval of checking conditions. */
const CONDITIONS_MS = 15_000;
/** Interval of checking failure groups, which need a query. */
const FAILURES_MS = MINUTE_MS;
const TIMEOUT_MS = 10_000;

/** Problems of the overview that become alerts, by their ids. */
const OF_PROBLEMS = [
  { id: /^keeper\//, kind: 'keeper.not-synced' },
  { id: /^lost\//, kind: 'keeper.lost' },
  { id: /^vanished\//, kind: 'index.vanished' },
  { id: /^wide\//, kind: 'keeper.silent' },
  { id: /^service\//, kind: 'service.failing' },
  { id: /^network\/.*\/failing$/, kind: 'network.failing' },
  { id: /^network\/.*\/callbacks-failing$/, kind: 'network.callbacks-failing' },
  { id: /^wallet\//, kind: 'chain.wallet' },
  { id: /^nonce\//, kind: 'chain.nonce' },
  { id: /^(numbers|hashes)\//, kind: 'chain.random-numbers' },
] as const;

/** Grace period after a start, in which no condition counts as over: not all of them are seen at once. */
const GRACE_MS = 300_000;

const newConditionMemory = () => ({
  sinceMs: Date.now(),
  checkedMs: 0,
  memory: { seen: new Map<string, number>(), unseen: new Map<string, number>() },
  failures: { atMs: 0, conditions: [] as Condition[] },
});

const senderOf = processWideOf('alert-sender', (deps: Services) => ({
  deps,
  /** Undefined while another instance sends. */
  seen: undefined as ReturnType<typeof newConditionMemory> | undefined,
  tried: [] as Attempt[],
  /** End of the pause requested by the receiver (Retry-After); no message is sent before. */
  pausedUntilMs: 0,
  /** Outcomes of messages by id that could not be written yet, so that none is sent twice. */
  unwritten: new Map<string, Notice>(),
}));
type Sender = ReturnType<typeof senderOf>;

export function sendAlerts(deps: Services = services()): void {
  setTimeout(async () => {
    if (startedServices() !== deps) return;
    const sender = senderOf(deps);
    // Of several instances with one index the one that syncs sends.
    if (!deps.index.isLeader) sender.seen = undefined;
    else if (deps.settings.alertWebhook !== undefined) {
      try {
        // A new leader reads the messages of the former one; its own older observations were dropped.
        if (sender.seen === undefined) await deps.incidents.read();
        sender.seen ??= newConditionMemory();
        await checkConditions(deps, sender.seen);
        await send(sender);
      } catch (error) {
        // The index itself reports that it is not writable.
        if (!(error instanceof IndexClosedError || error instanceof IndexNotWritableError))
          log().error({ error }, 'sending alerts failed, retrying');
      }
    }
    sendAlerts(deps);
  }, EVERY_MS).unref();
}

async function checkConditions(deps: Services, seen: NonNullable<Sender['seen']>): Promise<void> {
  const nowMs = Date.now();
  if (nowMs - seen.checkedMs < CONDITIONS_MS) return;
  seen.checkedMs = nowMs;
  if (nowMs - seen.failures.atMs >= FAILURES_MS) {
    const conditions = await failureConditions(deps);
    seen.failures = { atMs: nowMs, conditions: conditions ?? seen.failures.conditions };
  }
  const conditions = [
    ...problemConditions((await problemsNow())?.problems ?? []),
    ...seen.failures.conditions,
    ...(await feedConditions(deps)),
  ];
  const { incidents: store } = deps;
  const open = store.openNotices.filter(({ endedMs }) => endedMs === null);
  const notices = conditionNotices(conditions, open, seen.memory, nowMs);
  const isEarly = nowMs - seen.sinceMs < GRACE_MS;
  await store.changeAsLeader({ notices: notices.filter(({ endedMs }) => endedMs === null || !isEarly) });
}

/** Conditions of the problems of which there are alerts. */
export function problemConditions(problems: readonly Problem[]): Condition[] {
  return problems.flatMap(({ id, about, networks, text, detail, sinceMs, href }): Condition[] => {
    const kind = OF_PROBLEMS.find((problem) => problem.id.test(id))?.kind;
    if (kind === undefined) return [];
    const [network] = about === '' ? networksFor(networks) : [];
    const facts = {
      network: network?.networkId,
      networkName: network && clipped(network.name, 60),
      cause: detail === '' ? undefined : detail,
      path: href,
    };
    // Keepers with the same fault share a line on screen, but have an alert each.
    return id.split(',').map((subject) => {
      const keeper = id.includes(',') ? `Keeper ${subject.slice(subject.indexOf('/') + 1)}` : about;
      return { subject, kind, title: `${facts.networkName ?? keeper}: ${text}`, facts, sinceMs };
    });
  });
}

/** New frequent failures: groups that are not acknowledged, with no request in the seven days before and many since. */
async function failureConditions({ keepers, incidents }: Services): Promise<Condition[] | undefined> {
  if (keepers.length === 0) return [];
  const answer = await insightsOf(DEFAULT_INSIGHTS_VIEW, ['failures']);
  if (!answer.ok) return undefined;
  const quiet = new Set(incidents.acknowledgements.map(targetKey));
  const groups = (answer.value.failures?.groups ?? []).filter(
    ({ group, rows, isNew }) =>
      isNew === true && rows >= FREQUENT_FAILURES && !quiet.has(targetKey({ kind: 'failure', id: group })),
  );
  return groups.map(({ group, rows, firstUs, senders, networks }) => {
    const affected = `${countOf(rows, 'failure')}, ${countOf(senders, 'sender')}, ${countOf(networks.length, 'network')}`;
    const path = formatRequestsUrl({ ...defaultRequestsView(), failures: [group] });
    const about = { subject: `failure/${group}`, kind: 'failures.new' } as const;
    const sinceMs = Math.floor(firstUs / 1000);
    return { ...about, title: `New failure: ${clipped(group, 100)}`, sinceMs, facts: { affected, path } };
  });
}

async function feedConditions(deps: Services): Promise<Condition[]> {
  const { watchedFeeds } = deps.settings;
  if (watchedFeeds.length === 0) return [];
  const { ids } = await resolveFeeds(watchedFeeds, async () => knownFeeds());
  return staleFeeds(deps).flatMap(({ id, symbol, sinceMs }): Condition[] => {
    if (!ids.some((watchedId) => watchedId === id)) return [];
    const facts = { cause: 'No update during market hours', path: `/feeds/${id}` };
    const about = { subject: `feed/${id}`, kind: 'feed.stale', sinceMs } as const;
    return [{ ...about, title: `${clipped(symbol, 60)}: stale`, facts }];
  });
}

/** Sends due messages, at most `MAX_MESSAGES_PER_MINUTE` and a digest of the rest. */
async function send(sender: Sender): Promise<void> {
  const { incidents: store } = sender.deps;
  // A problem of a chain that outgrew its acknowledgement was just queued, and must be sent.
  const ofChains = quietChains(chainStates(), store.acknowledgements, Date.now());
  const holding = store.acknowledgements.filter(
    (acknowledgement) => acknowledgement.kind !== 'chain' || ofChains.has(targetKey(acknowledgement)),
  );
  const quiet = new Set(holding.map(({ kind, id }) => (kind === 'chain' ? id : `${kind}/${id}`)));
  await writeDown(sender, []);
  const waiting = store.openNotices
    .map((notice) => sender.unwritten.get(notice.id) ?? notice)
    .filter(({ state }) => state === 'waiting');
  const dropped = waiting.filter(({ subject }) => quiet.has(subject));
  await store.changeAsLeader({
    notices: dropped.map((notice) => ({ ...notice, state: 'dropped' as const })),
  });
  const due = waiting.filter((notice) => !dropped.includes(notice));
  for (const message of nextMessages(due, sender.tried, Date.now())) {
    if (Date.now() < sender.pausedUntilMs) return;
    await sender.deps.index.confirmLeader();
    const { refusal } = await deliver(sender, message);
    const tried = message.map((notice) => afterAttempt(notice, refusal, Date.now()));
    await writeDown(sender, tried);
  }
}

async function writeDown({ deps, unwritten }: Sender, notices: readonly Notice[]): Promise<void> {
  for (const notice of notices) unwritten.set(notice.id, notice);
  try {
    await deps.incidents.changeAsLeader({ notices: [...unwritten.values()] });
    unwritten.clear();
  } catch (error) {
    if (!(error instanceof IndexNotWritableError)) throw error;
  }
}

async function deliver(sender: Sender, notices: readonly Notice[]): Promise<Posted> {
  const posted = await post(notices, sender.deps);
  const { refusal } = posted;
  sender.tried = [
    ...sender.tried.slice(-2 * MAX_MESSAGES_PER_MINUTE),
    { atMs: Date.now(), notices: notices.length },
  ];
  if (refusal !== undefined) log().warn({ kind: refusal.error }, 'alert not sent');
  if (refusal?.waitMs !== undefined) {
    sender.pausedUntilMs = Math.max(sender.pausedUntilMs, Date.now() + refusal.waitMs);
  }
  return posted;
}

/** Outcome of a message. `answer`: beginning of the receiver's body, an untrusted text. */
type Posted = { refusal: SendFailure | undefined; status?: number; answer?: string };

const MAX_ANSWER_BYTES = 2000;
const MAX_ANSWER_CHARACTERS = 200;
/** Parts of the URL from this length on are removed from answers; shorter ones are words such as `https` and `api`. */
const MIN_SECRET_CHARACTERS = 6;

async function post(notices: readonly Notice[], { settings, source }: Services): Promise<Posted> {
  const { alertWebhook: webhook } = settings;
  const url = webhook?.url();
  if (webhook === undefined || url === undefined) {
    return { refusal: { error: 'ALERT_WEBHOOK_URL has no usable value' } };
  }
  const form = { format: webhook.format, origin: publicOrigin(settings), isSandbox: source === 'sandbox' };
  try {
    const response = await fetch(url, {
      method: 'POST',
      body: messageBody(notices, form),
      headers: { 'content-type': 'application/json' },
      redirect: 'manual',
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { status } = response;
    const answer = await beginningOf(response, url);
    return { refusal: response.ok ? undefined : refusalOf(response), status, answer };
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') {
      return { refusal: { error: 'No answer within 10 s' } };
    }
    const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
    const codeText = typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? ` (${code})` : '';
    return { refusal: { error: `Unreachable${codeText}` } };
  }
}

/** Beginning of a body as one line, with parts of the secret URL removed; empty if unreadable. */
async function beginningOf({ body }: Response, address: string): Promise<string> {
  const reader = body?.getReader();
  const first = await reader?.read().catch(() => undefined);
  await reader?.cancel().catch(() => undefined);
  const text = new TextDecoder().decode(first?.value?.subarray(0, MAX_ANSWER_BYTES));
  const secrets = address.split(/[/?&=#:@]/).filter((part) => part.length >= MIN_SECRET_CHARACTERS);
  const redacted = secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
  return clipped(redacted.replace(/\s+/g, ' ').trim(), MAX_ANSWER_CHARACTERS);
}

function refusalOf({ status, headers }: Response): SendFailure {
  const retryHeaders = {
    retryAfter: headers.get('retry-after'),
    date: headers.get('date'),
    reset: headers.get('ratelimit-reset') ?? headers.get('x-ratelimit-reset'),
  };
  const waitS = retryAfterSeconds(status, retryHeaders, Date.now());
  if (waitS === undefined) return { error: `Returned ${status}` };
  return { error: `Returned ${status}, asked to wait ${formatSpan(waitS * 1000)}`, waitMs: waitS * 1000 };
}

const OWN_HOSTS = /^(localhost|127\.|\[|0\.0\.0\.0$)/;

/** Public origin of the dashboard: the first name of ALLOWED_HOSTS, by https; undefined without one. */
function publicOrigin({ allowedHosts, host }: Services['settings']): string | undefined {
  const name = [...allowedHosts].find((allowedHost) => !OWN_HOSTS.test(allowedHost) && allowedHost !== host);
  return name === undefined ? undefined : `https://${name}`;
}

/** Longest wait for current problems of an answer, and of a page, whose browser asks again. */
const MAX_PROBLEMS_WAIT_MS = 5000;
export const MAX_PAGE_WAIT_MS = 800;

/** State of alerts, rules that can fire, and latest messages. */
export async function alertsAnswer(maxWaitMs = MAX_PROBLEMS_WAIT_MS): Promise<AlertsAnswer> {
  const deps = services();
  const { settings, incidents, keepers, hosts, rpc, source } = deps;
  const { pausedUntilMs } = senderOf(deps);
  const format = settings.alertWebhook?.format;
  const origin = publicOrigin(settings);
  const atMs = Date.now();
  const quiet = new Set(incidents.acknowledgements.map(targetKey));
  const open = incidents.openIncidents.filter(({ id }) => !quiet.has(targetKey({ kind: 'incident', id })));
  const opened = openedNotices(open, deps);
  const [real] = opened;
  const example = real ?? exampleNotice(atMs);
  const form = { origin, isSandbox: source === 'sandbox' };
  const shown: AlertsAnswer = {
    atMs,
    format,
    origin,
    pausedUntilMs: pausedUntilMs > atMs ? pausedUntilMs : undefined,
    holding: await holdingNow(opened, own, maxWaitMs),
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

/** Messages about the opening of these incidents as they are now, the most severe first. */
function openedNotices(open: readonly IncidentRecord[], { index }: Services): Notice[] {
  const now = triageOf(index).cached();
  return (now?.triage.incidents ?? []).flatMap((foundIncident) => {
    const incident = open.find(({ id }) => id === foundIncident.id);
    if (now === undefined || incident === undefined) return [];
    const { key, openedMs } = incident;
    return incidentNotices({
      events: [{ ...NO_DETAILS, incident: key, atMs: openedMs, kind: 'opened', size: foundIncident.size }],
      incidents: [incident],
      detected: [{ ...foundIncident, ...listedChain(foundIncident) }],
      acknowledgements: [],
      networkName: (id) => networksFor([id])[0]?.name ?? `Network ${id}`,
      nowMs: now.atMs,
      atMs: Date.now(),
    });
  });
}

/** What the rules find now; undefined if the problems are not known within `maxWaitMs`. */
async function holdingNow(
  opened: readonly Notice[],
  deps: Services,
  maxWaitMs: number,
): Promise<AlertsAnswer['holding']> {
  const late = pause(maxWaitMs, undefined, { ref: false });
  const problems = await Promise.race([problemsNow().catch(() => undefined), late]);
  if (problems === undefined) return undefined;
  const conditions = [...problemConditions(problems.problems), ...(await feedConditions(own))];
  const messages = await own.incidents.notices(MAX_NOTICES).catch(() => []);
  const incidents = opened.map(({ id, kind, title, facts, sinceMs }) => {
    // Beside the column of the start the title needs none.
    const short = title.replace(/,? since \S+Z$/, '');
    const state = messages.find((one) => one.id === id)?.state;
    return { event: kind, title: short, path: (JSON.parse(facts) as Facts).path, sinceMs, state };
  });
  const faults = conditions.map(({ subject, kind, title, facts, sinceMs }) => {
    const state = messages.find((one) => one.subject === subject && one.endedMs === null)?.state;
    return { event: kind, title, path: facts.path, sinceMs, state };
  });
  return [...incidents, ...faults].slice(0, MAX_NOTICES);
}

function sentNotice({ facts, subject: _, endedMs: _endedMs, ...notice }: Notice): SentNotice {
  const { affected, cause, path } = JSON.parse(facts) as Facts;
  return { ...notice, affected, cause, path };
}

/** `GET /api/view/alerts`. */
export const replyWithAlerts = async (): Promise<Response> => jsonReply(await alertsAnswer());

const refused = (kind: 'bad-request' | 'too-many' | 'failing', detail: string, retryAfterS?: number) =>
  problemReply(problemOf({ kind, detail, ...(retryAfterS === undefined ? {} : { retryAfterS }) }));

/** `POST /api/view/alerts/test`: sends a test message at once, without retry, and answers with the outcome. */
export async function replyToAlertTest(_request: Request, principal: Principal): Promise<Response> {
  const sender = senderOf(services());
  const { settings, incidents } = sender.deps;
  if (settings.alertWebhook === undefined) return refused('bad-request', 'ALERT_WEBHOOK_URL is not set.');
  const pauseMs = sender.pausedUntilMs - Date.now();
  if (pauseMs > 0) {
    const detail = `The receiver asked for a pause. Try again in ${formatSpan(pauseMs)}.`;
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
    return problemReply(problemOf(fault.failure));
  }
  const error = refusal?.error ?? null;
  return jsonReply({
    state,
    error,
    ...(status === undefined ? {} : { status, tookMs, answer }),
  } satisfies AlertTest);
}
