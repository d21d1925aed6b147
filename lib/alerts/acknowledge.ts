import * as z from 'zod/mini';
import { answerReader } from '@/lib/core/gateway';
import type { Acknowledgement } from '@/lib/core/incident-record';
import { type ChainState, chainProblemId, chainProblems } from '@/lib/onchain/network-state';
import type { RuleId } from '@/lib/pending/pending-response';

/** Acknowledgements: silence a target until its cause changes, it doubles, or a time. Shared by all viewers, and anybody may undo one. */

const TARGET_KINDS = ['incident', 'request', 'failure', 'chain'] as const;
/** Kinds of targets in an order; `group` stands for all requests of a group of `/pending`. */
export const ORDER_KINDS = [...TARGET_KINDS, 'group'] as const;

const target = z.object({
  kind: z.enum(TARGET_KINDS),
  /** Id of an incident, row key of a stuck request, name of a failure group, or id of a problem of a chain. */
  id: z.string(),
});

const acknowledgement = z.extend(target, {
  /** Unix ms, as is `untilMs`, which is null for "until it changes or is over". */
  atMs: z.number(),
  untilMs: z.nullable(z.number()),
  note: z.string(),
  /** Author, if access control knows the user. */
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
  /** Longest duration, milliseconds; null or absent: until the target changes or is over. */
  forMs?: number | null;
  note?: string;
};

/** All rows of the largest page, since all of them can be selected. */
export const MAX_TARGETS = 1000;
export const MAX_NOTE_CHARACTERS = 500;

type Before = Pick<Acknowledgement, 'untilMs' | 'size' | 'cause'>;
type PresentState = Pick<Acknowledgement, 'size' | 'cause'>;

/** Cause for comparison: rules that follow from the passage of time alone (age, overtaken, backlog) count as one. */
export function causeOf(rule: RuleId): string {
  return ['R1', 'R2', 'R3', 'R4', 'R8', 'R10'].includes(rule) ? 'age' : rule;
}

/** Whether an acknowledgement still holds: not after a change of cause or a doubling of the size. */
export function isStillAcknowledged(before: Before, now: PresentState, nowMs: number): boolean {
  if (before.untilMs !== null && nowMs >= before.untilMs) return false;
  return now.cause === before.cause && now.size < Math.max(1, 2 * before.size);
}

type Acknowledgeable = {
  incidents: readonly { id: string; rule: RuleId; size: number }[];
  singles: readonly { key: string }[];
};

type Named = Pick<Acknowledgement, 'kind' | 'id'>;

/** Unique key of a target. */
export const targetKey = ({ kind, id }: Named) => `${kind} ${id}`;

/** Size and cause of stuck incidents and requests by key. A single request has no cause here: its diagnosis is refined bit by bit. */
export function stuckNow({ incidents, singles }: Acknowledgeable): Map<string, PresentState> {
  const entry = (kind: Target['kind'], id: string, now: PresentState): [string, PresentState] => [
    targetKey({ kind, id }),
    now,
  ];
  return new Map([
    ...incidents.map(({ id, rule, size }) => entry('incident', id, { size, cause: causeOf(rule) })),
    ...singles.map(({ key }) => entry('request', key, { size: 1, cause: null })),
  ]);
}

/** Level and extent of what is wrong with chains, by `targetKey`. */
export function chainsNow(chains: readonly ChainState[], nowMs: number): Map<string, PresentState> {
  return new Map(
    chains.flatMap((chain) =>
      chainProblems(chain, nowMs).map((problem) => {
        const key = targetKey({ kind: 'chain', id: chainProblemId(chain, problem) });
        return [key, { size: problem.size, cause: problem.level }] as const;
      }),
    ),
  );
}

/** Acknowledged incidents and stuck requests by `targetKey`. */
export function acknowledgedOf(
  triage: Acknowledgeable,
  stored: readonly (Before & Named)[],
  nowMs: number,
): Map<string, PresentState> {
  return stored.length === 0 ? new Map() : stillQuiet(stuckNow(triage), stored, nowMs);
}

/** Acknowledged problems of chains by `targetKey`. */
export function quietChains(
  chains: readonly ChainState[],
  stored: readonly (Before & Named)[],
  nowMs: number,
): Map<string, PresentState> {
  return stored.length === 0 ? new Map() : stillQuiet(chainsNow(chains, nowMs), stored, nowMs);
}

function stillQuiet(
  now: ReadonlyMap<string, PresentState>,
  stored: readonly (Before & Named)[],
  nowMs: number,
) {
  return new Map(
    stored.flatMap((entry) => {
      const current = now.get(targetKey(entry));
      return current && isStillAcknowledged(entry, current, nowMs)
        ? [[targetKey(entry), current] as const]
        : [];
    }),
  );
}
