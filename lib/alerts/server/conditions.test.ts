import { afterAll, expect, it } from 'vitest';
import { builtInFeeds } from '@/lib/core/registry';
import { B, scriptedHub } from '@/lib/feeds/server/stream-fixtures';
import { processWide } from '@/lib/platform/process-wide';
import { readSettings } from '@/lib/platform/settings';
import { replaceSettings } from '@/lib/platform/settings-fixture';
import { closeServices, startServices } from '@/lib/services/services';
import { feedConditions } from './conditions';

const hub = processWide<unknown>('feed-hub');

afterAll(async () => {
  hub.set(undefined);
  await closeServices();
  replaceSettings(undefined);
});

it('no alert of a market that is closed, also before a page has loaded the market hours', async () => {
  const share = builtInFeeds().find(({ symbol }) => symbol === 'Equity.US.AAPL/USD') ?? expect.fail();
  const feeds = `${share.symbol},${B}`;
  const settings = readSettings({
    SANDBOX_PORT: '0',
    SANDBOX_RECORDS: '10',
    LOG_LEVEL: 'silent',
    FEEDS: feeds,
  });
  replaceSettings(settings);
  const deps = await startServices(settings);
  processWide('feed-directory').set(undefined);
  const { hub: scripted, prices, timers, opened, watch } = scriptedHub();
  hub.set(scripted);
  const nowS = timers.nowMs / 1000;
  for (const id of [share.id, B]) prices.set(id, [id, 1, nowS, -2, nowS - 1]);
  watch([share.id, B]);
  for (let beat = 0; beat < 20; beat += 1) {
    await timers.advance(15_000);
    opened[0]?.stream.send(':\n\n');
  }
  expect(await feedConditions(deps)).toEqual([]);
  // The market hours are known now. One of the two feeds is not in the directory and has none.
  await expect
    .poll(async () => (await feedConditions(deps)).map(({ title, facts }) => [title, facts.cause]))
    .toEqual([[expect.stringMatching(/^b+…: stale$/), 'No update; market hours unknown']]);
});
