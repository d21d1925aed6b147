import * as z from 'zod/mini';
import { answerReader } from '@/lib/core/gateway';
import type { Health, IndexState } from '@/lib/core/health';
import type { ChainState } from '@/lib/onchain/network-state';
import type { Incident, Single, TriageStatus } from '@/lib/pending/pending-response';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import { anomalySchema, type NetworkInsight } from './insights-response';

/** A problem, and the input from which problems are determined. */

export const PROBLEMS_ADDRESS = '/api/view/insights/problems';

const moment = z.nullable(z.number());
const count = z.int().check(z.nonnegative());

/** One problem. `level` is `bad`, `warning` or `notice`; times are unix ms. */
const problem = z.object({
  id: z.string(),
  kind: z.enum(['incident', 'network', 'keeper', 'chain', 'service', 'feeds']),
  level: z.enum(['bad', 'warning', 'notice']),
  /** Subject of the problem: networks if it is about requests, otherwise a text. */
  networks: z.array(z.string()),
  about: z.string(),
  /** The problem as a sentence without a full stop. */
  text: z.string(),
  sinceMs: moment,
  /** `sinceMs` is the start of the oldest of several requests that began at different times. */
  isOfOldest: z.optional(z.literal(true)),
  /** The likely cause, or the usual value. */
  detail: z.string(),
  /** Next step, a sentence without full stop. Only for a problem of a network. */
  next: z.optional(z.string()),
  /** The anomaly, if the problem is one of a network. */
  unusual: z.optional(z.extend(anomalySchema, { keeper: z.string() })),
  href: z.string(),
});

const problemsAnswer = z.object({
  revision: count,
  atMs: z.number(),
  problems: z.array(problem),
  /** Keepers whose history is still being read. Their problems are not known yet. */
  syncing: z.array(z.object({ keeper: z.string(), percent: z.nullable(count) })),
  /**
   * Number of networks with enough requests for a comparison with their last seven days, and of all networks. Null
   * while none was compared, because their problems are then unknown.
   */
  compared: z.nullable(z.object({ networks: count, of: count })),
  /** Number of acknowledged incidents and single requests, which are not problems. */
  acknowledged: count,
  /** Start of the time without problems; null while there is one, and if unknown. */
  quietSinceMs: moment,
});

export type Problem = z.infer<typeof problem>;
export type ProblemsAnswer = z.infer<typeof problemsAnswer>;

export const readProblems = answerReader(problemsAnswer, 'list of problems');

/** `hasHours`: whether the hours of the feed's market are known. If they are not, the market may be closed. */
export type StaleFeed = { symbol: string; sinceMs: number; hasHours: boolean };

export type ProblemInput = {
  nowMs: number;
  /** All keepers, the default one first. */
  keepers: readonly string[];
  index: readonly KeeperStatus[];
  incidents: readonly Incident[];
  /** Stuck requests outside of incidents. Parked ones are not problems. */
  singles: readonly Pick<
    Single,
    'sinceMs' | 'networkId' | 'keeper' | 'rule' | 'severity' | 'isSettled' | 'chain'
  >[];
  /** `keeper/networkId` of networks with an acknowledged incident. Their silence is not reported. */
  acknowledgedNetworks: ReadonlySet<string>;
  status: TriageStatus;
  /** False if more requests may be stuck than are listed. */
  isWhole: boolean;
  /**
   * Time at which pending requests were last examined, unix ms, if that was before a first read had ended; otherwise
   * undefined.
   */
  examinedWhileSyncingMs: number | undefined;
  health: Health;
  /** State of the index's database. */
  indexState: IndexState;
  /** Number of index queries that failed for lack of memory, and the time of the last one, unix ms. */
  memoryFailures: { count: number; lastMs: number | undefined };
  /** The reason why pending requests can't be examined; undefined if they can. */
  triageFailure: { sinceMs: number; detail: string } | undefined;
  feeds: readonly StaleFeed[];
  /**
   * Milliseconds by which keepers' clocks are ahead of ours, by the dates of their answers and by those of their rows;
   * 0 if not noticeable.
   */
  clocks?: readonly { keeper: string; answersMs: number; rowsMs: number }[];
  /** Undefined if unknown. */
  networks: readonly Pick<NetworkInsight, 'keeper' | 'networkId' | 'unusual'>[] | undefined;
  /** Last states of the chains that have an RPC. */
  chains: readonly ChainState[];
  /** Ids of chain problems that somebody has acknowledged. */
  acknowledgedChains?: ReadonlySet<string>;
};

/** Makes a problem. Members that are not given are empty. */
export const problemOf = (
  members: Pick<Problem, 'id' | 'kind' | 'level' | 'text' | 'href'> & Partial<Problem>,
): Problem => ({ networks: [], about: '', sinceMs: null, detail: '', ...members });
