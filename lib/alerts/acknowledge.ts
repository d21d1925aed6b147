import * as z from 'zod/mini';
import { answerReader } from '@/lib/core/gateway';
import type { Acknowledgement } from '@/lib/core/incident-record';
import type { RuleId } from '@/lib/pending/answers';

/** What somebody has seen is quiet until it changes, grows, or a time comes: everybody sees that, and anybody may undo it. */

export const TARGET_KINDS = ['incident', 'request', 'failure'] as const;

const target = z.object({
  kind: z.enum(TARGET_KINDS),
  /** Of an incident its id, of a stuck request the key of its row, of failures the name of their group. */
  id: z.string(),
});

const acknowledgement = z.extend(target, {
  /** Unix ms, as `untilMs`; null: until it changes or is over. */
  atMs: z.number(),
  untilMs: z.nullable(z.number()),
  /** Plain text of whoever acknowledged it; empty without. */
  note: z.string(),
  /** Who did it, where access knows. */
  by: z.nullable(z.string()),
});

const answer = z.object({
  /** Of the index, when it was asked. */
  revision: z.number(),
  acknowledgements: z.array(acknowledgement),
});

export type Target = z.infer<typeof target>;
export type Acknowledged = z.infer<typeof acknowledgement>;
export type AcknowledgeAnswer = z.infer<typeof answer>;

export const readAcknowledgements = answerReader(answer, 'list of acknowledgements');

export const ACKNOWLEDGEMENTS_PATH = '/api/view/acknowledgements';
export const ACKNOWLEDGE_PATH = '/api/view/acknowledge';

export type AcknowledgeOrder = {
  action: 'acknowledge' | 'undo';
  targets: readonly Target[];
  /** So long at most, milliseconds; null or absent: until it changes or is over. */
  forMs?: number | null;
  note?: string;
};

export const MOST_TARGETS = 200;
export const LONGEST_NOTE = 500;

type Before = Pick<Acknowledgement, 'untilMs' | 'size' | 'cause'>;
type Now = Pick<Acknowledgement, 'size' | 'cause'>;

/** What time alone brings is one cause: requests grow older, later ones complete, the chain goes on. */
export function causeOf(rule: RuleId): string {
  return ['R1', 'R2', 'R3', 'R4', 'R8', 'R10'].includes(rule) ? 'age' : rule;
}

/** A request by itself can't grow, and what explains it is looked into bit by bit: it is what it was until it is over. */
const ONE_REQUEST = { size: 1, cause: null };

/** A cause becomes another, or there are twice as many: that is not what was acknowledged. */
export function isStillQuiet(before: Before, now: Now, nowMs: number): boolean {
  if (before.untilMs !== null && nowMs >= before.untilMs) return false;
  return now.cause === before.cause && now.size < Math.max(1, 2 * before.size);
}

type Acknowledgeable = {
  incidents: readonly { id: string; rule: RuleId; size: number; rows: readonly string[] }[];
  singles: readonly { key: string }[];
};

type Stored = Before & Pick<Acknowledgement, 'kind' | 'id'>;

export function quietOf(
  { incidents, singles }: Acknowledgeable,
  stored: readonly Stored[],
  nowMs: number,
): { incidents: Set<string>; requests: Set<string> } {
  const bySubject = new Map(stored.map((one) => [`${one.kind} ${one.id}`, one]));
  const holds = (kind: string, id: string, now: Now) => {
    const before = bySubject.get(`${kind} ${id}`);
    return before !== undefined && isStillQuiet(before, now, nowMs);
  };
  const ids = incidents.filter(({ id, rule, size }) => holds('incident', id, { size, cause: causeOf(rule) }));
  const keys = singles.filter(({ key }) => holds('request', key, ONE_REQUEST));
  return { incidents: new Set(ids.map(({ id }) => id)), requests: new Set(keys.map(({ key }) => key)) };
}

export function acknowledgedRequests(
  triage: Acknowledgeable,
  stored: readonly Stored[],
  nowMs: number,
): number {
  if (stored.length === 0) return 0;
  const quiet = quietOf(triage, stored, nowMs);
  return triage.incidents.reduce(
    (sum, { id, size }) => sum + (quiet.incidents.has(id) ? size : 0),
    quiet.requests.size,
  );
}
