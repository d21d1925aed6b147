import * as z from 'zod/mini';
import { answerReader } from '@/lib/core/gateway';
import type { Acknowledgement } from '@/lib/core/incident-record';
import type { RuleId } from '@/lib/pending/answers';

/** What somebody has seen is quiet until it changes, grows, or a time comes: everybody sees that, and anybody may undo it. */

export const TARGET_KINDS = ['incident', 'request', 'failure'] as const;
/** An order may also name all requests of a group of `/pending` at once. */
export const ORDER_KINDS = [...TARGET_KINDS, 'group'] as const;

const target = z.object({
  kind: z.enum(TARGET_KINDS),
  /** Of an incident its id, of a stuck request the key of its row, of failures the name of their group. */
  id: z.string(),
});

const acknowledgement = z.extend(target, {
  /** Unix ms, as `untilMs`; null: until it changes or is over. */
  atMs: z.number(),
  untilMs: z.nullable(z.number()),
  note: z.string(),
  /** Who did it, where access knows. */
  by: z.nullable(z.string()),
});

const answer = z.object({
  revision: z.number(),
  acknowledgements: z.array(acknowledgement),
});

export type Target = z.infer<typeof target>;
export type Acknowledged = z.infer<typeof acknowledgement>;
export type AcknowledgeAnswer = z.infer<typeof answer>;

export const readAcknowledgements = answerReader(answer, 'list of acknowledgements');

export const ACKNOWLEDGEMENTS_PATH = '/api/view/acknowledgements';
export const ACKNOWLEDGE_PATH = '/api/view/acknowledge';

/** Target of an order; `group`: all single requests of the group with this id. */
export type OrderTarget = { kind: (typeof ORDER_KINDS)[number]; id: string };

export type AcknowledgeOrder = {
  action: 'acknowledge' | 'undo';
  targets: readonly OrderTarget[];
  /** So long at most, milliseconds; null or absent: until it changes or is over. */
  forMs?: number | null;
  note?: string;
};

export const MAX_TARGETS = 200;
export const LONGEST_NOTE = 500;

type Before = Pick<Acknowledgement, 'untilMs' | 'size' | 'cause'>;
type Now = Pick<Acknowledgement, 'size' | 'cause'>;

/** What time alone brings is one cause: requests grow older, later ones complete, the chain goes on. */
export function causeOf(rule: RuleId): string {
  return ['R1', 'R2', 'R3', 'R4', 'R8', 'R10'].includes(rule) ? 'age' : rule;
}

/** A cause becomes another, or there are twice as many: that is not what was acknowledged. */
export function isStillQuiet(before: Before, now: Now, nowMs: number): boolean {
  if (before.untilMs !== null && nowMs >= before.untilMs) return false;
  return now.cause === before.cause && now.size < Math.max(1, 2 * before.size);
}

type Acknowledgeable = {
  incidents: readonly { id: string; rule: RuleId; size: number }[];
  singles: readonly { key: string }[];
};

type Named = Pick<Acknowledgement, 'kind' | 'id'>;

/** What tells a target from all others. */
export const targetKey = ({ kind, id }: Named) => `${kind} ${id}`;

/** Size and cause of what is stuck, by its key. A request by itself can't grow, and is looked into bit by bit: it has no cause. */
export function stuckNow({ incidents, singles }: Acknowledgeable): Map<string, Now> {
  const entry = (kind: Target['kind'], id: string, now: Now): [string, Now] => [targetKey({ kind, id }), now];
  return new Map([
    ...incidents.map(({ id, rule, size }) => entry('incident', id, { size, cause: causeOf(rule) })),
    ...singles.map(({ key }) => entry('request', key, { size: 1, cause: null })),
  ]);
}

/** Stuck incidents and requests that are acknowledged, by `targetKey`. */
export function quietOf(
  triage: Acknowledgeable,
  stored: readonly (Before & Named)[],
  nowMs: number,
): Map<string, Now> {
  if (stored.length === 0) return new Map();
  const stuck = stuckNow(triage);
  return new Map(
    stored.flatMap((one) => {
      const now = stuck.get(targetKey(one));
      return now && isStillQuiet(one, now, nowMs) ? [[targetKey(one), now] as const] : [];
    }),
  );
}
