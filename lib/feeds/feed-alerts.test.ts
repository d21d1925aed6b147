import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDecimal, type ScaledInteger } from '@/lib/core/numbers';
import {
  type AlertCondition,
  type AlertEvent,
  type AlertLook,
  type AlertState,
  CLEAR_AFTER_MS,
  isMet,
  QUIET_MS,
  stepAlert,
  UNHEARD,
} from './feed-alerts';

function num(text: string): ScaledInteger {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`${text} is no number`);
  return value;
}

const look = (price: string, conf = '0', more: Partial<AlertLook> = {}): AlertLook => ({
  price: num(price),
  conf: num(conf),
  ...more,
});

describe('judging', () => {
  const window = (lowest: string, highest: string) => ({ lowest: num(lowest), highest: num(highest) });
  const change: AlertCondition = { kind: 'change', percent: num('1'), windowS: 60 };
  const wide: AlertCondition = { kind: 'wide', bps: num('10') };
  const cases: [AlertCondition, AlertLook, boolean | undefined][] = [
    // Exactly, at any exponent.
    [{ kind: 'above', price: num('1') }, look('1.000000000000000001'), true],
    [{ kind: 'above', price: num('1') }, look('1'), false],
    [{ kind: 'below', price: num('-5') }, look('-5.0000000001'), true],
    [{ kind: 'above', price: num('100') }, { price: { mantissa: 2n, expo: 5 }, conf: num('0') }, true],
    // From the lowest and from the highest of the window.
    [change, look('101.1', '0', window('100', '101.1')), true],
    [change, look('101', '0', window('100', '101')), false],
    [change, look('108.8', '0', window('108.8', '110')), true],
    [change, look('-102', '0', window('-110', '-100')), true],
    [change, look('108.8'), undefined],
    // By the size of the price.
    [wide, look('-1000', '1.01'), true],
    [wide, look('1000', '1'), false],
    [wide, look('0', '0.1'), true],
    [wide, look('0', '0'), false],
    // A closed market is not stale, and while we are not connected nobody can say.
    [{ kind: 'stale' }, look('1'), undefined],
    [{ kind: 'stale' }, look('1', '0', { currency: 'stale' }), true],
    [{ kind: 'stale' }, look('1', '0', { currency: 'closed' }), false],
  ];

  it.each(cases)('%o', (condition, seen, expected) => {
    expect(isMet(condition, seen)).toBe(expected);
  });
});

/** Steps through verdicts, one each `everyMs`; gives what happened. */
function run(verdicts: readonly boolean[], everyMs: number) {
  let state: AlertState = UNHEARD;
  const events: (AlertEvent & { atMs: number })[] = [];
  for (const [at, met] of verdicts.entries()) {
    const step = stepAlert(state, met, at * everyMs);
    state = step.state;
    if (step.event !== undefined) events.push({ ...step.event, atMs: at * everyMs });
  }
  return { state, events };
}

describe('an alert', () => {
  it('is raised at once, and over only after it has been over for a while', () => {
    expect(run([false, true, ...Array(12).fill(false)], 1_000).events).toEqual([
      { kind: 'raised', loud: true, atMs: 1_000 },
      { kind: 'cleared', atMs: 2_000 + CLEAR_AFTER_MS },
    ]);
  });

  it('is shown without a sound where it was so already, and says nothing twice in a minute', () => {
    expect(run([true, true], 1_000).events).toEqual([{ kind: 'raised', loud: false, atMs: 0 }]);
    const cycle = [true, false, false];
    const { events } = run([false, ...cycle, ...cycle, ...cycle, ...cycle], CLEAR_AFTER_MS);
    expect(events.filter(({ kind }) => kind === 'raised')).toHaveLength(4);
    expect(events.filter(({ loud }) => loud).map(({ atMs }) => atMs)).toEqual([10_000, 10_000 + QUIET_MS]);
  });

  it('keeps what it was while nothing can be told', () => {
    const raised: AlertState = { phase: 'raised', sinceMs: 1, overSinceMs: 2 };
    expect(stepAlert(raised, undefined, 60_000).state).toEqual({ phase: 'raised', sinceMs: 1 });
    expect(stepAlert(UNHEARD, undefined, 1)).toEqual({ state: UNHEARD });
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
              expect(event.atMs - (events[at - 1]?.atMs ?? 0)).toBeGreaterThanOrEqual(CLEAR_AFTER_MS);
          }
          if (verdicts.at(-1) === true) expect(state.phase).toBe('raised');
        },
      ),
    );
  });
});
