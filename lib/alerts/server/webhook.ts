import 'server-only';
import { randomUUID } from 'node:crypto';
import type { Principal } from '@/lib/access/principal';
import {
  type AlertsSent,
  afterTry,
  type Condition,
  type ConditionMemory,
  conditionNotices,
  messageBody,
  nextMessages,
  type Tried,
  testNotice,
} from '@/lib/alerts/notices';
import { serviceLabel, serviceState } from '@/lib/core/health';
import type { Notice } from '@/lib/core/incident-record';
import { groupDigits } from '@/lib/core/numbers';
import type { Failure } from '@/lib/core/outcome';
import { problemOf } from '@/lib/core/problem';
import { clipped } from '@/lib/core/text';
import { knownFeeds } from '@/lib/feeds/server/feed-directory';
import { resolveFeeds } from '@/lib/feeds/server/standing-feeds';
import { insightsOf } from '@/lib/insights/server/answers';
import { staleFeeds } from '@/lib/insights/server/problems';
import { USUAL_INSIGHTS } from '@/lib/insights/view';
import { triageOf } from '@/lib/pending/server/triage';
import { statusAt } from '@/lib/requests/keeper-status';
import { defaultRequestsView, formatRequestsUrl } from '@/lib/requests/view';
import { log } from '@/lib/server/log';
import { processWide } from '@/lib/server/process-wide';
import { jsonReply, problemReply } from '@/lib/server/reply';
import { currentHealth } from '@/lib/server/service-report';
import { type Services, services, startedServices } from '@/lib/server/services';
import { IndexClosedError, IndexNotWritableError } from '@/lib/store/engine';

/** Tells a webhook what goes wrong, where `ALERT_WEBHOOK_URL` names one. What is told when is in `notices`. */

/** How often it is looked whether something is to be told, or sent. */
const EVERY_MS = 5000;
/** How often conditions are looked at; failures, which cost a query of the index, less often. */
const CONDITIONS_MS = 15_000;
const FAILURES_MS = 60_000;
/** How long a message may take. */
const PATIENCE_MS = 10_000;

const KEEPER_HOLD_MS = 120_000;
const SERVICE_HOLD_MS = 300_000;
/** A failure group is frequent from so many in 24 hours on. */
const FREQUENT = 10;

type Sender = {
  of: Services;
  memory: ConditionMemory;
  tried: Tried[];
  failures: { atMs: number; conditions: Condition[] };
  lookedMs: number;
  underWay: Promise<void> | undefined;
};

const kept = processWide<Sender>('alert-sender');

function sender(): Sender {
  const of = services();
  const known = kept.get();
  if (known?.of === of) return known;
  const memory = { seen: new Map(), unseen: new Map() };
  const begun = {
    of,
    memory,
    tried: [],
    failures: { atMs: 0, conditions: [] },
    lookedMs: 0,
    underWay: undefined,
  };
  kept.set(begun);
  return begun;
}

/** Looks and sends until the process ends. */
export function sendAlerts(): void {
  setTimeout(async () => {
    const started = startedServices();
    if (started === undefined) return;
    if (started.settings.alertWebhook !== undefined) {
      await lookAndSend().catch((error: unknown) => {
        // That nothing can be written is told once, by the index.
        if (error instanceof IndexClosedError || error instanceof IndexNotWritableError) return;
        log().error({ error }, 'sending alerts failed and goes on');
      });
    }
    sendAlerts();
  }, EVERY_MS).unref();
}

/** Once for all who ask at the same time. */
async function lookAndSend(): Promise<void> {
  const own = sender();
  own.underWay ??= look(own)
    .then(() => send(own))
    .finally(() => {
      own.underWay = undefined;
    });
  return own.underWay;
}

async function look(own: Sender): Promise<void> {
  const nowMs = Date.now();
  if (nowMs - own.lookedMs < CONDITIONS_MS) return;
  own.lookedMs = nowMs;
  const { incidents: store } = own.of;
  const open = store.openNotices.filter(({ endedMs }) => endedMs === null);
  const notices = conditionNotices(await conditionsNow(own, nowMs), open, own.memory, nowMs);
  await store.change({ notices });
}

async function conditionsNow(own: Sender, nowMs: number): Promise<Condition[]> {
  const keepers = await keeperConditions(own.of);
  if (nowMs - own.failures.atMs >= FAILURES_MS) {
    own.failures = { atMs: nowMs, conditions: await failureConditions(own.of) };
  }
  const told = new Set(keepers.map(({ subject }) => subject.replace('keeper/', 'logs:')));
  const services = Object.entries(currentHealth().services).flatMap(([name, health]): Condition[] => {
    // A keeper that is not synced says the same of its log service.
    if (serviceState(health) !== 'failing' || told.has(name)) return [];
    const lastMs = own.memory.seen.get(`service/${name}`) ?? nowMs;
    return [
      {
        ...{ subject: `service/${name}`, kind: 'service.failing', title: `${serviceLabel(name)}: failing` },
        ...{
          sinceMs: lastMs,
          holdMs: SERVICE_HOLD_MS,
          facts: { path: '/services', cause: health.kind ?? '' },
        },
      },
    ];
  });
  return [...keepers, ...services, ...own.failures.conditions, ...(await feedConditions(own.of))];
}

/** Keepers that are not synced, and those of which every network with a rhythm has gone quiet. */
async function keeperConditions({ index, keepers }: Services): Promise<Condition[]> {
  if (keepers.length === 0) return [];
  const { activity } = await triageOf(index).now();
  const notSynced = index.status().flatMap((status): Condition[] => {
    const { keeper, state, syncedAtMs, failure } = statusAt(status, index.now());
    if (failure === null && state !== 'stale' && state !== 'failing') return [];
    const cause = failure === null ? 'No sync succeeded' : clipped(failure.detail, 200);
    const about = { subject: `keeper/${keeper}`, kind: 'keeper.not-synced', holdMs: KEEPER_HOLD_MS } as const;
    const facts = { keeper, cause, path: '/services' };
    return [{ ...about, title: `Keeper ${keeper}: not synced`, facts, sinceMs: syncedAtMs }];
  });
  const silent = keepers.flatMap((keeper): Condition[] => {
    const judged = activity.filter((one) => one.keeper === keeper && one.quiet.holds !== 'unknown');
    if (judged.length === 0 || judged.some(({ quiet }) => quiet.holds === 'no')) return [];
    const affected = `${judged.length} network${judged.length === 1 ? '' : 's'}`;
    const facts = { keeper, affected, cause: 'No demand, or the keeper has stopped', path: '/pending' };
    const sinceMs = Math.max(...judged.map(({ lastRequestMs }) => lastRequestMs ?? 0));
    const about = { subject: `silent/${keeper}`, kind: 'keeper.silent', holdMs: 0 } as const;
    return [{ ...about, title: `Keeper ${keeper}: no requests on any network`, facts, sinceMs }];
  });
  return [...notSynced, ...silent];
}

/** Failure groups that nobody has acknowledged, with none in the seven days before, and many since. */
async function failureConditions({ keepers, incidents }: Services): Promise<Condition[]> {
  if (keepers.length === 0) return [];
  const answer = await insightsOf(USUAL_INSIGHTS, ['failures']);
  if (!answer.ok) return [];
  const quiet = new Set(
    incidents.acknowledgements.filter((one) => one.kind === 'failure').map(({ id }) => id),
  );
  return (answer.value.failures?.groups ?? []).flatMap(
    ({ group, rows, isNew, firstUs, senders, networks }) => {
      if (isNew !== true || rows < FREQUENT || quiet.has(group)) return [];
      const affected = `${groupDigits(String(rows))} failures, ${senders} senders, ${networks.length} networks`;
      const path = formatRequestsUrl({ ...defaultRequestsView(), failures: [group] });
      return [
        {
          ...{
            subject: `failure/${group}`,
            kind: 'failures.new' as const,
            title: `New failure: ${clipped(group, 100)}`,
          },
          ...{ sinceMs: Math.floor(firstUs / 1000), holdMs: 0, facts: { affected, path } },
        },
      ];
    },
  );
}

async function feedConditions(of: Services): Promise<Condition[]> {
  const { watchedFeeds } = of.settings;
  if (watchedFeeds.length === 0) return [];
  const { ids } = await resolveFeeds(watchedFeeds, async () => knownFeeds());
  return staleFeeds(of).flatMap(({ id, symbol, sinceMs }): Condition[] => {
    if (!ids.some((one) => one === id)) return [];
    const facts = { cause: 'No update, in its market’s hours', path: `/feeds/${id}` };
    const about = { subject: `feed/${id}`, kind: 'feed.stale', sinceMs, holdMs: 0 } as const;
    return [{ ...about, title: `${clipped(symbol, 60)}: stale`, facts }];
  });
}

/** Sends what is due: at most so many messages in a minute, and one for all the rest. */
async function send(own: Sender): Promise<void> {
  const { incidents: store } = own.of;
  const quiet = new Set(store.acknowledgements.map(({ kind, id }) => `${kind}/${id}`));
  const waiting = store.openNotices.filter(({ state }) => state === 'waiting');
  const dropped = waiting.filter(({ subject }) => quiet.has(subject));
  await store.change({ notices: dropped.map((one) => ({ ...one, state: 'dropped' as const })) });
  const due = waiting.filter((one) => !dropped.includes(one));
  for (const message of nextMessages(due, own.tried, Date.now())) {
    const error = await post(message, own.of);
    const nowMs = Date.now();
    own.tried = [
      ...own.tried.filter(({ atMs }) => nowMs - atMs < 60_000),
      { atMs: nowMs, notices: message.length },
    ];
    await store.change({ notices: message.map((one) => afterTry(one, error, nowMs)) });
    if (error !== undefined) log().warn({ kind: error }, 'an alert was not sent');
  }
}

/** @returns why it was not taken: never with the address, which is a secret */
async function post(notices: readonly Notice[], { settings, source }: Services): Promise<string | undefined> {
  const { alertWebhook: webhook } = settings;
  const url = webhook?.url();
  if (webhook === undefined || url === undefined) return 'ALERT_WEBHOOK_URL has no usable value';
  const form = { format: webhook.format, origin: publicOrigin(settings), isSandbox: source === 'sandbox' };
  try {
    const response = await fetch(url, {
      method: 'POST',
      body: messageBody(notices, form),
      headers: { 'content-type': 'application/json' },
      redirect: 'manual',
      cache: 'no-store',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await response.body?.cancel();
    return response.ok ? undefined : `Returned ${response.status}`;
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return 'No answer within 10 s';
    const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
    return `Unreachable${typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? ` (${code})` : ''}`;
  }
}

const OWN_HOSTS = /^(localhost|127\.|\[|0\.0\.0\.0$)/;

/** Where people open the dashboard: the first name of ALLOWED_HOSTS, by https; undefined where it has none. */
function publicOrigin({ allowedHosts, host }: Services['settings']): string | undefined {
  const name = [...allowedHosts].find((one) => !OWN_HOSTS.test(one) && one !== host);
  return name === undefined ? undefined : `https://${name}`;
}

/** What the page shows: so many of the newest. */
const MOST_SHOWN = 200;

export async function alertsSent(): Promise<AlertsSent> {
  const { settings, incidents } = services();
  return {
    format: settings.alertWebhook?.format,
    origin: publicOrigin(settings),
    notices: await incidents.notices(MOST_SHOWN),
  };
}

const UNSET: Failure = { kind: 'bad-request', detail: 'ALERT_WEBHOOK_URL is not set.' };

/** `POST /api/view/alerts/test`: sends a test message at once, and answers what became of it. */
export async function replyToAlertTest(_request: Request, principal: Principal): Promise<Response> {
  const { settings, incidents } = services();
  if (settings.alertWebhook === undefined) return problemReply(problemOf(UNSET));
  const one = testNotice(`test/${randomUUID()}`, principal.user ?? null, Date.now());
  try {
    await incidents.change({ notices: [one] });
    await sender().underWay;
    await lookAndSend();
  } catch (error) {
    if (!(error instanceof IndexNotWritableError)) throw error;
    return problemReply(
      problemOf({ kind: 'failing', detail: 'Nothing can be written now: is the disk full?' }),
    );
  }
  const told = (await incidents.notices(MOST_SHOWN)).find(({ id }) => id === one.id);
  return jsonReply({ state: told?.state ?? 'waiting', error: told?.error ?? null });
}
