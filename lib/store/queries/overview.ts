import 'server-only';
import type { Engine } from '@/lib/store/engine';

/** How many rows of a keeper are in a state (in our words). */
export type StateTotal = { keeperId: number; state: string; rows: number };

/** The rows of each keeper that were created since then, by state. @param sinceUs unix microseconds */
export function statesSince(engine: Engine, sinceUs: number): Promise<StateTotal[]> {
  return engine.all<StateTotal>(
    `select keeper_id as "keeperId", state, count(*) as rows from requests
     where created_us >= $1 group by keeper_id, state`,
    [sinceUs],
  );
}
