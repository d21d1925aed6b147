import { expect, it } from 'vitest';
import { eventually, expectSynced, fillKeeper, START_MS, syncBench } from './sync-harness';

const bench = syncBench();

it('open rows get their outcome, long pending and failed ones alike, or are marked as gone', async () => {
  const { keeper, start } = await bench(50);
  fillKeeper(keeper, 3000, 5000);
  const pending = [1, 2, 3, 400, 900].map((n) => keeper.add(START_MS - n * 3_000_000, 'pending'));
  for (let n = 0; n < 20; n += 1) pending.push(keeper.add(START_MS - 4_000_000 - n * 1000, 'pending'));
  const failed = keeper.add(START_MS - 1_200_000, 'failed');
  const index = await start();
  await index.sync.caughtUp();
  await expectSynced(index, keeper);
  for (const row of pending.slice(2)) row.state = 'completed';
  failed.state = 'completed';
  keeper.rows = keeper.rows.filter((row) => row !== pending[1]);
  await eventually(() => expectSynced(index, keeper));
  expect(index.store.status()[0]).toMatchObject({ failure: null });
});
