import 'server-only';
import { setTimeout as pause } from 'node:timers/promises';
import { jsonReply, problemReply } from '@/lib/access/reply';
import { acknowledgedCases, acknowledgedChainsOf, targetKey } from '@/lib/alerts/acknowledge';
import { failureProblem } from '@/lib/core/problem';
import { MINUTE_MS } from '@/lib/core/time';
import { feedDirectory, receivedDirectory } from '@/lib/feeds/server/feed-directory';
import { openHub } from '@/lib/feeds/server/process-hub';
import { cadenceFloors, canJudgeFeeds, staleFeedsOf } from '@/lib/feeds/server/stale-feeds';
import { isComparedNow } from '@/lib/insights/baseline';
import { isOfNetwork } from '@/lib/insights/incident-problems';
import type { NetworkInsight } from '@/lib/insights/insights-response';
import { isLogFresh } from '@/lib/insights/keeper-problems';
import type { ProblemsAnswer } from '@/lib/insights/problem';
import { findProblems, syncProgress } from '@/lib/insights/problems';
import { DEFAULT_INSIGHTS_VIEW } from '@/lib/insights/view';
import { chainStates } from '@/lib/onchain/server/network-watch';
import { listedChain } from '@/lib/pending/server/chain-cache';
import { refreshKnown } from '@/lib/pending/server/chain-evidence';
import { type TriageNow, triageOf } from '@/lib/pending/server/triage';
import { processWideOf } from '@/lib/platform/process-wide';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import { currentHealth } from '@/lib/services/service-report';
import { answersAheadMs, type Services, services, startedServices } from '@/lib/services/services';
import { indexFailure } from '@/lib/store/engine';
import type { IndexStore } from '@/lib/store/store';
import { viewInsights } from './insights-endpoint';

/** Interval of the checks. While nobody views the page, they determine the start of a calm period. */
const WATCH_MS = MINUTE_MS;

/** A slower part follows with the next answer, so that it does not hide the others. */
const MAX_WAIT_MS = 2000;
/** Single requests, newest first, whose cause on the chain is looked up. There may be tens of thousands. */
const MAX_CHAIN_CAUSES = 200;
const NOTHING_KNOWN = { incidents: [], singles: [], missing: 0, unreadable: 0, unknownState: 0 };

/** Accurate to a minute, as far as this process has observed. */
const calmPeriodOf = processWideOf('quiet', (index: IndexStore): { sinceMs: number | null } => {
  const timer = setInterval(() => {
    if (startedServices()?.index === index) problemsNow().catch(() => undefined);
    else clearInterval(timer);
  }, WATCH_MS).unref();
  return { sinceMs: null };
});

/** `GET /api/view/insights/problems`: all keepers and services, most severe first. */
export async function replyWithProblems(): Promise<Response> {
  const answer = await problemsNow();
  if (answer !== undefined) {
    // The chain's answer is in the next response, as on `/pending`, so that both pages name the same cause.
    void refreshKnown();
    return jsonReply(answer);
  }
  return problemReply(
    failureProblem({ kind: 'unconfigured', service: 'logs', detail: 'No service is configured.' }),
  );
}

/** Undefined if no service is configured. */
export async function problemsNow(): Promise<ProblemsAnswer | undefined> {
  const all = services();
  const { index, keepers, hosts } = all;
  if (hosts.length === 0) return undefined;
  const pending = triageOf(index);
  const [triage, networks] = await Promise.all([pending.soon(), unusualNetworks(all)]);
  // Status and time are taken together. The triage may be older.
  const [nowMs, status] = [index.now(), index.status()];
  const acknowledged = acknowledgedTargets(all, triage, nowMs);
  const problems = findProblems({
    ...triageInput(triage, acknowledged.targets),
    nowMs,
    keepers,
    index: status,
    indexState: index.engine.state,
    memoryFailures: index.engine.memoryFailures,
    triageFailure: pending.failure && {
      sinceMs: pending.failure.sinceMs,
      detail: indexFailure(pending.failure.error).detail,
    },
    health: currentHealth(),
    feeds: staleFeeds(all),
    networks,
    // The clock of a sandbox differs on purpose.
    clocks:
      all.sandbox !== undefined
        ? []
        : keepers.map((keeper) => {
            return { keeper, answersMs: answersAheadMs(keeper), rowsMs: index.reads.clockAheadMs(keeper) };
          }),
    chains: acknowledged.chains,
    acknowledgedChains: acknowledged.chainIds,
  });
  const syncing = syncProgress(status);
  const calm = calmPeriodOf(index);
  const isKnown = networks !== undefined && triage !== undefined && triage.state !== 'syncing';
  const acknowledgedCount = acknowledged.targets.size + acknowledged.chainIds.size;
  const isCalm = isKnown && problems.length + syncing.length + acknowledgedCount === 0;
  calm.sinceMs = isCalm ? (calm.sinceMs ?? nowMs) : null;
  return {
    revision: triage?.revision ?? index.revision,
    atMs: nowMs,
    problems,
    syncing,
    compared: networks === undefined ? null : comparedOf(networks, status, nowMs),
    acknowledged: acknowledgedCount,
    quietSinceMs: calm.sinceMs,
  };
}

/** Networks of keepers that were last read long ago were not compared in the last hour. */
function comparedOf(
  networks: readonly NetworkInsight[],
  index: readonly KeeperStatus[],
  nowMs: number,
): ProblemsAnswer['compared'] {
  const fresh = new Set(index.flatMap((status) => (isLogFresh(status, nowMs) ? status.keeper : [])));
  const compared = networks.filter(({ keeper }) => fresh.has(keeper));
  if (compared.length === 0 && networks.length > 0) return null;
  return { networks: compared.filter(({ usual }) => isComparedNow(usual)).length, of: networks.length };
}

/** `targets` are keys of incidents, requests and failures, `chainIds` are ids of chain problems. */
function acknowledgedTargets(deps: Services, triage: TriageNow | undefined, nowMs: number) {
  const { acknowledgements } = deps.incidents;
  const chains = chainStates(deps);
  const acknowledged =
    triage === undefined ? [] : acknowledgedCases(triage.triage, acknowledgements, triage.atMs).keys();
  const targets = new Set(acknowledged);
  const chainKeys = [...acknowledgedChainsOf(chains, acknowledgements, nowMs).keys()];
  return { targets, chains, chainIds: new Set(chainKeys.map((key) => key.slice('chain '.length))) };
}

/** Stuck requests that are not acknowledged, with what the chain reports. */
function triageInput(triage: TriageNow | undefined, acknowledged: ReadonlySet<string>) {
  const { missing, unreadable, unknownState, incidents, singles } = triage?.triage ?? NOTHING_KNOWN;
  const isAcknowledged = (kind: 'incident' | 'request', id: string) =>
    acknowledged.has(targetKey({ kind, id }));
  return {
    incidents: incidents
      .filter(({ id }) => !isAcknowledged('incident', id))
      .map((incident) => ({ ...incident, ...listedChain(incident) })),
    singles: singles
      .filter(({ key, isParked }) => !isParked && !isAcknowledged('request', key))
      .map((single, index) =>
        index < MAX_CHAIN_CAUSES
          ? { ...single, ...listedChain({ ...single, id: single.key, size: 1 }) }
          : single,
      ),
    acknowledgedNetworks: new Set(
      incidents
        .filter((incident) => isOfNetwork(incident) && isAcknowledged('incident', incident.id))
        .map(({ keeper, networkId }) => `${keeper}/${networkId}`),
    ),
    status: triage?.status ?? ({ kind: 'not-known', why: 'not worked out yet' } as const),
    isWhole: triage?.state === 'complete' && missing + unreadable + unknownState === 0,
    examinedWhileSyncingMs: triage?.state === 'syncing' ? triage.atMs : undefined,
    pendingUnreadSinceMs: triage?.pendingUnreadSinceMs,
  };
}

/** A slow query gives those of up to a minute ago; undefined if there are none. */
async function unusualNetworks({ keepers, index }: Services): Promise<NetworkInsight[] | undefined> {
  if (keepers.length === 0) return [];
  const cache = networksCache(index);
  const { epoch } = index;
  const refresh = viewInsights(DEFAULT_INSIGHTS_VIEW, ['networks']).then((answer) => {
    if (answer.ok) cache.last = { networks: answer.value.networks ?? [], epoch, atMs: performance.now() };
  });
  await Promise.race([refresh.catch(() => undefined), pause(MAX_WAIT_MS, undefined, { ref: false })]);
  return recentNetworks(index);
}

/** Undefined if none was compared lately. */
export function recentNetworks(index: IndexStore): NetworkInsight[] | undefined {
  const { last } = networksCache(index);
  const isGood = last?.epoch === index.epoch && performance.now() - last.atMs < MAX_AGE_MS;
  return isGood ? last.networks : undefined;
}

type NetworksCache = { last: { networks: NetworkInsight[]; epoch: number; atMs: number } | undefined };

const MAX_AGE_MS = MINUTE_MS;
const networksCache = processWideOf('usual-networks', (_: IndexStore): NetworksCache => {
  return { last: undefined };
});

/** False while a feed that is not stale may only be unknown. */
export const areFeedsJudged = () => canJudgeFeeds(openHub(), receivedDirectory());

/** Requests the directory. Empty until that has the market hours. */
export function staleFeeds({ settings }: Services): ReturnType<typeof staleFeedsOf> {
  const hub = openHub();
  if (hub !== undefined) void feedDirectory();
  return staleFeedsOf(hub, receivedDirectory(), cadenceFloors(settings));
}
