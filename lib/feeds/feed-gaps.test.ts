import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { feedGaps, gapCountWords, gapWords, type TickTimes } from './feed-gaps';

const rules = { silentAfterS: 5 };

const tick = (t: number, pp?: number): TickTimes => ({ t, pp });

/** What a feed published in these seconds, each with what the service says of the one before. */
function published(seconds: readonly number[]): TickTimes[] {
  return seconds.map((t, at) => tick(t, seconds[at - 1] ?? t - 1));
}

/** A feed that pauses for 0 (the same second) up to 20 seconds, and which of its updates came through. */
const anyRun = fc
  .array(fc.record({ pauseS: fc.constantFrom(0, 0, 1, 1, 2, 4, 9, 20), came: fc.boolean() }), {
    minLength: 2,
    maxLength: 80,
  })
  .map((steps) => {
    let nowS = 1_000;
    const seconds = steps.map(({ pauseS }) => {
      nowS += pauseS;
      return nowS;
    });
    const all = published(seconds);
    return { all, received: all.filter((_, at) => steps[at]?.came) };
  });

describe('attribution of gaps', () => {
  it('names us where the service published after the last update we have', () => {
    expect(feedGaps([tick(100, 99), tick(110, 109)], rules)).toEqual([
      { kind: 'missed', fromS: 100, untilS: 109 },
    ]);
  });

  it('names the feed where the update before is the one we have', () => {
    expect(feedGaps([tick(100, 99), tick(110, 100)], rules)).toEqual([
      { kind: 'silent', fromS: 100, untilS: 110 },
    ]);
  });

  it('parts one pause between both', () => {
    expect(feedGaps([tick(100, 99), tick(130, 104)], rules)).toEqual([
      { kind: 'missed', fromS: 100, untilS: 104 },
      { kind: 'silent', fromS: 104, untilS: 130 },
    ]);
  });

  it('names us where an earlier update of the same second is not there', () => {
    expect(feedGaps([tick(100, 99), tick(110, 110)], rules)).toEqual([
      { kind: 'missed', fromS: 100, untilS: 110 },
    ]);
    expect(feedGaps([tick(100, 99), tick(101, 101)], rules)).toEqual([]);
  });

  it('does not guess where the service does not say when it published before', () => {
    expect(feedGaps([tick(100), tick(110)], rules)).toEqual([{ kind: 'untold', fromS: 100, untilS: 110 }]);
    expect(feedGaps([tick(100), tick(104)], rules)).toEqual([]);
    expect(feedGaps([tick(100), tick(110, 400)], rules)).toEqual([
      { kind: 'untold', fromS: 100, untilS: 110 },
    ]);
  });

  it('calls the live edge silent while we are connected, and untold while we are not', () => {
    const ticks = [tick(100, 99)];
    const edge = { nowS: 120, link: 'up' } as const;
    expect(feedGaps(ticks, { ...rules, edge })).toEqual([
      { kind: 'silent', fromS: 100, untilS: 120, isOpen: true },
    ]);
    expect(feedGaps(ticks, { ...rules, edge: { ...edge, link: 'down' } })[0]?.kind).toBe('untold');
    expect(feedGaps(ticks, { ...rules, edge: { ...edge, nowS: 105 } })).toEqual([]);
  });

  it('leaves out an update that is older than the one before it', () => {
    expect(feedGaps([tick(100, 99), tick(90, 89), tick(101, 100)], rules)).toEqual([]);
    expect(feedGaps([], rules)).toEqual([]);
  });
});

describe('gaps of any feed', () => {
  it('covers every second of which all updates were missed', () => {
    fc.assert(
      fc.property(anyRun, ({ all, received }) => {
        const gaps = feedGaps(received, rules).filter(({ kind }) => kind === 'missed');
        const have = new Set(received.map(({ t }) => t));
        const [first, last] = [received[0]?.t ?? 0, received.at(-1)?.t ?? 0];
        for (const { t: publishS } of all) {
          if (have.has(publishS) || publishS < first || publishS > last) continue;
          expect(gaps.some(({ fromS, untilS }) => fromS < publishS && publishS <= untilS)).toBe(true);
        }
      }),
    );
  });

  it('accuses us only where an update is missing, and the feed only where it published nothing', () => {
    fc.assert(
      fc.property(anyRun, ({ all, received }) => {
        for (const { kind, fromS, untilS } of feedGaps(received, rules)) {
          const lost = all.filter((one) => !received.includes(one));
          if (kind === 'missed') {
            expect(lost.some(({ t }) => t > fromS && t <= untilS)).toBe(true);
          } else {
            expect(kind).toBe('silent');
            expect(untilS - fromS).toBeGreaterThan(rules.silentAfterS);
            expect(all.some(({ t }) => t > fromS && t < untilS)).toBe(false);
          }
        }
      }),
    );
  });

  it('finds no miss where everything came', () => {
    fc.assert(
      fc.property(anyRun, ({ all }) => {
        expect(feedGaps(all, rules).filter(({ kind }) => kind !== 'silent')).toEqual([]);
      }),
    );
  });

  it('names gaps in order of time, none over another', () => {
    fc.assert(
      fc.property(anyRun, ({ received }) => {
        const gaps = feedGaps(received, rules);
        for (const [at, gap] of gaps.entries()) {
          expect(gap.untilS).toBeGreaterThan(gap.fromS);
          expect(gap.fromS).toBeGreaterThanOrEqual(gaps[at - 1]?.untilS ?? 0);
        }
      }),
    );
  });
});

describe('gaps in words', () => {
  const gaps = feedGaps([tick(100, 99), tick(110, 109), tick(140, 110)], rules);

  it('say whose fault they are', () => {
    expect(gaps.map(gapWords)).toEqual([
      'We missed updates of 9 s: the service says that the feed published, and it did not reach us.',
      'The feed was silent for 30 s: by its own account it published nothing.',
    ]);
    expect(gapWords({ kind: 'untold', fromS: 0, untilS: 9, isOpen: true })).toContain('not connected');
  });

  it('are counted', () => {
    expect(gapCountWords(gaps)).toBe('We missed updates once (9 s). The feed was silent once (30 s).');
    expect(gapCountWords([])).toBe('No gap: every second in which the feed published is there.');
  });
});
