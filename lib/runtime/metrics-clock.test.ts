import { afterEach, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '@/lib/core/time';
import { configure } from '@/lib/gateway/gateway-harness';
import { closeServices, services } from '@/lib/services/services';
import { FakeKeeper } from '@/lib/store/sync/keeper-fixture';
import { replyWithMetrics } from './metrics-on-scrape';

let keeper: FakeKeeper | undefined;
afterEach(async () => {
  await closeServices();
  await keeper?.stop();
});

test.each([-HOUR_MS, HOUR_MS])(
  'the time of the last check is by our clock, whatever the keeper’s is (%i ms)',
  async (aheadMs) => {
    const fakeKeeper = await new FakeKeeper(() => Date.now() + aheadMs).start();
    keeper = fakeKeeper;
    fakeKeeper.add(fakeKeeper.nowMs() - 5000, 'pending');
    await configure({ LOGS_URL: fakeKeeper.url, LOGS_CALLS_PER_S: '100' });
    services().sync.start();
    await services().sync.caughtUp();
    const text = await (await replyWithMetrics(new Request('http://localhost/api/metrics'))).text();
    const [, seconds] = /^keeperscope_log_checked_timestamp_seconds\{.*\} (\S+)$/m.exec(text) ?? [];
    expect(Math.abs(Number(seconds) * 1000 - Date.now())).toBeLessThan(MINUTE_MS);
  },
);
