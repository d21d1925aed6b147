import { acknowledgedCause, isStillAcknowledged } from '@/lib/alerts/acknowledge';
import { type AlertEvent, holdMsOf } from '@/lib/alerts/alert-rules';
import { firstSeenMs, leftText, lengthMs } from '@/lib/alerts/history';
import { backoffMs } from '@/lib/core/backoff';
import type { Acknowledgement, IncidentEvent, IncidentRecord, Notice } from '@/lib/core/incident-record';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import { DAY_MS, formatIsoSeconds, formatSpan, formatUtcSeconds, HOUR_MS, MINUTE_MS } from '@/lib/core/time';
import { incidentTitle } from '@/lib/pending/incidents';
import { type Incident, incidentPath } from '@/lib/pending/pending-response';
import { RULE, type RuleId } from '@/lib/pending/rules/rule-ids';
import { leadLabel, nextAction, RULE_TITLES } from '@/lib/pending/rules/rule-texts';

/** Pure functions. Moments are unix ms. */

/** Besides the title. Texts from outside are clipped. */
export type Facts = {
  keeper?: string;
  network?: string;
  networkName?: string;
  /** `41 stuck, 12 senders`. */
  affected?: string;
  /** The only sender of an incident; untrusted. */
  sender?: string;
  cause?: string;
  /** `Likely cause`, `Known so far`. */
  causeLabel?: string;
  /** The next step, without full stop. */
  next?: string;
  path: string;
};

type NoticeInput = Pick<Notice, 'subject' | 'kind' | 'title' | 'sinceMs'> & { facts: Facts };

/** Sends a message once it has lasted for `holdMsOf`, and no other until it is over. */
export type Condition = NoticeInput & { kind: Exclude<AlertEvent, `incident.${string}`> };

/** Absence that ends a condition: services come and go. */
const OVER_AFTER_MS = 120_000;

/** Since when conditions have been present, or absent. */
type ConditionMemory = { seen: Map<string, number>; unseen: Map<string, number> };

/**
 * @param open conditions with a message that have not ended
 * @param isUnknown a subject can't be checked now, so its condition neither begins nor ends
 */
export function conditionNotices(
  conditions: readonly Condition[],
  open: readonly Notice[],
  { seen, unseen }: ConditionMemory,
  nowMs: number,
  isUnknown: (subject: string) => boolean = () => false,
): Notice[] {
  const holds = new Set(conditions.map(({ subject }) => subject));
  for (const subject of seen.keys()) if (!holds.has(subject) && !isUnknown(subject)) seen.delete(subject);
  const announced = new Set(open.map(({ subject }) => subject));
  const fresh = conditions.flatMap((condition): Notice[] => {
    const { subject, kind } = condition;
    unseen.delete(subject);
    const isYoung = nowMs - firstSeenMs(seen, subject, nowMs) < holdMsOf(kind);
    return announced.has(subject) || isYoung ? [] : [notice(`${subject}@${nowMs}`, condition, nowMs)];
  });
  const over = open.flatMap((notice): Notice[] => {
    if (holds.has(notice.subject) || isUnknown(notice.subject)) return [];
    const goneMs = firstSeenMs(unseen, notice.subject, nowMs);
    if (nowMs - goneMs < OVER_AFTER_MS) return [];
    unseen.delete(notice.subject);
    return [{ ...notice, endedMs: goneMs }];
  });
  return [...fresh, ...over];
}

function notice(id: string, { subject, kind, title, facts, sinceMs }: NoticeInput, atMs: number): Notice {
  return {
    id,
    subject,
    kind,
    title: clipped(title, 200),
    facts: JSON.stringify(facts),
    sinceMs,
    atMs,
    endedMs: null,
    state: 'waiting',
    attempts: 0,
    nextMs: atMs,
    sentMs: null,
    error: null,
  };
}

export function testNotice(id: string, by: string | null, nowMs: number): Notice {
  const title = `Test message${by === null ? '' : ` sent by ${clipped(by, 80)}`}`;
  const condition = { subject: id, kind: 'test', title, sinceMs: nowMs, facts: { path: '/pending/alerts' } };
  return { ...notice(id, condition, nowMs), endedMs: nowMs };
}

/** A message in the form of a real incident, for a test of the webhook. */
export function exampleNotice(nowMs: number): Notice {
  const sinceMs = nowMs - 10 * MINUTE_MS;
  const affected = '41 stuck, 12 senders';
  const facts = {
    keeper: 'main',
    network: '8453',
    networkName: 'Base',
    affected,
    cause: RULE_TITLES[RULE.wholeNetwork],
    causeLabel: leadLabel({ rule: RULE.wholeNetwork }),
    next: nextAction({ rule: RULE.wholeNetwork }, []),
    path: incidentPath('main/8453/network'),
  };
  const title = `Base: ${affected}`;
  const condition = { subject: 'example', kind: 'incident.opened', title, sinceMs, facts };
  return notice('example', condition, nowMs);
}

type DetectedIncident = Pick<Incident, 'id' | 'senders' | 'size' | 'rule' | 'chain' | 'subject' | 'verdicts'>;

type Happened = {
  events: readonly IncidentEvent[];
  /** Incidents after the events. */
  incidents: readonly IncidentRecord[];
  detected: readonly DetectedIncident[];
  acknowledgements: readonly Acknowledgement[];
  networkName: (networkId: string) => string;
  /** Time by the clock of the services, which incidents use. */
  nowMs: number;
  /** Time by the clock of this machine, which messages use. */
  atMs: number;
};

/** Opened, doubled in size or closed, without acknowledged ones. */
export function incidentNotices(happened: Happened): Notice[] {
  const { events, incidents, detected, acknowledgements, networkName, nowMs, atMs: sentMs } = happened;
  return events.flatMap(({ kind, incident: key, size, headline, atMs }): Notice[] => {
    const incident = incidents.find((incident) => incident.key === key);
    if (incident === undefined || (kind !== 'opened' && kind !== 'grew' && kind !== 'closed')) return [];
    const { id, keeper, networkId, sinceMs, rules, peak } = incident;
    const now = detected.find((incident) => incident.id === id);
    const acknowledgement = acknowledgements.find(
      (acknowledgement) => acknowledgement.kind === 'incident' && acknowledgement.id === id,
    );
    // For a closed incident, the cause is the acknowledged one.
    const current = now
      ? { size: now.size, cause: acknowledgedCause(now.rule) }
      : { size: 0, cause: acknowledgement?.cause ?? null };
    if (acknowledgement && isStillAcknowledged(acknowledgement, current, nowMs)) return [];
    const name = clipped(networkName(networkId), 60);
    const senders = now?.senders ?? 0;
    const titles = {
      opened: incidentTitle(name, { size, senders }),
      grew: `${name}: grew to ${groupDigits(size)} stuck`,
      closed: `${name}: incident closed after ${formatSpan(lengthMs(incident, nowMs))}${leftText({ size, headline })}`,
    };
    const count = kind === 'closed' ? `${groupDigits(peak)} stuck at most` : `${groupDigits(size)} stuck`;
    const affected = senders === 0 ? count : `${count}, ${countOf(senders, 'sender')}`;
    // A silent network has no requests of its own.
    const isSilence = (kind === 'closed' ? peak : size) === 0;
    const facts = {
      keeper,
      network: networkId,
      networkName: name,
      path: incidentPath(id),
      ...(isSilence ? {} : { affected }),
      ...causeFacts(now, rules),
    };
    const condition = {
      subject: `incident/${id}`,
      kind: `incident.${kind}`,
      title: titles[kind],
      sinceMs,
      facts,
    };
    return [{ ...notice(`${key} ${kind} ${atMs}`, condition, sentMs), endedMs: sentMs }];
  });
}

/**
 * @param now undefined for a closed incident, whose recorded cause is named without a next step
 * @param rules of the record; a rule that leads again is not repeated, so the last need not be the last that led
 */
function causeFacts(now: DetectedIncident | undefined, rules: readonly string[]): Partial<Facts> {
  const titleOf = (rule = '') => RULE_TITLES[rule as RuleId] ?? rule;
  if (now === undefined) return { cause: titleOf(rules.at(-1)), causeLabel: 'Recorded cause' };
  const { chain, subject, verdicts } = now;
  const [lead] = verdicts;
  const sender = subject.kind === 'sender' ? { sender: clipped(subject.sender, 100) } : {};
  if (chain?.cause !== undefined) {
    const { title, next } = chain.cause;
    return { ...sender, cause: title, causeLabel: 'On chain', next };
  }
  return {
    ...sender,
    cause: titleOf(now.rule),
    causeLabel: lead === undefined ? 'Known so far' : leadLabel(lead),
    next: nextAction(lead, verdicts, chain?.isOpen),
  };
}

/** Single messages; further notices are sent as one digest. */
export const MAX_MESSAGES_PER_MINUTE = 10;

export type Attempt = { atMs: number; notices: number };

/** Single notices, then a digest if there are several more. */
export function nextMessages(
  waiting: readonly Notice[],
  tried: readonly Attempt[],
  nowMs: number,
): Notice[][] {
  const due = waiting.filter(({ nextMs }) => nextMs <= nowMs).toSorted((a, b) => a.atMs - b.atMs);
  const lately = tried.filter(({ atMs }) => nowMs - atMs < MINUTE_MS);
  const room = Math.max(0, MAX_MESSAGES_PER_MINUTE - lately.filter(({ notices }) => notices === 1).length);
  const [single, rest] = [due.slice(0, room), due.slice(room)];
  const hasDigest = lately.some(({ notices }) => notices > 1);
  // A single notice left over waits for the next minute, because a digest needs several.
  return [...single.map((notice) => [notice]), ...(rest.length > 1 && !hasDigest ? [rest] : [])];
}

/** Time for retries after the first attempt. */
const TRIED_FOR_MS = HOUR_MS;
const WEBHOOK_BACKOFF = { firstMs: 10_000, maxMs: 600_000 };

/** Time for retries after pauses that the receiver requests (Retry-After). */
const TRIED_WITH_WAITS_FOR_MS = DAY_MS;

/** `error` does not contain the URL, which is secret. `waitMs` is the pause that the receiver requested. */
export type SendFailure = { error: string; waitMs?: number };

/** @param refusal undefined if the message was accepted */
export function afterAttempt(notice: Notice, refusal: SendFailure | undefined, nowMs: number): Notice {
  const attempts = notice.attempts + 1;
  if (refusal === undefined) return { ...notice, attempts, state: 'sent', sentMs: nowMs, error: null };
  const { error, waitMs = 0 } = refusal;
  const pauseMs = backoffMs(WEBHOOK_BACKOFF, notice.attempts);
  const triedForMs = waitMs === 0 ? TRIED_FOR_MS : TRIED_WITH_WAITS_FOR_MS;
  const isLate = nowMs + pauseMs - notice.atMs > triedForMs;
  const nextMs = nowMs + Math.max(pauseMs, waitMs);
  return { ...notice, attempts, state: isLate ? 'given-up' : 'waiting', nextMs, error };
}

/** Items of a digest. Other notices are only counted, because receivers limit messages to a few kilobytes. */
const MAX_ITEMS = 40;
const MAX_CAUSE_CHARACTERS = 300;
const MAX_NEXT_CHARACTERS = 300;

type MessageFormat = { format: 'json' | 'slack'; origin: string | undefined; isSandbox: boolean };

/** JSON. @param origin of the dashboard; without it, links are paths */
export function messageBody(
  notices: readonly Notice[],
  { format, origin, isSandbox }: MessageFormat,
): string {
  const items = notices.slice(0, MAX_ITEMS).map(({ kind, title, sinceMs, atMs, facts }) => {
    const { path, cause, causeLabel, next, ...others } = JSON.parse(facts) as Facts;
    const since = sinceMs === null ? null : formatIsoSeconds(sinceMs);
    const link = origin === undefined ? null : `${origin}${path}`;
    const short = cause === undefined ? undefined : clipped(cause, MAX_CAUSE_CHARACTERS);
    const step = next === undefined ? undefined : clipped(next, MAX_NEXT_CHARACTERS);
    const at = formatIsoSeconds(atMs);
    return { event: kind, title, since, at, ...others, cause: short, causeLabel, next: step, link, path };
  });
  const [first, ...others] = items;
  const title = `${notices.length} alerts`;
  const more = notices.length - items.length;
  if (format === 'json') {
    const digest = { event: 'digest', title, items, ...(more === 0 ? {} : { more }) };
    const message = others.length === 0 ? first : digest;
    return JSON.stringify({ source: 'keeperscope', ...(isSandbox ? { sandbox: true } : {}), ...message });
  }
  const lines = items.flatMap((item, at) => slackLines(item, notices[at]?.sinceMs, others.length > 0));
  const head = [isSandbox && '[Sandbox]', others.length > 0 && `*${title}*`];
  const text = [...head, ...lines, more > 0 && `And ${more} more.`].filter(Boolean).join('\n');
  return JSON.stringify({ text });
}

type SlackItem = Facts & { title: string; link: string | null };

/** Lines of a Slack message, which repeat nothing of the title. */
function slackLines(
  { title, affected, keeper, sender, cause, causeLabel, next, link }: SlackItem,
  sinceMs: number | null | undefined,
  isListed: boolean,
) {
  const facts = [
    typeof sinceMs === 'number' && `Since ${formatUtcSeconds(sinceMs)} UTC`,
    affected !== undefined && !title.includes(affected) && affected,
    keeper !== undefined && `keeper ${keeper}`,
  ].filter(Boolean);
  return [
    `${isListed ? '• ' : ''}*${escaped(title)}*`,
    facts.length > 0 && escaped(facts.join(' · ')),
    sender !== undefined && `Sender: ${escaped(sender)}`,
    cause !== undefined && escaped(causeLabel === undefined ? cause : `${causeLabel}: ${cause}`),
    next !== undefined && `Next: ${escaped(next)}`,
    link && `<${link}|Open in Keeperscope>`,
  ];
}

/** Slack would read these characters as a link, a mention or markup. */
function escaped(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '*': '∗', '`': 'ˋ' };
  return text.replace(/[&<>*`]/g, (character) => names[character] ?? '');
}
