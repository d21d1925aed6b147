import 'server-only';
import type { Reader } from '@/lib/store/engine';
import { sql, sqlList } from '@/lib/store/sql';

/** Reveals of a keeper by its log: gas and pace. Times are unix microseconds. */

const REVEALED = sql`state in ('completed', 'callback-failed') and reveal_tx is not null`;

type Lane = { keeperId: number; networkId: string };

/** `tx` and `provider` are lower case. */
export type LastReveal = Lane & { tx: string; provider: string | null };

/** The last reveals, at most `count` for each keeper and network. */
export function lastReveals(
  from: Reader,
  networkIds: readonly string[],
  sinceUs: number,
  count: number,
): Promise<LastReveal[]> {
  return from.all(
    sql`select keeper_id as "keeperId", network_id as "networkId", reveal_tx as tx, provider from (
      select keeper_id, network_id, reveal_tx, provider,
        row_number() over (partition by keeper_id, network_id order by created_us desc) as place
      from requests where network_id in ${sqlList(networkIds)} and created_us >= ${sinceUs} and ${REVEALED}
    ) as newest where place <= ${count} order by place`,
  );
}

/**
 * `gas`: mean of the reveals that tell a plausible one, whole units; null if none does. `oldestUs`: creation of the
 * oldest request.
 */
export type RevealGas = Lane & { gas: number | null; reveals: number; oldestUs: number };

/** More than any block holds: a log that names it is wrong. */
const MAX_GAS = 1_000_000_000;

export function revealGas(
  from: Reader,
  networkIds: readonly string[],
  sinceUs: number,
): Promise<RevealGas[]> {
  return from.all(
    sql`select keeper_id as "keeperId", network_id as "networkId", cast(ceil(avg(case when gas_used <= ${MAX_GAS} then gas_used end)) as bigint) as gas,
      count(*) as reveals, min(created_us) as "oldestUs"
    from requests where network_id in ${sqlList(networkIds)} and created_us >= ${sinceUs} and ${REVEALED}
    group by keeper_id, network_id`,
  );
}

export type ProviderRequests = Lane & { provider: string; requests: number; oldestUs: number };

export function providerRequests(
  from: Reader,
  networkIds: readonly string[],
  sinceUs: number,
): Promise<ProviderRequests[]> {
  return from.all(
    sql`select keeper_id as "keeperId", network_id as "networkId", provider, count(*) as requests,
      min(created_us) as "oldestUs"
    from requests where network_id in ${sqlList(networkIds)} and created_us >= ${sinceUs} and provider is not null
    group by keeper_id, network_id, provider`,
  );
}
