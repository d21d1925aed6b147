import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Engine } from '@/lib/store/engine';
import { openTestEngine } from '@/lib/store/engine-fixture';
import { sql } from '@/lib/store/sql';
import { orphanedRequests } from './evidence';

const HOUR_US = 3_600_000_000;
const DAY_US = 24 * HOUR_US;
const NOW_US = 1_795_000_000_000_000;
const near = { us: HOUR_US, blocks: 15_000 };

let database: Engine;
beforeAll(async () => {
  database = await openTestEngine();
});
afterAll(() => database.close());

type Row = {
  sequence: number;
  state: string;
  tx: string;
  createdUs?: number;
  block?: number | null;
  provider?: string;
  sender?: string;
};

it('a pending row is orphaned by a completed one of its sequence that is near in time and block', async () => {
  const done = (sequence: number, change: Partial<Row> = {}): Row => ({
    sequence,
    state: 'completed',
    tx: '0x02',
    ...change,
  });
  const twins: Row[] = [
    done(1, { createdUs: NOW_US - 60_000_000, block: 8_999_990 }),
    // Before a reset: three hours and 180 days ago.
    done(2, { createdUs: NOW_US - 3 * HOUR_US, block: 1000 }),
    done(3, { createdUs: NOW_US - 180 * DAY_US, block: 1000 }),
    // Near in only one respect, or in none that is known.
    done(4, { createdUs: NOW_US - 180 * DAY_US, block: 9_000_000 }),
    done(5, { block: 1000 }),
    done(6, { block: null }),
    // The limits, both ends included.
    done(7, { createdUs: NOW_US - HOUR_US, block: 9_015_000 }),
    done(8, { createdUs: NOW_US - HOUR_US - 1 }),
    done(9, { block: 8_984_999 }),
    done(10, { state: 'failed' }),
    done(11, { tx: '0x01' }),
    done(12, { provider: '0xff' }),
    done(13, { state: 'callback-failed' }),
    done(14, { sender: '0xef' }),
  ];
  const open = twins.map(({ sequence }): Row => ({ sequence, state: 'pending', tx: '0x01' }));
  await database.write(async (session) => {
    for (const row of [...open, ...twins]) {
      const { sequence, state, tx, createdUs = NOW_US, block = 9_000_000, provider = '0xcd' } = row;
      await session.run(
        sql`insert into requests (id, keeper_id, network_id, chain_name, sequence, sequence64, created_us, state, provider,
           sender, request_tx, request_block, wire, first_seen_us, last_seen_us, visible_us, rev)
         values (gen_random_uuid(), 1, '1', '', ${sequence}, ${sequence}, ${createdUs}, ${state}, ${provider},
           ${row.sender ?? '0xab'}, ${tx}, ${block},
           '{}', 0, 0, 0, 1)`,
      );
    }
  });
  const orphans = await orphanedRequests(database, 1, 100, near);
  expect(orphans.map(({ sequence }) => Number(sequence)).sort((a, b) => a - b)).toEqual([1, 7, 13]);
});
