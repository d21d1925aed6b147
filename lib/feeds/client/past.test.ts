import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ScriptedBrowser, scriptedUpdate, settled } from './browser-fixtures';
import { sampledMoments, sampleStepS } from './past';
import { FeedStore } from './store';

const A = 'a'.repeat(64);
const MOMENTS = 20;

function stage() {
  const browser = new ScriptedBrowser();
  const store = new FeedStore(browser.edges);
  store.watch([A]);
  store.resume();
  browser.source.open();
  const nowS = Math.floor(browser.now / 1000);
  const show = (spanMs: number, toMs?: number) =>
    store.past.show({ ids: [A], spanMs, toMs, moments: MOMENTS });
  const seconds = () => store.points(A).map(({ update }) => update.t - nowS);
  const sampled = () => browser.asked.filter((path) => path.includes('/samples')).length;
  return { browser, store, nowS, show, seconds, sampled };
}

const seedsAt = (times: readonly number[]) => ({
  samples: times.map((t) => ({ t, feeds: [scriptedUpdate(A, String(t), t, { f: 1 })] })),
});

describe('the moments of a window', () => {
  it('lie on a grid that all share, each once, none in the future, about as many as wanted', () => {
    const windows = fc.record({
      spanMs: fc.integer({ min: 10_000, max: 604_800_000 }),
      toMs: fc.option(fc.integer({ min: 1e9, max: 2e12 }), { nil: undefined }),
      nowMs: fc.integer({ min: 1e12, max: 2e12 }),
    });
    fc.assert(
      fc.property(windows, ({ nowMs, ...window }) => {
        const wanted = { ...window, moments: MOMENTS };
        const stepS = sampleStepS(wanted);
        const moments = sampledMoments(wanted, nowMs);
        expect(moments.length).toBeLessThanOrEqual(MOMENTS + 2);
        expect(new Set(moments).size).toBe(moments.length);
        expect(moments.every((t) => t % stepS === 0 && t * 1000 < nowMs)).toBe(true);
      }),
    );
  });
});

describe('the past of a page', () => {
  it('is first what our server remembers, then seeds for what is before it', async () => {
    const { browser, nowS, show, seconds, sampled } = stage();
    const remembered = [100, 90, 80, 70, 60, 50, 40, 30, 20, 10].map((ago) =>
      scriptedUpdate(A, '1', nowS - ago),
    );
    browser.history = [{ id: A, updates: remembered, liveFromS: nowS - 100 }];
    browser.samples = seedsAt;
    show(300_000);
    await settled();
    expect(browser.asked[0]).toContain(`/history?ids=${A}&from=${nowS - 300}`);
    expect(seconds()[0]).toBeLessThanOrEqual(-280);
    expect(seconds().filter((second) => second > -100)).toEqual([
      -90, -80, -70, -60, -50, -40, -30, -20, -10,
    ]);
    const before = sampled();
    show(300_000);
    await settled();
    expect(sampled()).toBe(before);
  });

  it('asks for each moment once, and for none where the service has nothing', async () => {
    const { show, sampled } = stage();
    show(300_000);
    await settled();
    expect(sampled()).toBeGreaterThan(0);
    show(60_000);
    await settled();
    const asked = sampled();
    show(300_000);
    await settled();
    expect(sampled()).toBe(asked);
  });

  it('says why it is incomplete, and goes on by itself', async () => {
    const { browser, store, show } = stage();
    browser.samples = () => ({
      samples: [],
      failure: { kind: 'rate-limited', detail: 'Wait.', retryAfterS: 3 },
    });
    show(300_000);
    await settled();
    expect(store.past.state).toMatchObject({ kind: 'failed', failure: { detail: 'Wait.' } });
    browser.samples = seedsAt;
    browser.pass(3_000);
    await settled();
    expect(store.past.state).toEqual({ kind: 'complete' });
  });

  it('is asked for again when the stream comes back, and what was called off is not lost', async () => {
    const { browser, store, nowS, show } = stage();
    const snapshot = (t: number) =>
      browser.source.send('snapshot', {
        feeds: [scriptedUpdate(A, String(t), nowS + t)],
        missing: [],
        connection: { state: 'live', sinceMs: 0 },
      });
    snapshot(0);
    show(300_000);
    await settled();
    browser.asked.length = 0;
    store.pause();
    browser.pass(60_000);
    store.resume();
    browser.source.open();
    snapshot(60);
    await settled();
    expect(browser.asked[0]).toContain('/history?');
    // A question that was called off before its answer is asked again as a whole.
    store.past.show({ ids: [A], spanMs: 600_000, moments: MOMENTS });
    store.pause();
    browser.asked.length = 0;
    store.resume();
    browser.source.open();
    snapshot(61);
    await settled();
    expect(Number(/from=(\d+)/.exec(browser.asked[0] ?? '')?.[1])).toBeLessThan(nowS - 400);
  });
});
