import type { Engine } from './engine';
import { raw, sql } from './sql';

/** Inserts completed requests of keeper 1 inside the database: the newest at `newestUs`, the others `everyUs` apart. */
export function fillRequests(
  engine: Engine,
  count: number,
  newestUs: number,
  everyUs: number,
): Promise<void> {
  const at = sql`${newestUs} - i * cast(${everyUs} as bigint)`;
  const text = raw('md5(cast(i as text)) || md5(cast(-i as text))');
  const wire = sql`'{"user_random_number":"' || ${text} || '","more":"' || repeat(${text}, 8) || '"}'`;
  return engine.write(({ run }) =>
    run(
      sql`insert into requests (id, keeper_id, network_id, chain_name, sequence, created_us, state, request_tx,
          user_random, wire, first_seen_us, last_seen_us, visible_us, rev, sequence64)
        select cast(md5(cast(i as text)) as uuid), 1, '8453', 'base', i, ${at}, 'completed', ${text},
          ${text}, ${wire}, ${newestUs}, ${newestUs}, ${newestUs}, 1, i
        from generate_series(0, ${raw(count - 1)}) as t(i)`,
    ),
  );
}
