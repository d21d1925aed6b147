import * as z from 'zod/mini';
import { answerReader } from '@/lib/core/gateway';
import type { Health, IndexState } from '@/lib/core/health';
import type { ChainState } from '@/lib/onchain/network-state';
import type { Incident, Single, TriageStatus } from '@/lib/pending/pending-response';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import { anomalySchema, type NetworkInsight } from './insights-response';

/** A problem, and the input from which problems are found. */

export const PROBLEMS_ADDRESS = '/api/view/insights/problems';

const moment = z.nullable(z.number());
const count = z.int().check(z.nonnegative());

/** One problem. `level` is `bad`, `warning` or `notice`; times are unix ms. */
const problem = z.object({
  id: z.string(),
  kind: z.enum(['incident', 'network', 'keeper', 'chain', 'service', 'feeds']),
  level: z.enum(['bad', 'warning', 'notice']),
  /** Subject: the networks of requests, otherwise a text. */
  networks: z.array(z.string()),
  about: z.string(),
  /** The problem and its start; a sentence without a full stop. */
  text: z.string(),
  sinceMs: moment,
  /** `sinceMs` dates the oldest of several requests that began apart. */
  isOfOldest: z.optional(z.literal(true)),
  /** The likely cause, or the usual value. */
  detail: z.string(),
  /** Next step, a sentence without full stop, of a network's problem. */
  next: z.optional(z.string()),
  /** An anomaly of a network of a keeper. */
  unusual: z.optional(z.extend(anomalySchema, { keeper: z.string() })),
  href: z.string(),
});

const problemsAnswer = z.object({
  revision: count,
  atMs: z.number(),
  problems: z.array(problem),
  /** Keepers whose history is still being read: their problems are unknown yet. */
  syncing: z.array(z.object({ keeper: z.string(), percent: z.nullable(count) })),
  /** Acknowledged incidents and single requests, which are no problems. */
  acknowledged: count,
  /** Start of the time without problems; null while there is one, and where unknown. */
  quietSinceMs: moment,
});

export type Problem = z.infer<typeof problem>;
export type ProblemsAnswer = z.infer<typeof problemsAnswer>;

export const readProblems = answerReader(problemsAnswer, 'list of problems');

export type StaleFeed = { symbol: string; sinceMs: number };

export type ProblemInput = {
  nowMs: number;
  /** All keepers, the default one first. */
  keepers: readonly string[];
  index: readonly KeeperStatus[];
  incidents: readonly Incident[];
  /** Stuck requests of no incident; parked ones are no problem. */
  singles: readonly Pick<
    Single,
    'sinceMs' | 'networkId' | 'keeper' | 'rule' | 'severity' | 'isSettled' | 'chain'
  >[];
  /** `keeper/networkId` of networks whose own incident is acknowledged: their silence is not reported. */
  acknowledgedNetworks: ReadonlySet<string>;
  status: TriageStatus;
  /** False when more may be stuck than is listed. */
  isWhole: boolean;
  /** When pending requests were last examined, unix ms, where that was before a first read had ended; else undefined. */
  examinedWhileSyncingMs: number | undefined;
  health: Health;
  /** State of the index's database. */
  indexState: IndexState;
  /** Queries of the index that failed for lack of memory, and when the last one did, unix ms. */
  memoryFailures: { count: number; lastMs: number | undefined };
  /** Why pending requests can't be examined, where they can't. */
  triageFailure: { sinceMs: number; detail: string } | undefined;
  feeds: readonly StaleFeed[];
  /** How far keepers' clocks are ahead of ours, by the dates of their answers and by those of their rows; 0: not noticeably. */
  clocks?: readonly { keeper: string; answersMs: number; rowsMs: number }[];
  /** Undefined while unknown. */
  networks: readonly Pick<NetworkInsight, 'keeper' | 'networkId' | 'unusual'>[] | undefined;
  /** Last states of the chains that have an RPC. */
  chains: readonly ChainState[];
  /** Ids of their problems that somebody has acknowledged. */
  acknowledgedChains?: ReadonlySet<string>;
};

/** A problem; members that are not given are empty. */
export const problemOf = (
  members: Pick<Problem, 'id' | 'kind' | 'level' | 'text' | 'href'> & Partial<Problem>,
): Problem => ({ networks: [], about: '', sinceMs: null, detail: '', ...members });
