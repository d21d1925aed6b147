import 'server-only';
import { DAY_US } from '@/lib/core/time';
import type { Reader } from '@/lib/store/engine';
import { raw, sql, sqlList } from '@/lib/store/sql';
import type { NetworkKey } from './insights';

/** A request that waited long. Blocks are rounded to doubles. */
export type LongWait = NetworkKey & {
  provider: string | null;
  createdUs: number;
  /** Null while it is pending. */
  durationUs: number | null;
  block: number | null;
  /** From the block of the request to that of the reveal. */
  blocks: number | null;
};

type Chosen = { keeperIds: readonly number[]; networks: readonly string[]; minUs: number; limit: number };

/** Requests that waited longer than `minUs`, created within the span or in the day before it; newest first. */
export function longWaits(
  from: Reader,
  { keeperIds, networks, minUs, limit }: Chosen,
  { fromUs, toUs }: { fromUs: number; toUs: number },
): Promise<LongWait[]> {
  const ofNetworks = networks.length === 0 ? raw('') : sql`and network_id in ${sqlList(networks)}`;
  return from.all(
    sql`select keeper_id as "keeperId", network_id as "networkId", provider, created_us as "createdUs",
       case when state <> 'pending' then duration_us end as "durationUs",
       cast(request_block as double precision) as block,
       cast(reveal_block as double precision) - cast(request_block as double precision) as blocks
     from requests
     where keeper_id in ${sqlList(keeperIds)} ${ofNetworks}
       and created_us between ${fromUs - DAY_US} and ${toUs}
       and ((state in ('completed', 'callback-failed', 'failed') and duration_us > ${minUs})
         or (state = 'pending' and gone_us is null))
     order by created_us desc limit ${raw(limit)}`,
  );
}
