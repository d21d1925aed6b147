import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDecimal, type ScaledInteger, scaledToNumber } from '@/lib/core/numbers';
import {
  type AlertCondition,
  type AlertEvent,
  type AlertLook,
  type AlertState,
  CLEAR_AFTER_MS,
  judgeAlert,
  QUIET_MS,
  stepAlert,
  UNHEARD,
  WindowExtremes,
} from './feed-alerts';

function num(text: string): ScaledInteger {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`${text} is no number`);
  return value;
}

function look(price: string, conf = '0', more: Partial<AlertLook> = {}): AlertLook {
  return { price: num(price), conf: num(conf), ...more };
}

const above: AlertCondition = { kind: 'above', price: num('100') };

describe('judging', () => {
  it('compares exactly, at any exponent', () => {
    const hair: AlertCondition = { kind: 'above', price: num('1') };
    expect(judgeAlert(hair, look('1.000000000000000001'))).toBe('met');
    expect(judgeAlert(hair, look('1'))).toBe('between');
    expect(judgeAlert({ kind: 'below', price: num('-5') }, look('-5.0000000001'))).toBe('met');
    expect(judgeAlert(above, { price: { mantissa: 2n, expo: 5 }, conf: num('0') })).toBe('met');
  });

  it('holds an alert until the price has come back by its margin', () => {
    expect(judgeAlert(above, look('99.96'))).toBe('between');
    expect(judgeAlert(above, look('99.94'))).toBe('over');
    expect(judgeAlert(above, look('99.7', '0.4'))).toBe('between');
    expect(judgeAlert(above, look('99.4', '90'))).toBe('over');
    expect(judgeAlert({ kind: 'below', price: num('100') }, look('100.04'))).toBe('between');
    expect(judgeAlert({ kind: 'below', price: num('100') }, look('100.06'))).toBe('over');
    expect(judgeAlert({ kind: 'above', price: num('0') }, look('-0.1', '0.2'))).toBe('between');
  });

  it('takes a change from the lowest and from the highest of the window', () => {
    const change: AlertCondition = { kind: 'change', percent: num('1'), windowS: 60 };
    const window = { lowest: num('100'), highest: num('110') };
    expect(judgeAlert(change, look('110', '0', window))).toBe('met');
    expect(judgeAlert(change, look('101', '0', { ...window, highest: num('101') }))).toBe('between');
    expect(judgeAlert(change, look('100.5', '0', { ...window, highest: num('101') }))).toBe('over');
    expect(judgeAlert(change, look('108.8', '0', { ...window, lowest: num('108.8') }))).toBe('met');
    expect(judgeAlert(change, look('108.8'))).toBe('untold');
    const negative = { lowest: num('-110'), highest: num('-100') };
    expect(judgeAlert(change, look('-102', '0', negative))).toBe('met');
  });

  it('measures confidence by the size of the price', () => {
    const wide: AlertCondition = { kind: 'wide', bps: num('10') };
    expect(judgeAlert(wide, look('1000', '1.01'))).toBe('met');
    expect(judgeAlert(wide, look('-1000', '1.01'))).toBe('met');
    expect(judgeAlert(wide, look('1000', '1'))).toBe('between');
    expect(judgeAlert(wide, look('1000', '0.8'))).toBe('over');
    expect(judgeAlert(wide, look('0', '0.1'))).toBe('met');
    expect(judgeAlert(wide, look('0', '0'))).toBe('over');
  });

  it('says nothing of staleness while we are not connected, and a closed market is not stale', () => {
    const stale: AlertCondition = { kind: 'stale' };
    expect(judgeAlert(stale, look('1'))).toBe('untold');
    const word = (currency: AlertLook['currency']) => judgeAlert(stale, look('1', '0', { currency }));
    expect([word('stale'), word('late'), word('fresh'), word('closed')]).toEqual([
      'met',
      'between',
      'over',
      'over',
    ]);
  });
});

/** Steps through prices, one each `everyMs`; gives what happened. */
function run(condition: AlertCondition, prices: readonly string[], everyMs: number, conf = '0') {
  let state: AlertState = UNHEARD;
  const events: (AlertEvent & { atMs: number })[] = [];
  for (const [at, price] of prices.entries()) {
    const nowMs = at * everyMs;
    const step = stepAlert(state, judgeAlert(condition, look(price, conf)), nowMs);
    state = step.state;
    if (step.event !== undefined) events.push({ ...step.event, atMs: nowMs });
  }
  return { state, events };
}

describe('an alert', () => {
  it('is raised at once, and over only after it has been over for a while', () => {
    const { events } = run(above, ['99', '101', ...Array(12).fill('99')], 1_000);
    expect(events).toEqual([
      { kind: 'raised', loud: true, atMs: 1_000 },
      { kind: 'cleared', atMs: 2_000 + CLEAR_AFTER_MS },
    ]);
  });

  it('is shown without a sound where it was so already', () => {
    expect(run(above, ['101', '102'], 1_000).events).toEqual([{ kind: 'raised', atMs: 0 }]);
  });

  it('says nothing twice in a minute', () => {
    const cycle = ['101', '99', '99'];
    const { events } = run(above, ['99', ...cycle, ...cycle, ...cycle, ...cycle], CLEAR_AFTER_MS);
    const loud = events.filter((event) => event.loud).map(({ atMs }) => atMs);
    expect(events.filter(({ kind }) => kind === 'raised')).toHaveLength(4);
    expect(loud).toEqual([10_000, 10_000 + QUIET_MS]);
  });

  it('starts the wait anew when the price comes back', () => {
    const { events } = run(above, ['99', '101', '99', '99', '99.99', '99', '99'], 4_000);
    expect(events.map(({ kind }) => kind)).toEqual(['raised']);
  });

  it('keeps what it was while nothing can be told', () => {
    const raised: AlertState = { phase: 'raised', sinceMs: 1, overSinceMs: 2 };
    expect(stepAlert(raised, 'untold', 60_000)).toEqual({ state: { phase: 'raised', sinceMs: 1 } });
    expect(stepAlert(UNHEARD, 'untold', 1)).toEqual({ state: UNHEARD });
  });

  it('does not flap, however a price wavers about the border', () => {
    const waver = fc.array(fc.integer({ min: -49, max: 49 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(waver, fc.integer({ min: 1, max: 30_000 }), fc.boolean(), (steps, everyMs, isUp) => {
        // Five basis points of 100 are 0.05.
        const prices = steps.map((step) => (100 + step / 1_000).toFixed(3));
        const kind = isUp ? 'above' : 'below';
        const { events } = run({ kind, price: num('100') }, ['99.5', '100.5', ...prices], everyMs);
        const wavering = events.filter(({ atMs }) => atMs >= 2 * everyMs);
        expect(wavering.length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('is never raised sooner after it was over than the wait, and never misses a crossing', () => {
    const prices = fc.array(fc.integer({ min: 90, max: 110 }), { minLength: 2, maxLength: 200 });
    fc.assert(
      fc.property(prices, fc.integer({ min: 1, max: 20_000 }), (values, everyMs) => {
        const { state, events } = run(above, values.map(String), everyMs);
        for (const [at, event] of events.entries()) {
          expect(event.kind).toBe(at % 2 === 0 ? 'raised' : 'cleared');
          const before = events[at - 1];
          if (event.kind === 'cleared') {
            expect(event.atMs - (before?.atMs ?? 0)).toBeGreaterThanOrEqual(CLEAR_AFTER_MS);
          }
        }
        if ((values.at(-1) ?? 0) > 100) expect(state.phase).toBe('raised');
      }),
    );
  });
});

it('knows the lowest and the highest price of the window, whatever came', () => {
  const steps = fc.array(fc.record({ afterMs: fc.nat(500), price: fc.integer({ min: -9, max: 9 }) }), {
    minLength: 1,
    maxLength: 120,
  });
  fc.assert(
    fc.property(steps, fc.nat(3_000), (all, laterMs) => {
      const extremes = new WindowExtremes(1_000);
      const seen: { atMs: number; price: number }[] = [];
      let nowMs = 0;
      for (const { afterMs, price } of all) {
        nowMs += afterMs;
        extremes.add(nowMs, { mantissa: BigInt(price), expo: 0 });
        seen.push({ atMs: nowMs, price });
      }
      nowMs += laterMs;
      const inside = seen.filter(({ atMs }) => atMs >= nowMs - 1_000).map(({ price }) => price);
      const read = extremes.read(nowMs);
      expect(read && [scaledToNumber(read.lowest), scaledToNumber(read.highest)]).toEqual(
        inside.length === 0 ? undefined : [Math.min(...inside), Math.max(...inside)],
      );
    }),
  );
});
