import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { problemMember } from '@/lib/core/problem';
import { settle } from '@/lib/core/timers-fixture';
import { ScriptedBrowser, scriptedUpdate } from './browser-fixtures';
import { pageMoments } from './page-drawing';
import { fillPast, type PastState, sampledMoments, sampleStepS } from './past';
import { FeedStore } from './store';

const A = 'a'.repeat(64);
const MOMENTS = 20;

function stage() {
  const browser = new ScriptedBrowser();
  const store = new FeedStore(browser.deps);
  store.watch([A]);
  const nowS = Math.floor(browser.timers.nowMs / 1000);
  const states: PastState[] = [];
  const gone = new AbortController();
  const fill = async () => {
    const wanted = { ids: [A], spanMs: 300_000, moments: MOMENTS, points: 200 };
    void fillPast(store, wanted, browser.pastDeps, gone.signal, (state) => states.push(state));
    await settle();
  };
  const seconds = () => store.points(A).map(({ update }) => update.publishTimeS - nowS);
  const sampled = () => browser.requested.filter((path) => path.includes('/samples')).length;
  return { browser, nowS, fill, seconds, sampled, states, gone };
}

const samplesAt = (times: readonly number[]) => ({
  samples: times.map((t) => ({ t, feeds: [scriptedUpdate(A, String(t), t, { isBackfilled: true })] })),
});

it('the moments of a window lie on a shared grid, once each, none in the future, and about as many as wanted', () => {
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

describe('the past of a page', () => {
  it('begins with what our server remembers, then adds earlier samples, each requested once', async () => {
    const { browser, nowS, fill, seconds, sampled, states } = stage();
    const agos = [100, 90, 80, 70, 60, 50, 40, 30, 20, 10];
    const updates = agos.map((ago) => scriptedUpdate(A, '1', nowS - ago));
    browser.history = [{ id: A, updates, liveFromS: nowS - 100 }];
    browser.samples = samplesAt;
    await fill();
    expect(browser.requested[0]).toContain(`/history?ids=${A}&from=${nowS - 300}`);
    expect(seconds()[0]).toBeLessThanOrEqual(-280);
    expect(seconds().filter((second) => second > -100)).toEqual(agos.slice(1).map((ago) => -ago));
    expect([states[0]?.kind, states.at(-1)]).toEqual(['loading', { kind: 'complete' }]);
    const before = sampled();
    await fill();
    expect(sampled()).toBe(before);
  });

  it('is loaded from its newest moment back, so that a chart grows from its live end', async () => {
    const { browser, fill } = stage();
    browser.samples = samplesAt;
    await fill();
    const times = browser.requested.flatMap(
      (path) => /times=([\d,]+)/.exec(path)?.[1]?.split(',').map(Number) ?? [],
    );
    expect(times.length).toBeGreaterThan(8);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  it('is sampled every two minutes for an hour, and every quarter of an hour for a day', () => {
    const stepOf = (spanMs: number) => sampleStepS({ spanMs, moments: pageMoments(spanMs) });
    expect([1, 6, 24, 168].map((hours) => stepOf(hours * 3_600_000))).toEqual([120, 300, 900, 7_200]);
  });

  it('has no distance greater than that of samples where live updates begin between two of them', async () => {
    const { browser, nowS, fill, seconds } = stage();
    // The grid of samples has a moment every 30 s.
    const liveAgo = 60 + (nowS % 30) - 28;
    const updates = Array.from({ length: liveAgo }, (_, index) =>
      scriptedUpdate(A, '1', nowS - liveAgo + index),
    );
    browser.history = [{ id: A, updates, liveFromS: nowS - liveAgo }];
    browser.samples = samplesAt;
    await fill();
    const storedSeconds = seconds();
    const distances = storedSeconds.slice(1).map((second, index) => second - (storedSeconds[index] ?? 0));
    expect(Math.max(...distances)).toBeLessThanOrEqual(sampleStepS({ spanMs: 300_000, moments: MOMENTS }));
  });

  it('says why it is incomplete, and resumes until cancelled', async () => {
    const { browser, fill, states, sampled, gone } = stage();
    const failure = { kind: 'rate-limited', detail: 'Wait.', retryAfterS: 3 } as const;
    browser.samples = () => ({ samples: [], problem: problemMember(failure) });
    await fill();
    expect(states.at(-1)).toMatchObject({ kind: 'failed', failure: { detail: 'Wait.' } });
    browser.timers.pass(3_000);
    await settle();
    expect([states.at(-1)?.kind, sampled()]).toEqual(['failed', 2]);
    browser.samples = samplesAt;
    browser.timers.pass(3_000);
    await settle();
    expect(states.at(-1)).toEqual({ kind: 'complete' });
    browser.samples = () => ({ samples: [], problem: problemMember(failure) });
    gone.abort();
    const before = sampled();
    await fill();
    expect(sampled()).toBe(before);
  });
});
