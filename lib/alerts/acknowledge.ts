import * as z from 'zod/mini';
import { answerReader } from '@/lib/core/gateway';
import type { Acknowledgement } from '@/lib/core/incident-record';
import { type ChainState, chainProblemId, chainProblems } from '@/lib/onchain/network-state';
import { RULE, type RuleId } from '@/lib/pending/rules/rule-ids';

/** Acknowledgements are shared by all viewers; anybody may undo them. */

const TARGET_KINDS = ['incident', 'request', 'failure', 'chain'] as const;
/** `group` stands for all requests of a group on `/pending`. */
export const ORDER_KINDS = [...TARGET_KINDS, 'group'] as const;

export const target = z.object({
  kind: z.enum(TARGET_KINDS),
  /** Id of an incident, row key of a stuck request, name of a failure group, or id of a chain problem. */
  id: z.string(),
});

const acknowledgement = z.extend(target, {
  /** Unix ms. `untilMs` is null if it lasts until the target changes or is over. */
  atMs: z.number(),
  untilMs: z.nullable(z.number()),
  note: z.string(),
  /** The author, if access control knows the user. */
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

/** Target of an order; `group` means all single requests of the group with this id. */
export type OrderTarget = { kind: (typeof ORDER_KINDS)[number]; id: string };

export type AcknowledgeOrder = {
  action: 'acknowledge' | 'undo';
  targets: readonly OrderTarget[];
  /** If null or absent, it lasts until the target changes or is over. */
  forMs?: number | null;
  note?: string;
};

/** All rows of the largest page can be selected. */
export const MAX_TARGETS = 1000;
export const MAX_NOTE_CHARACTERS = 500;

type Before = Pick<Acknowledgement, 'untilMs' | 'size' | 'cause'>;
type PresentState = Pick<Acknowledgement, 'size' | 'cause'>;

const AGE_CAUSES: readonly RuleId[] = [
  RULE.withinNormal,
  RULE.slow,
  RULE.retryBudgetEnding,
  RULE.pastRetryBudget,
  RULE.overtaken,
  RULE.beyondCatchUp,
];

/** Rules that hold merely because time passes (age, overtaken, backlog) count as one cause. */
export function acknowledgedCause(rule: RuleId): string {
  return AGE_CAUSES.includes(rule) ? 'age' : rule;
}

export function isStillAcknowledged(before: Before, now: PresentState, nowMs: number): boolean {
  if (before.untilMs !== null && nowMs >= before.untilMs) return false;
  return now.cause === before.cause && now.size < Math.max(1, 2 * before.size);
}

type Acknowledgeable = {
  incidents: readonly { id: string; rule: RuleId; size: number }[];
  singles: readonly { key: string }[];
};

type Named = Pick<Acknowledgement, 'kind' | 'id'>;

export const targetKey = ({ kind, id }: Named) => `${kind} ${id}`;

/** Stuck cases by `targetKey`. A single request has no cause here, because its diagnosis is refined step by step. */
export function stuckNow({ incidents, singles }: Acknowledgeable): Map<string, PresentState> {
  const entry = (kind: Target['kind'], id: string, now: PresentState): [string, PresentState] => [
    targetKey({ kind, id }),
    now,
  ];
  return new Map([
    ...incidents.map(({ id, rule, size }) => entry('incident', id, { size, cause: acknowledgedCause(rule) })),
    ...singles.map(({ key }) => entry('request', key, { size: 1, cause: null })),
  ]);
}

/** Chain problems by `targetKey`. */
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

/** Acknowledged cases by `targetKey`. */
export function acknowledgedCases(
  triage: Acknowledgeable,
  stored: readonly (Before & Named)[],
  nowMs: number,
): Map<string, PresentState> {
  return stored.length === 0 ? new Map() : statesStillAcknowledged(stuckNow(triage), stored, nowMs);
}

/** Acknowledged chain problems by `targetKey`. */
export function acknowledgedChainsOf(
  chains: readonly ChainState[],
  stored: readonly (Before & Named)[],
  nowMs: number,
): Map<string, PresentState> {
  return stored.length === 0 ? new Map() : statesStillAcknowledged(chainsNow(chains, nowMs), stored, nowMs);
}

function statesStillAcknowledged(
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
