import { formatSpan } from '@/lib/core/time';
import { MIN_GAP_MS, MIN_REVEALS, WARNING_DAYS } from '@/lib/onchain/network-state';

/**
 * A rule, identified by the event of its message. `holdMs` is the time for which the condition must last before a
 * message is sent.
 */
type AlertRule = { event: string; name: string; when: string; holdMs: number; needs: AlertNeed };

/** Configuration that a rule needs in addition to the webhook. */
type AlertNeed = 'keepers' | 'services' | 'feeds' | 'chains';

const NOT_SYNCED_MS = 120_000;
const FAILING_MS = 300_000;
const CHAIN_MS = 120_000;
/** Number of requests in 24 hours from which a failure group is frequent. */
export const FREQUENT_FAILURES = 10;

const INCIDENT = { holdMs: 0, needs: 'keepers' } as const;

export const ALERT_RULES = [
  {
    ...INCIDENT,
    event: 'incident.opened',
    name: 'Incident opened',
    when: 'Requests are stuck for one cause, or a network goes quiet',
  },
  {
    ...INCIDENT,
    event: 'incident.grew',
    name: 'Incident grew',
    when: 'Twice as many requests as at the last alert',
  },
  {
    ...INCIDENT,
    event: 'incident.closed',
    name: 'Incident closed',
    when: 'Its requests are finished, gone from the keeper’s log, or stuck for another cause',
  },
  {
    event: 'keeper.not-synced',
    name: 'Keeper not synced',
    when: `Its log can’t be read for ${formatSpan(NOT_SYNCED_MS)}`,
    holdMs: NOT_SYNCED_MS,
    needs: 'keepers',
  },
  {
    event: 'keeper.lost',
    name: 'Keeper lost its log',
    when: 'It answers far fewer requests than it had served',
    holdMs: 0,
    needs: 'keepers',
  },
  {
    event: 'index.vanished',
    name: 'Index lost rows',
    when: 'Rows are missing from the index itself: its database was damaged or partly restored',
    holdMs: 0,
    needs: 'keepers',
  },
  {
    event: 'keeper.silent',
    name: 'Keeper silent',
    when: 'Nothing comes, or nothing completes, on three networks or more at once',
    holdMs: 0,
    needs: 'keepers',
  },
  {
    event: 'service.failing',
    name: 'Service failing',
    when: `Calls to a service fail for ${formatSpan(FAILING_MS)}`,
    holdMs: FAILING_MS,
    needs: 'services',
  },
  {
    event: 'network.failing',
    name: 'Requests failing',
    when: `Far more requests of an hour than usual fail on a network, for ${formatSpan(FAILING_MS)}`,
    holdMs: FAILING_MS,
    needs: 'keepers',
  },
  {
    event: 'network.callbacks-failing',
    name: 'Callbacks failing',
    when: `Far more callbacks of an hour than usual fail on a network, for ${formatSpan(FAILING_MS)}`,
    holdMs: FAILING_MS,
    needs: 'keepers',
  },
  {
    event: 'chain.wallet',
    name: 'Wallet low',
    when: `A keeper’s wallet lasts less than ${WARNING_DAYS} days, or can’t pay for ${MIN_REVEALS} reveals`,
    holdMs: CHAIN_MS,
    needs: 'chains',
  },
  {
    event: 'chain.nonce',
    name: 'Transactions hang',
    when: `Transactions of a keeper’s wallet are sent and not mined for ${formatSpan(MIN_GAP_MS)}`,
    holdMs: 0,
    needs: 'chains',
  },
  {
    event: 'chain.random-numbers',
    name: 'Random numbers low',
    when: `Random numbers last less than ${WARNING_DAYS} days, or every new request reverts`,
    holdMs: CHAIN_MS,
    needs: 'chains',
  },
  {
    event: 'failures.new',
    name: 'New failure',
    when: `A failure with none in seven days has ${FREQUENT_FAILURES} requests or more in 24 h`,
    holdMs: 0,
    needs: 'keepers',
  },
  {
    event: 'feed.stale',
    name: 'Feed stale',
    when: 'A configured feed has no update while its market is open',
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

/** Time for which the condition must last before a message is sent, milliseconds. */
export function holdMsOf(event: AlertEvent): number {
  return ALERT_RULES.find((rule) => rule.event === event)?.holdMs ?? 0;
}
