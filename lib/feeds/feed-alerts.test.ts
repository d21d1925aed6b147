import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDecimal, type ScaledInteger } from '@/lib/core/numbers';
import {
  type AlertCondition,
  type AlertInput,
  type AlertState,
  type AlertVerdict,
  judgeAlert,
  stepAlert,
  UNJUDGED,
} from './feed-alerts';

function num(text: string): ScaledInteger {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`${text} is no number`);
  return value;
}

const inputOf = (price: string, conf = '0', more: Partial<AlertInput> = {}): AlertInput => ({
  price: num(price),
  conf: num(conf),
  ...more,
});

describe('judging', () => {
  const window = (lowest: string, highest: string) => ({ lowest: num(lowest), highest: num(highest) });
  const change: AlertCondition = { kind: 'change', percent: num('1'), windowS: 60 };
  const wide: AlertCondition = { kind: 'wide', bps: num('10') };
  const above: AlertCondition = { kind: 'above', price: num('100') };
  const cases: [AlertCondition, AlertInput, AlertVerdict | undefined][] = [
    // Exact at any exponent.
    [{ kind: 'above', price: num('1') }, inputOf('1.000000000000000001'), 'met'],
    [{ kind: 'above', price: num('1') }, inputOf('1'), 'between'],
    [{ kind: 'below', price: num('-5') }, inputOf('-5.0000000001'), 'met'],
    [above, { price: { mantissa: 2n, expo: 5 }, conf: num('0') }, 'met'],
    // The alert stays until the price has returned by its margin.
    [above, inputOf('99.96'), 'between'],
    [above, inputOf('99.94'), 'over'],
    [above, inputOf('99.7', '0.4'), 'between'],
    [above, inputOf('99.4', '90'), 'over'],
    [{ kind: 'below', price: num('100') }, inputOf('100.04'), 'between'],
    [{ kind: 'below', price: num('100') }, inputOf('100.06'), 'over'],
    [{ kind: 'above', price: num('0') }, inputOf('-0.1', '0.2'), 'between'],
    // Counted from the lowest and from the highest price of the window.
    [change, inputOf('101.1', '0', window('100', '101.1')), 'met'],
    [change, inputOf('101', '0', window('100', '101')), 'between'],
    [change, inputOf('100.5', '0', window('100', '101')), 'over'],
    [change, inputOf('108.8', '0', window('108.8', '110')), 'met'],
    [change, inputOf('-102', '0', window('-110', '-100')), 'met'],
    [change, inputOf('108.8'), undefined],
    // The size of the price counts, without its sign.
    [wide, inputOf('-1000', '1.01'), 'met'],
    [wide, inputOf('1000', '1'), 'between'],
    [wide, inputOf('1000', '0.8'), 'over'],
    [wide, inputOf('0', '0.1'), 'met'],
    [wide, inputOf('0', '0'), 'over'],
    // A closed market is not stale. While disconnected, staleness is unknown.
    [{ kind: 'stale' }, inputOf('1'), undefined],
    [{ kind: 'stale' }, inputOf('1', '0', { currency: 'stale' }), 'met'],
    [{ kind: 'stale' }, inputOf('1', '0', { currency: 'late' }), 'between'],
    [{ kind: 'stale' }, inputOf('1', '0', { currency: 'closed' }), 'over'],
  ];

  it.each(cases)('%o', (condition, seen, expected) => {
    expect(judgeAlert(condition, seen)).toBe(expected);
  });
});

/** Verdicts come every `everyMs`. */
function run(verdicts: readonly boolean[], everyMs: number) {
  let state: AlertState = UNJUDGED;
  const events: { kind: 'raised' | 'cleared'; loud: boolean; atMs: number }[] = [];
  for (const [at, met] of verdicts.entries()) {
    const wasRaised = state.phase === 'raised';
    const atMs = at * everyMs;
    state = stepAlert(state, met ? 'met' : 'over', atMs);
    const isRaised = state.phase === 'raised';
    if (isRaised !== wasRaised)
      events.push({ kind: isRaised ? 'raised' : 'cleared', loud: state.notifiedMs === atMs, atMs });
  }
  return { state, events };
}

describe('an alert', () => {
  it('is raised at once, and ends only after its condition has been over for a while', () => {
    expect(run([false, true, ...Array(12).fill(false)], 1_000).events).toEqual([
      { kind: 'raised', loud: true, atMs: 1_000 },
      { kind: 'cleared', loud: false, atMs: 2_000 + 10_000 },
    ]);
  });

  it('is silent when the condition was already met, and never notifies twice in a minute', () => {
    expect(run([true, true], 1_000).events).toEqual([{ kind: 'raised', loud: false, atMs: 0 }]);
    const cycle = [true, false, false];
    const { events } = run([false, ...cycle, ...cycle, ...cycle, ...cycle], 10_000);
    expect(events.filter(({ kind }) => kind === 'raised')).toHaveLength(4);
    expect(events.filter(({ loud }) => loud).map(({ atMs }) => atMs)).toEqual([10_000, 10_000 + 60_000]);
  });

  it('keeps its state while the condition is unknown', () => {
    const raised: AlertState = { phase: 'raised', sinceMs: 1, overSinceMs: 2 };
    expect(stepAlert(raised, undefined, 60_000)).toEqual({ phase: 'raised', sinceMs: 1 });
    expect(stepAlert(UNJUDGED, undefined, 1)).toEqual(UNJUDGED);
  });

  it('does not flap, and never misses a crossing', () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { minLength: 2, maxLength: 200 }),
        fc.integer({ min: 1, max: 20_000 }),
        (verdicts, everyMs) => {
          const { state, events } = run(verdicts, everyMs);
          for (const [at, event] of events.entries()) {
            expect(event.kind).toBe(at % 2 === 0 ? 'raised' : 'cleared');
            if (event.kind === 'cleared')
              expect(event.atMs - (events[at - 1]?.atMs ?? 0)).toBeGreaterThanOrEqual(10_000);
          }
          if (verdicts.at(-1) === true) expect(state.phase).toBe('raised');
        },
      ),
    );
  });
});
