import { describe, expect, it } from 'vitest';
import { type AlertCondition, judgeAlert } from '@/lib/feeds/feed-alerts';
import { alertInputOf } from './alert-input';
import { ScriptedBrowser, scriptedUpdate } from './browser-fixtures';
import { FeedStore } from './store';

const A = 'a'.repeat(64);
const S = 1_000_000_000;
const STALE: AlertCondition = { kind: 'stale' };
const ABOVE: AlertCondition = { kind: 'above', price: { mantissa: 5n, expo: 0 } };

function stage() {
  const browser = new ScriptedBrowser();
  const store = new FeedStore(browser.deps);
  store.watch([A]);
  store.setPaused(false);
  const emit = (name: string, value: unknown) => {
    browser.source.send(name, value);
    browser.paint();
  };
  const beat = () => emit('heartbeat', { nowMs: browser.timers.nowMs });
  emit('snapshot', {
    feeds: [scriptedUpdate(A, '100', S)],
    missing: [],
    connection: { state: 'live', sinceMs: 0 },
  });
  type Market = Parameters<typeof alertInputOf>[2]['market'];
  const verdict = (condition = STALE, market: Market = undefined) => {
    const floors = { lateS: 2, staleS: 4 };
    const seen = alertInputOf(
      store,
      { feedId: A, condition },
      { nowMs: browser.timers.nowMs, floors, market },
    );
    return seen && judgeAlert(condition, seen);
  };
  return { browser, emit, beat, verdict };
}

describe('the input by which an alert is judged', () => {
  it('a feed is stale where the stream goes on without it', () => {
    const { browser, beat, verdict } = stage();
    browser.timers.pass(15_000);
    beat();
    expect(verdict()).toBe('met');
  });

  it('no feed is stale while its stream carries nothing or is reconnecting', () => {
    const { browser, verdict } = stage();
    browser.timers.pass(25_000);
    browser.paint();
    expect(verdict()).toBe('over');
    browser.timers.pass(100_000);
    browser.paint();
    expect(verdict()).toBeUndefined();
  });

  it('no price is judged while its stream is down: a price of hours ago triggers nothing', () => {
    const { browser, verdict } = stage();
    expect(verdict(ABOVE)).toBe('over');
    browser.timers.pass(125_000);
    browser.paint();
    expect(verdict(ABOVE)).toBeUndefined();
  });

  it('no feed is stale while its market is closed, or its schedule is not known yet', () => {
    const { browser, beat, verdict } = stage();
    browser.timers.pass(15_000);
    beat();
    expect(verdict(STALE, { schedule: 'Etc/UTC;C,C,C,C,C,C,C;' })).toBe('over');
    expect(verdict(STALE, 'unknown')).toBeUndefined();
  });

  it('a change within a window begins with a price in force in that window, not with one of the evening before', () => {
    const { browser, emit, verdict } = stage();
    const moved: AlertCondition = { kind: 'change', percent: { mantissa: 3n, expo: 0 }, windowS: 300 };
    const publish = (price: string, prevPublishTimeS: number) => {
      const atS = browser.timers.nowMs / 1000;
      emit('connection', { state: 'live', sinceMs: browser.timers.nowMs });
      emit('update', { feeds: [scriptedUpdate(A, price, atS, { prevPublishTimeS })] });
      return verdict(moved);
    };
    browser.timers.pass(12 * 3_600_000);
    // The price is 5% higher now, and the updates in between were not received.
    expect(publish('105', S + 12 * 3600 - 1)).toBe('over');
    browser.timers.pass(400_000);
    // Nothing was published between these two updates, so the first price was in force all the time.
    expect(publish('110', S + 12 * 3600)).toBe('met');
  });

  it('a price with an impossible publish time is not judged', () => {
    const { browser, emit, verdict } = stage();
    expect(verdict(ABOVE)).toBe('over');
    emit('snapshot', { feeds: [], missing: [], connection: { state: 'live', sinceMs: 0 } });
    const other = new FeedStore(browser.deps, [scriptedUpdate(A, '900', S, { misdating: 'ahead' })]);
    other.watch([A]);
    const judged = { nowMs: browser.timers.nowMs, floors: { lateS: 5, staleS: 60 }, market: undefined };
    expect(alertInputOf(other, { feedId: A, condition: ABOVE }, judged)).toBeUndefined();
  });
});
