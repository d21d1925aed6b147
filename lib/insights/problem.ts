import * as z from 'zod/mini';
import { answerReader } from '@/lib/core/gateway';
import type { Health, IndexState } from '@/lib/core/health';
import type { ChainState } from '@/lib/onchain/network-state';
import type { Incident, Single, TriageStatus } from '@/lib/pending/pending-response';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import { type Anomaly, anomalySchema, type NetworkInsight } from './insights-response';

export const PROBLEMS_ADDRESS = '/api/view/insights/problems';

const moment = z.nullable(z.number());
const count = z.int().check(z.nonnegative());

/** Times are unix ms. */
const problem = z.object({
  id: z.string(),
  kind: z.enum(['incident', 'network', 'keeper', 'chain', 'service', 'feeds']),
  level: z.enum(['bad', 'warning', 'notice']),
  /** Networks if the problem is about requests, otherwise a text. */
  networks: z.array(z.string()),
  about: z.string(),
  /** Sentence without full stop. */
  text: z.string(),
  sinceMs: moment,
  /** `sinceMs` is the start of the oldest of several requests that began at different times. */
  isOfOldest: z.optional(z.literal(true)),
  /** The problems of the single keepers, if they share this line. */
  ofEach: z.optional(
    z.array(z.object({ id: z.string(), about: z.string(), sinceMs: moment, detail: z.string() })),
  ),
  /** The likely cause, or the usual value. */
  detail: z.string(),
  /** Next step without full stop, only for a problem of a network. */
  next: z.optional(z.string()),
  /** Anomaly of a problem of a network. */
  unusual: z.optional(z.extend(anomalySchema, { keeper: z.string() })),
  href: z.string(),
});

const problemsAnswer = z.object({
  revision: count,
  atMs: z.number(),
  problems: z.array(problem),
  /** Keepers whose history is still being read: their problems are not known yet. */
  syncing: z.array(z.object({ keeper: z.string(), percent: z.nullable(count) })),
  /** Networks with enough requests, in the last hour too, for a comparison. Null while none was compared: problems are then unknown. */
  compared: z.nullable(z.object({ networks: count, of: count })),
  /** Acknowledged incidents and single requests, which are not problems. */
  acknowledged: count,
  /** Start of the time without problems; null while there is one, and if unknown. */
  quietSinceMs: moment,
});

export type Problem = z.infer<typeof problem>;
export type ProblemsAnswer = z.infer<typeof problemsAnswer>;

export const readProblems = answerReader(problemsAnswer, 'list of problems');

/** A feed without recent updates. If `hasHours` is false, its market may be closed: the hours are unknown. */
export type StaleFeed = { symbol: string; sinceMs: number; hasHours: boolean };

export type ProblemInput = {
  nowMs: number;
  /** The default keeper first. */
  keepers: readonly string[];
  index: readonly KeeperStatus[];
  incidents: readonly Incident[];
  /** Single requests outside of incidents. Parked ones are not problems. */
  singles: readonly Pick<
    Single,
    'sinceMs' | 'networkId' | 'keeper' | 'rule' | 'severity' | 'isSettled' | 'chain'
  >[];
  /** `keeper/networkId` of networks with an acknowledged incident, whose silence is not reported. */
  acknowledgedNetworks: ReadonlySet<string>;
  status: TriageStatus;
  /** False if more requests may be stuck than are listed. */
  isWhole: boolean;
  /** Last examination of pending requests, unix ms, if that was before a first read had ended. */
  examinedWhileSyncingMs: number | undefined;
  /** Time since when a keeper is read, but not its pending requests, unix ms. */
  pendingUnreadSinceMs: number | undefined;
  health: Health;
  indexState: IndexState;
  /** Queries that failed for lack of memory; `lastMs` is unix ms. */
  memoryFailures: { count: number; lastMs: number | undefined };
  /** Set while pending requests can't be examined. */
  triageFailure: { sinceMs: number; detail: string } | undefined;
  feeds: readonly StaleFeed[];
  /** Keepers' clocks minus ours, ms, by the dates of answers and of rows; 0 if not noticeable. */
  clocks?: readonly { keeper: string; answersMs: number; rowsMs: number }[];
  /** Undefined if unknown. */
  networks: readonly Pick<NetworkInsight, 'keeper' | 'networkId' | 'unusual'>[] | undefined;
  /** Last states of the chains that have an RPC. */
  chains: readonly ChainState[];
  acknowledgedChains?: ReadonlySet<string>;
};

export const networkProblemId = (keeper: string, networkId: string, kind: Anomaly['kind']) =>
  `network/${keeper}/${networkId}/${kind}`;

export const newProblem = (
  members: Pick<Problem, 'id' | 'kind' | 'level' | 'text' | 'href'> & Partial<Problem>,
): Problem => ({ networks: [], about: '', sinceMs: null, detail: '', ...members });
