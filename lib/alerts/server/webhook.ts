import 'server-only';
import { acknowledgedChainsOf, targetKey } from '@/lib/alerts/acknowledge';
import {
  type Attempt,
  afterAttempt,
  conditionNotices,
  MAX_MESSAGES_PER_MINUTE,
  nextMessages,
} from '@/lib/alerts/notices';
import type { Notice } from '@/lib/core/incident-record';
import { MINUTE_MS } from '@/lib/core/time';
import { problemsNow } from '@/lib/insights/server/problems';
import { chainStates } from '@/lib/onchain/server/network-watch';
import { log } from '@/lib/platform/log';
import { processWideOf } from '@/lib/platform/process-wide';
import { type Services, services, startedServices } from '@/lib/services/services';
import { IndexClosedError, IndexNotWritableError } from '@/lib/store/engine';
import {
  type FailureConditions,
  failureConditions,
  feedConditions,
  isOfUnreadKeeper,
  isUncheckable,
  problemConditions,
} from './conditions';
import { hasRequestedPause, type Posted, postNotices } from './post';

/** conditions.ts finds what to report, notices.ts when. Outcomes are stored: a restart repeats no message. */

const SEND_INTERVAL_MS = 5000;
const CONDITIONS_MS = 15_000;
/** Failure groups need a query. */
const FAILURES_MS = MINUTE_MS;

/** Time after a start in which no condition counts as over, because not all are seen at once. */
const GRACE_MS = 300_000;

const newConditionMemory = () => ({
  sinceMs: Date.now(),
  checkedMs: 0,
  memory: { seen: new Map<string, number>(), unseen: new Map<string, number>() },
  failures: { atMs: 0, conditions: [], unjudged: new Set() } as { atMs: number } & FailureConditions,
});

export const senderOf = processWideOf('alert-sender', (deps: Services) => ({
  deps,
  /** Undefined while another instance sends. */
  seen: undefined as ReturnType<typeof newConditionMemory> | undefined,
  tried: [] as Attempt[],
  /** The receiver requested a pause of this process until then (Retry-After). */
  pausedUntilMs: 0,
  /** Outcomes by id that could not be written yet. They prevent a second message. */
  unwritten: new Map<string, Notice>(),
}));
type Sender = ReturnType<typeof senderOf>;

export function sendAlerts(deps: Services = services()): void {
  setTimeout(async () => {
    if (startedServices() !== deps) return;
    const sender = senderOf(deps);
    // Several instances may share the index. Only the one that syncs sends.
    if (!deps.index.isLeader) sender.seen = undefined;
    else if (deps.settings.alertWebhook !== undefined) {
      try {
        // A new leader reads the messages of the previous one. Its own older observations were dropped.
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
  }, SEND_INTERVAL_MS).unref();
}

async function checkConditions(deps: Services, seen: NonNullable<Sender['seen']>): Promise<void> {
  const nowMs = Date.now();
  if (nowMs - seen.checkedMs < CONDITIONS_MS) return;
  seen.checkedMs = nowMs;
  if (nowMs - seen.failures.atMs >= FAILURES_MS) {
    seen.failures = { ...seen.failures, ...(await failureConditions(deps)), atMs: nowMs };
  }
  const problems = await problemsNow();
  const conditions = [
    ...problemConditions(problems?.problems ?? []).filter(({ subject }) => !isOfUnreadKeeper(subject, deps)),
    ...seen.failures.conditions,
    ...(await feedConditions(deps)),
  ];
  const { incidents: store } = deps;
  const open = store.openNotices.filter(({ endedMs }) => endedMs === null);
  const notices = conditionNotices(
    conditions,
    open,
    seen.memory,
    nowMs,
    (subject) =>
      problems === undefined || seen.failures.unjudged.has(subject) || isUncheckable(subject, problems, deps),
  );
  const isEarly = nowMs - seen.sinceMs < GRACE_MS;
  await store.changeAsLeader({ notices: notices.filter(({ endedMs }) => endedMs === null || !isEarly) });
}

/** Sends at most `MAX_MESSAGES_PER_MINUTE`, and a digest of the rest. */
async function send(sender: Sender): Promise<void> {
  const { incidents: store } = sender.deps;
  // A chain problem that outgrew its acknowledgement was just queued and must be sent.
  const ofChains = acknowledgedChainsOf(chainStates(), store.acknowledgements, Date.now());
  const holding = store.acknowledgements.filter(
    (acknowledgement) => acknowledgement.kind !== 'chain' || ofChains.has(targetKey(acknowledgement)),
  );
  const acknowledged = new Set(holding.map(({ kind, id }) => (kind === 'chain' ? id : `${kind}/${id}`)));
  await recordNotices(sender, []);
  const waiting = store.openNotices
    .map((notice) => sender.unwritten.get(notice.id) ?? notice)
    .filter(({ state }) => state === 'waiting');
  const dropped = waiting.filter(({ subject }) => acknowledged.has(subject));
  await store.changeAsLeader({
    notices: dropped.map((notice) => ({ ...notice, state: 'dropped' as const })),
  });
  const due = waiting.filter((notice) => !dropped.includes(notice));
  for (const message of nextMessages(due, sender.tried, Date.now())) {
    if (Date.now() < pauseEndMs(sender)) return;
    await sender.deps.index.confirmLeader();
    const { refusal } = await deliver(sender, message);
    const tried = message.map((notice) => afterAttempt(notice, refusal, Date.now()));
    await recordNotices(sender, tried);
  }
}

async function recordNotices({ deps, unwritten }: Sender, notices: readonly Notice[]): Promise<void> {
  for (const notice of notices) unwritten.set(notice.id, notice);
  try {
    await deps.incidents.changeAsLeader({ notices: [...unwritten.values()] });
    unwritten.clear();
  } catch (error) {
    if (!(error instanceof IndexNotWritableError)) throw error;
  }
}

/**
 * End of the pause that the receiver requested, unix ms. Pauses of another instance, or from before a restart, are known
 * by the next attempt of a message that was refused.
 */
export function pauseEndMs({ pausedUntilMs, deps }: Sender): number {
  const refused = deps.incidents.openNotices.filter(hasRequestedPause);
  return Math.max(pausedUntilMs, ...refused.map(({ nextMs }) => nextMs));
}

/** Records the attempt and any pause that the receiver requests. */
export async function deliver(sender: Sender, notices: readonly Notice[]): Promise<Posted> {
  const posted = await postNotices(notices, sender.deps);
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
