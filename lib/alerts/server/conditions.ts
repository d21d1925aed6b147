import 'server-only';
import { targetKey } from '@/lib/alerts/acknowledge';
import { type AlertEvent, FREQUENT_FAILURES } from '@/lib/alerts/alert-rules';
import type { Condition } from '@/lib/alerts/notices';
import { countOf } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import { cachedFeeds, resolveFeeds } from '@/lib/feeds/server/feed-directory';
import { isLogFresh } from '@/lib/insights/keeper-problems';
import type { Problem, ProblemsAnswer } from '@/lib/insights/problem';
import { viewInsights } from '@/lib/insights/server/insights-endpoint';
import { areFeedsJudged, staleFeeds } from '@/lib/insights/server/problems';
import { DEFAULT_INSIGHTS_VIEW } from '@/lib/insights/view';
import { hasUnknownChain, isChainUnknown } from '@/lib/onchain/server/network-watch';
import { defaultRequestsView } from '@/lib/requests/view';
import { formatRequestsUrl } from '@/lib/requests/view-url';
import { networksFor } from '@/lib/services/network-directory';
import type { Services } from '@/lib/services/services';

/** Events that are known only where networks were compared; `keeper.silent` in part. */
const EVENTS_OF_NETWORKS: readonly AlertEvent[] = [
  'network.failing',
  'network.callbacks-failing',
  'network.slow',
  'keeper.silent',
];

const EVENTS_OF_CHAINS: readonly AlertEvent[] = ['chain.wallet', 'chain.nonce', 'chain.random-numbers'];
/** Kinds of problems of a chain, the first part of their ids. */
const OF_CHAINS = ['wallet', 'nonce', 'numbers', 'hashes', 'head'];

/** Rules by a pattern of the problem's id. */
const OF_PROBLEMS = [
  { id: /^keeper\//, kind: 'keeper.not-synced' },
  { id: /^lost\//, kind: 'keeper.lost' },
  { id: /^vanished\//, kind: 'index.vanished' },
  { id: /^wide\//, kind: 'keeper.silent' },
  { id: /^service\//, kind: 'service.failing' },
  { id: /^network\/.*\/failing$/, kind: 'network.failing' },
  { id: /^network\/.*\/callbacks-failing$/, kind: 'network.callbacks-failing' },
  { id: /^network\/.*\/slow$/, kind: 'network.slow' },
  { id: /^wallet\//, kind: 'chain.wallet' },
  { id: /^nonce\//, kind: 'chain.nonce' },
  { id: /^(numbers|hashes)\//, kind: 'chain.random-numbers' },
] as const;

/** Keepers that were last read long ago: what is known of their networks is of then. */
const unreadKeepers = ({ index }: Services): string[] =>
  index.status().flatMap((status) => (isLogFresh(status, index.now()) ? [] : status.keeper));

/** Conditions of networks that may have changed since their keeper was last read. */
export const isOfUnreadKeeper = (subject: string, deps: Services): boolean =>
  unreadKeepers(deps).some(
    (keeper) => subject === `wide/${keeper}` || subject.startsWith(`network/${keeper}/`),
  );

/** A condition that can't be checked now neither begins nor ends. */
export function isUncheckable(
  subject: string,
  { compared }: Pick<ProblemsAnswer, 'compared'>,
  deps: Services,
): boolean {
  const kind = subject.slice(0, subject.indexOf('/'));
  if (kind === 'network' || kind === 'wide') return compared === null || isOfUnreadKeeper(subject, deps);
  if (kind === 'feed') return !areFeedsJudged();
  if (!OF_CHAINS.includes(kind)) return false;
  const [, lane = ''] = /^[a-z]+\/(.+\/\d+)\/[^/]*$/.exec(subject) ?? [];
  return isChainUnknown(lane, deps, kind === 'wallet' || kind === 'nonce' ? 'wallets' : 'providers');
}

/** Events without a result, because what they are about can't be checked now. */
export function uncheckedEvents(
  { compared }: Pick<ProblemsAnswer, 'compared'>,
  deps: Services,
): AlertEvent[] {
  return [
    ...(compared === null || unreadKeepers(deps).length > 0 ? EVENTS_OF_NETWORKS : []),
    ...(hasUnknownChain(deps) ? EVENTS_OF_CHAINS : []),
    ...(deps.settings.watchedFeeds.length > 0 && !areFeedsJudged() ? (['feed.stale'] as const) : []),
  ];
}

/** Conditions of problems that have alerts. */
export function problemConditions(problems: readonly Problem[]): Condition[] {
  return problems.flatMap((problem): Condition[] => {
    const { id, networks, text, href } = problem;
    const kind = OF_PROBLEMS.find((problem) => problem.id.test(id))?.kind;
    if (kind === undefined) return [];
    const [network] = problem.about === '' ? networksFor(networks) : [];
    const networkName = network && clipped(network.name, 60);
    // Keepers with the same fault share a line on screen, but each has an alert of its own.
    return (problem.ofEach ?? [problem]).map(({ id: subject, about, detail, sinceMs }) => {
      const cause = detail === '' ? undefined : detail;
      const facts = { network: network?.networkId, networkName, cause, path: href };
      return { subject, kind, title: `${networkName ?? about}: ${text}`, facts, sinceMs };
    });
  });
}

/** `unjudged`: subjects of frequent failures whose seven days before are not in the index, so they may be new. */
export type FailureConditions = { conditions: readonly Condition[]; unjudged: ReadonlySet<string> };

/**
 * Groups that are not acknowledged, with no request in the seven days before the last 24 h and many in it. Undefined if
 * the query fails.
 */
export async function failureConditions({
  keepers,
  incidents,
}: Services): Promise<FailureConditions | undefined> {
  if (keepers.length === 0) return { conditions: [], unjudged: new Set() };
  const answer = await viewInsights(DEFAULT_INSIGHTS_VIEW, ['failures']);
  if (!answer.ok) return undefined;
  const acknowledged = new Set(incidents.acknowledgements.map(targetKey));
  const frequent = (answer.value.failures?.groups ?? []).filter(
    ({ group, rows }) =>
      rows >= FREQUENT_FAILURES && !acknowledged.has(targetKey({ kind: 'failure', id: group })),
  );
  const unjudged = new Set(
    frequent.filter(({ isNew }) => isNew === null).map(({ group }) => `failure/${group}`),
  );
  const newGroups = frequent.filter(({ isNew }) => isNew === true);
  const conditions = newGroups.map(({ group, rows, firstUs, senders, networks }) => {
    const affected = `${countOf(rows, 'failure')}, ${countOf(senders, 'sender')}, ${countOf(networks.length, 'network')}`;
    const path = formatRequestsUrl({ ...defaultRequestsView(), failures: [group] });
    const identity = { subject: `failure/${group}`, kind: 'failures.new' } as const;
    const sinceMs = Math.floor(firstUs / 1000);
    return { ...identity, title: `New failure: ${clipped(group, 100)}`, sinceMs, facts: { affected, path } };
  });
  return { conditions, unjudged };
}

/** Conditions of feeds, only during the trading hours of their markets. */
export async function feedConditions(deps: Services): Promise<Condition[]> {
  const { watchedFeeds } = deps.settings;
  if (watchedFeeds.length === 0) return [];
  const { ids } = await resolveFeeds(watchedFeeds, async () => cachedFeeds());
  return staleFeeds(deps).flatMap(({ id, symbol, sinceMs, hasHours }): Condition[] => {
    if (!ids.some((watchedId) => watchedId === id)) return [];
    const cause = hasHours ? 'No update during market hours' : 'No update; market hours unknown';
    const facts = { cause, path: `/feeds/${id}` };
    const about = { subject: `feed/${id}`, kind: 'feed.stale', sinceMs } as const;
    return [{ ...about, title: `${clipped(symbol, 60)}: stale`, facts }];
  });
}
