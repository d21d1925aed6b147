import { formatSpan } from '@/lib/core/time';
import { MIN_GAP_MS, MIN_REVEALS, WARNING_DAYS } from '@/lib/onchain/network-state';

/**
 * Identified by `event`. `threshold` is absent if it depends on the kind of the anomaly (`lib/insights`). `holdMs`:
 * how long the condition must last before a message.
 */
type AlertRule = {
  event: string;
  group: 'Requests' | 'Networks' | 'Keepers' | 'Chains' | 'Services and feeds';
  name: string;
  when: string;
  threshold?: string;
  /** Settings that change the threshold; without them, it is fixed. */
  setting?: string;
  holdMs: number;
  needs: AlertNeed;
};

/** Settings that a rule needs besides the webhook. */
type AlertNeed = 'keepers' | 'services' | 'feeds' | 'chains';

const NOT_SYNCED_MS = 120_000;
const FAILING_MS = 300_000;
const CHAIN_MS = 120_000;
/** Requests in 24 hours that make a failure group frequent. */
export const FREQUENT_FAILURES = 10;

const OF_REQUESTS = { group: 'Requests', holdMs: 0, needs: 'keepers' } as const;
const OF_NETWORK = { group: 'Networks', holdMs: FAILING_MS, needs: 'keepers' } as const;
const OF_KEEPER = { group: 'Keepers', holdMs: 0, needs: 'keepers' } as const;
const OF_CHAIN = { group: 'Chains', holdMs: CHAIN_MS, needs: 'chains' } as const;
const OF_SERVICES = { group: 'Services and feeds' } as const;

/** Rules by group, in the order of the page. */
export const ALERT_RULES = [
  {
    ...OF_REQUESTS,
    event: 'incident.opened',
    name: 'Incident opened',
    when: 'Requests are stuck for one cause, or a network goes quiet',
    threshold:
      '3 stuck, 2 of one transaction, or silent for 7 usual intervals, at least 10 min (from 50 requests a day on)',
    setting: 'Stuck: PENDING_RETRY_S, NETWORKS_FILE',
  },
  {
    ...OF_REQUESTS,
    event: 'incident.grew',
    name: 'Incident grew',
    when: 'More of its requests are stuck',
    threshold: 'Twice as many as at the last alert',
  },
  {
    ...OF_REQUESTS,
    event: 'incident.closed',
    name: 'Incident closed',
    when: 'Its requests are finished, gone from the keeper’s log, or stuck for another cause',
    threshold: 'Over for 2 min',
  },
  {
    ...OF_REQUESTS,
    event: 'failures.new',
    name: 'New failure',
    when: 'A failure appears with none in the seven days before',
    threshold: `${FREQUENT_FAILURES} requests in 24 h`,
  },
  {
    ...OF_NETWORK,
    event: 'network.failing',
    name: 'Requests failing',
    when: 'Far more requests of an hour fail than usual',
  },
  {
    ...OF_NETWORK,
    event: 'network.callbacks-failing',
    name: 'Callbacks failing',
    when: 'Far more callbacks of an hour fail than usual',
  },
  {
    ...OF_NETWORK,
    event: 'network.slow',
    name: 'Network slow',
    when: 'Callbacks of an hour take far longer than usual',
  },
  {
    ...OF_KEEPER,
    event: 'keeper.not-synced',
    name: 'Keeper not synced',
    when: 'Its log can’t be read',
    threshold: 'No sync',
    holdMs: NOT_SYNCED_MS,
  },
  {
    ...OF_KEEPER,
    event: 'keeper.silent',
    name: 'Keeper silent',
    when: 'Nothing comes, or nothing completes',
    threshold: '3 networks at once',
  },
  {
    ...OF_KEEPER,
    event: 'keeper.lost',
    name: 'Keeper lost its log',
    when: 'It answers far fewer requests than it had served',
    threshold: '100 missing, or half of a small log',
  },
  {
    ...OF_KEEPER,
    event: 'index.vanished',
    name: 'Index lost rows',
    when: 'Rows are missing from the index itself: its database was damaged or partly restored',
    threshold: '1 row missing',
  },
  {
    ...OF_CHAIN,
    event: 'chain.wallet',
    name: 'Wallet low',
    when: 'The balance of a keeper’s wallet runs out',
    threshold: `${WARNING_DAYS} days, or ${MIN_REVEALS} reveals`,
  },
  {
    ...OF_CHAIN,
    event: 'chain.nonce',
    name: 'Transactions hang',
    when: 'Transactions of a keeper’s wallet are sent and not mined',
    threshold: `Oldest ${formatSpan(MIN_GAP_MS)} old`,
    holdMs: 0,
  },
  {
    ...OF_CHAIN,
    event: 'chain.random-numbers',
    name: 'Random numbers low',
    when: 'Random numbers of a provider run out, or every new request reverts',
    threshold: `${WARNING_DAYS} days`,
  },
  {
    ...OF_SERVICES,
    event: 'service.failing',
    name: 'Service failing',
    when: 'Calls to a service fail',
    threshold: 'No call succeeds, or no stream opens',
    holdMs: FAILING_MS,
    needs: 'services',
  },
  {
    ...OF_SERVICES,
    event: 'feed.stale',
    name: 'Feed stale',
    when: 'A feed of FEEDS has no update while its market is open',
    threshold: 'FEED_STALE_S or 10 usual pauses, whichever is longer',
    holdMs: 0,
    needs: 'feeds',
  },
] as const satisfies readonly AlertRule[];

export type AlertEvent = (typeof ALERT_RULES)[number]['event'];

const NAMES: ReadonlyMap<string, string> = new Map([
  ...ALERT_RULES.map(({ event, name }) => [event, name] as const),
  ['test', 'Test'],
]);

/** `incident.opened` → `Incident opened`. */
export const eventName = (event: string): string => NAMES.get(event) ?? event;

/** @param sinceMs null if unknown */
export function isDue(event: AlertEvent, sinceMs: number | null, nowMs: number): boolean {
  return sinceMs === null || nowMs - sinceMs >= holdMsOf(event);
}

export function holdMsOf(event: AlertEvent): number {
  return ALERT_RULES.find((rule) => rule.event === event)?.holdMs ?? 0;
}
