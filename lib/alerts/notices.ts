import * as z from 'zod/mini';
import { causeOf, isStillQuiet } from '@/lib/alerts/acknowledge';
import { lengthMs } from '@/lib/alerts/history';
import { answerReader } from '@/lib/core/gateway';
import type { Acknowledgement, IncidentEvent, KeptIncident, Notice } from '@/lib/core/incident-record';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import { formatIsoSeconds, formatSpan } from '@/lib/core/time';
import { incidentPath, type RuleId } from '@/lib/pending/answers';
import { incidentHeadline } from '@/lib/pending/incidents';
import { RULE_TITLES } from '@/lib/pending/rules/verdict';

/** What the webhook tells, and when: pure decisions over what is known and what was told. Moments are unix milliseconds. */

/** What a message says beside its title; texts of strangers are clipped. */
export type Facts = {
  keeper?: string;
  /** A network id, and its name. */
  network?: string;
  networkName?: string;
  /** Whom it affects: `41 pending, 12 senders`. */
  affected?: string;
  cause?: string;
  /** The page of the dashboard that shows it. */
  path: string;
};

/** Something that is wrong as long as it lasts. */
export type Condition = {
  /** `keeper/main`, `service/updates`: told once until it is over. */
  subject: string;
  kind: 'keeper.not-synced' | 'keeper.silent' | 'service.failing' | 'failures.new' | 'feed.stale';
  title: string;
  facts: Facts;
  sinceMs: number | null;
  holdMs: number;
};

/** A condition that is not seen for so long is over: services come and go. */
export const OVER_AFTER_MS = 120_000;

/** What a process remembers between two looks: since when each condition is seen, or is not. */
export type ConditionMemory = { seen: Map<string, number>; unseen: Map<string, number> };

/** Notices of conditions that are told now, and of those that are over. @param open conditions that were told and are not over */
export function conditionNotices(
  conditions: readonly Condition[],
  open: readonly Notice[],
  { seen, unseen }: ConditionMemory,
  nowMs: number,
): Notice[] {
  const holds = new Set(conditions.map(({ subject }) => subject));
  for (const subject of seen.keys()) if (!holds.has(subject)) seen.delete(subject);
  const told = new Set(open.map(({ subject }) => subject));
  const fresh = conditions.flatMap((one): Notice[] => {
    const { subject, holdMs } = one;
    unseen.delete(subject);
    const firstMs = seen.get(subject) ?? nowMs;
    seen.set(subject, firstMs);
    return told.has(subject) || nowMs - firstMs < holdMs ? [] : [notice(`${subject}@${nowMs}`, one, nowMs)];
  });
  const over = open.flatMap((one): Notice[] => {
    if (holds.has(one.subject)) return [];
    const goneMs = unseen.get(one.subject) ?? nowMs;
    unseen.set(one.subject, goneMs);
    if (nowMs - goneMs < OVER_AFTER_MS) return [];
    unseen.delete(one.subject);
    return [{ ...one, endedMs: goneMs }];
  });
  return [...fresh, ...over];
}

function notice(
  id: string,
  {
    subject,
    kind,
    title,
    facts,
    sinceMs,
  }: Pick<Notice, 'subject' | 'kind' | 'title' | 'sinceMs'> & { facts: Facts },
  nowMs: number,
): Notice {
  return {
    ...{ id, subject, kind, title: clipped(title, 200), facts: JSON.stringify(facts), sinceMs, atMs: nowMs },
    ...{ endedMs: null, state: 'waiting', attempts: 0, nextMs: nowMs, sentMs: null, error: null },
  };
}

export function testNotice(id: string, by: string | null, nowMs: number): Notice {
  const title = `Test message${by === null ? '' : ` sent by ${clipped(by, 80)}`}`;
  const about = {
    subject: id,
    kind: 'test',
    title,
    sinceMs: nowMs,
    facts: { path: '/pending/alerts' },
  } as const;
  return { ...notice(id, about, nowMs), endedMs: nowMs };
}

/**
 * Notices of incidents that opened, grew twofold or closed; none of those that are acknowledged.
 * @param incidents as they are after the events
 * @param found the senders and first verdict of those that are open
 */
export function incidentNotices({
  events,
  incidents,
  found,
  acknowledgements,
  networkName,
  nowMs,
  atMs: toldMs,
}: {
  events: readonly IncidentEvent[];
  incidents: readonly KeptIncident[];
  found: readonly { id: string; senders: number; size: number; rule: RuleId }[];
  acknowledgements: readonly Acknowledgement[];
  networkName: (networkId: string) => string;
  /** By the clock of the services, as incidents are. */
  nowMs: number;
  /** By that of this machine, as messages are. */
  atMs: number;
}): Notice[] {
  return events.flatMap(({ kind, incident: key, size, atMs }): Notice[] => {
    const incident = incidents.find((one) => one.key === key);
    if (incident === undefined || (kind !== 'opened' && kind !== 'grew' && kind !== 'closed')) return [];
    const { id, keeper, networkId, sinceMs, rules, peak } = incident;
    const now = found.find((one) => one.id === id);
    const isQuiet = acknowledgements.some(
      (one) => one.kind === 'incident' && one.id === id && isQuietNow(one, now, nowMs),
    );
    if (isQuiet) return [];
    const name = clipped(networkName(networkId), 60);
    const senders = now?.senders ?? 0;
    const headline = incidentHeadline(
      { networkId, size, senders, sinceMs },
      { network: () => name, moment: isoText },
    );
    const titles = {
      opened: headline,
      grew: `${name}: grew to ${groupDigits(size)} pending`,
      closed: `${name}: incident closed after ${formatSpan(lengthMs(incident, nowMs))}`,
    };
    const count = kind === 'closed' ? `${groupDigits(peak)} pending at most` : `${groupDigits(size)} pending`;
    const facts = {
      ...{ keeper, network: networkId, networkName: name, path: incidentPath(id) },
      affected: senders === 0 ? count : `${count}, ${countOf(senders, 'sender')}`,
      cause: RULE_TITLES[rules[0] as RuleId] ?? String(rules[0]),
    };
    const about = {
      subject: `incident/${id}`,
      kind: `incident.${kind}` as const,
      title: titles[kind],
      sinceMs,
      facts,
    };
    return [{ ...notice(`${key} ${kind} ${atMs}`, about, toldMs), endedMs: toldMs }];
  });
}

/** What is over is as quiet as it was. */
function isQuietNow(
  one: Acknowledgement,
  now: { size: number; rule: RuleId } | undefined,
  nowMs: number,
): boolean {
  const { size, cause } = now === undefined ? one : { size: now.size, cause: causeOf(now.rule) };
  return isStillQuiet(one, { size: now === undefined ? 0 : size, cause }, nowMs);
}

/** So many messages in a minute, then one with all the others. */
export const MOST_A_MINUTE = 10;
const MINUTE_MS = 60_000;

/** A message that was tried: when, and of how many notices. */
export type Tried = { atMs: number; notices: number };

/** The messages to send now, each of one notice, and at last a digest of several. */
export function nextMessages(waiting: readonly Notice[], tried: readonly Tried[], nowMs: number): Notice[][] {
  const due = waiting.filter(({ nextMs }) => nextMs <= nowMs).toSorted((a, b) => a.atMs - b.atMs);
  const lately = tried.filter(({ atMs }) => nowMs - atMs < MINUTE_MS);
  const room = Math.max(0, MOST_A_MINUTE - lately.filter(({ notices }) => notices === 1).length);
  const [single, rest] = [due.slice(0, room), due.slice(room)];
  const hasDigest = lately.some(({ notices }) => notices > 1);
  // One that is left over waits for its minute: it needs no digest.
  return [...single.map((one) => [one]), ...(rest.length > 1 && !hasDigest ? [rest] : [])];
}

/** From the first try on it is tried for so long. */
export const TRIED_FOR_MS = 3_600_000;
const FIRST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 600_000;

/** A notice after a message that was sent, or was not. @param error without an address; undefined where it was taken */
export function afterTry(one: Notice, error: string | undefined, nowMs: number): Notice {
  const attempts = one.attempts + 1;
  if (error === undefined) return { ...one, attempts, state: 'sent', sentMs: nowMs, error: null };
  const nextMs = nowMs + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** one.attempts);
  const isLate = nextMs - one.atMs > TRIED_FOR_MS;
  return { ...one, attempts, state: isLate ? 'given-up' : 'waiting', nextMs, error };
}

function isoText(ms: number): string {
  return formatIsoSeconds(ms);
}

/** A digest spells out so many, and counts the others; receivers take messages of some kilobytes. */
const MOST_ITEMS = 40;
const LONGEST_CAUSE = 300;

type MessageFormat = { format: 'json' | 'slack'; origin: string | undefined; isSandbox: boolean };

/** The body of a message, as JSON text. @param origin of the dashboard, where it is known: links are paths without it */
export function messageBody(
  notices: readonly Notice[],
  { format, origin, isSandbox }: MessageFormat,
): string {
  const items = notices.slice(0, MOST_ITEMS).map(({ kind, title, sinceMs, atMs, facts }) => {
    const { path, cause, ...others } = JSON.parse(facts) as Facts;
    const since = sinceMs === null ? null : isoText(sinceMs);
    const link = origin === undefined ? null : `${origin}${path}`;
    const short = cause === undefined ? undefined : clipped(cause, LONGEST_CAUSE);
    return { event: kind, title, since, at: isoText(atMs), ...others, cause: short, link, path };
  });
  const [first] = items;
  const title = `${notices.length} alerts`;
  const more = notices.length - items.length;
  if (format === 'json') {
    const message =
      items.length === 1 ? first : { event: 'digest', title, items, ...(more === 0 ? {} : { more }) };
    return JSON.stringify({ source: 'keeperscope', ...(isSandbox ? { sandbox: true } : {}), ...message });
  }
  const lines = items.map(({ title: what, since, affected, cause, link }) => {
    const about = [since && `since ${since}`, affected, cause && `likely cause: ${cause}`].filter(Boolean);
    return `${items.length > 1 ? '• ' : ''}*${escaped(what)}*${about.length > 0 ? `\n${escaped(about.join(' · '))}` : ''}${
      link === null ? '' : `\n<${link}|Open in Keeperscope>`
    }`;
  });
  const head = items.length > 1 ? [`*${title}*`] : [];
  const tail = more === 0 ? [] : [`And ${more} more.`];
  return JSON.stringify({
    text: [...(isSandbox ? ['[Sandbox]'] : []), ...head, ...lines, ...tail].join('\n'),
  });
}

/** What Slack would take for a link, a mention or markup. */
function escaped(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '*': '∗', '`': 'ˋ' };
  return text.replace(/[&<>*`]/g, (character) => names[character] ?? '');
}

export type AlertsSent = {
  /** Undefined where nothing is told. */
  format: MessageFormat['format'] | undefined;
  origin: string | undefined;
  notices: Notice[];
};

const testAnswer = z.object({ state: z.enum(['sent', 'given-up']), error: z.nullable(z.string()) });

export const readAlertTest = answerReader(testAnswer, 'answer about the test');
