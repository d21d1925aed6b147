import { describe, expect, it } from 'vitest';
import { parseFeedId } from '@/lib/core/feed';
import type { ScaledInteger } from '@/lib/core/numbers';
import { unixMicros } from '@/lib/core/time';
import {
  compareSources,
  differingFigures,
  failedCell,
  isRepeated,
  lookupCsv,
  lookupVerdict,
  shownDifferences,
  verdictText,
} from './comparison';
import type { LookupCell, SourceQuote } from './lookup';
import { factLabel } from './lookup-cells';

const feed = { key: 'x', symbol: '=HYPERLINK("x");y', feedId: parseFeedId('1'.repeat(64)), routerId: '1' };

function quote(mantissa: bigint, conf: bigint | undefined, publishUs = 1_795_176_000_000_001n): LookupCell {
  return {
    kind: 'quote',
    quote: {
      price: { mantissa, expo: -8 },
      conf: conf === undefined ? undefined : { mantissa: conf, expo: -8 },
      publishUs: unixMicros(publishUs),
      requestedUs: unixMicros(1_795_176_000_000_000n),
      receivedMs: 1_795_176_000_250,
      facts: [{ name: 'slot', value: '18446744073709551615', form: 'text' }],
    },
  };
}

const rowOf = (...cells: LookupCell[]) => {
  const filled = cells.map((cell, index) => ({
    source: (['updates', 'upgraded', 'router'] as const)[index] ?? 'router',
    cell,
  }));
  return { feed, at: unixMicros(1_795_176_000_000_000n), cells: filled, compared: compareSources(filled) };
};

const refused = failedCell({ kind: 'missing', service: 'updates', detail: '=cmd|"x"' });

const answered = { askedMs: 0, leftOut: 0 };

describe('a lookup as CSV', () => {
  it('has a line for each feed and source, every digit, and says whether it is complete', () => {
    const text = lookupCsv(
      [rowOf(quote(9_007_199_254_740_993n, 3n), quote(9_007_199_254_740_993n, 3n), refused)],
      answered,
    );
    const lines = text.trim().split('\n');
    expect(lines).toHaveLength(1 + 3 + 3);
    expect(lines[2]).toContain(
      ',upgraded,price,,90071992.54740993,0.00000003,,,2026-11-20T12:00:00.000001Z,1795176000000001,1,',
    );
    expect(lines[2]).toContain('slot=18446744073709551615');
    expect(lines.slice(-3)).toEqual(['# rows: 3', '# missing: 1 price', '# complete: no']);
  });

  it('is complete only if every feed was requested and every source answered', () => {
    const endOf = (cell: LookupCell, more: object = {}) =>
      lookupCsv([rowOf(quote(1n, 1n), cell)], { ...answered, ...more })
        .trim()
        .split('\n')
        .filter((line) => line.startsWith('#'))
        .slice(1);
    const notRequested = { kind: 'none', title: 'Not requested', text: '' } as const;
    expect(endOf(quote(1n, 1n))).toEqual(['# complete: yes']);
    expect(endOf(notRequested)).toEqual(['# complete: yes']);
    expect(endOf({ kind: 'waiting' })).toEqual(['# missing: 1 price', '# complete: no']);
    expect(endOf(refused, { leftOut: 50 })).toEqual([
      '# missing: 1 price',
      '# missing: 50 feeds',
      '# complete: no',
    ]);
  });

  it('has the time at which each latest price was received, or its failure', () => {
    const row = { ...rowOf(quote(1n, 1n), refused), at: 'now' as const };
    const [, first, second] = lookupCsv([row], { ...answered, askedMs: 1_795_176_000_500 }).split('\n');
    expect(first).toMatch(/^2026-11-20T12:00:00\.25Z,/);
    expect(second).toMatch(/^2026-11-20T12:00:00\.5Z,/);
  });

  it('runs no formula of a service even if cells are split at semicolons', () => {
    const text = lookupCsv([rowOf(refused)], answered);
    for (const part of text.split(/[\n,;]/)) expect(part).not.toMatch(/^"?[=+@\t]/);
  });
});

describe('the texts of a lookup', () => {
  it('name the pair that differs, the difference, and its tolerance', () => {
    expect(verdictText(rowOf(quote(1_000n, 3n), quote(1_010n, 4n), quote(1_003n, 1n)))).toBe(
      'Upgraded host and Old host: 100.00 bp apart, more than the sum of their confidences, 70.00 bp.',
    );
    expect(verdictText(rowOf(quote(1_000n, 3n), quote(1_001n, undefined)))).toMatch(/one has no confidence/);
    expect(verdictText(rowOf(quote(1_000n, 3n), quote(1_000n, 3n)))).toBeUndefined();
    expect(verdictText(rowOf(quote(1_000n, 3n, 2_000_000n), quote(1_010n, 4n, 0n)))).toMatch(
      /d 2 s apart\.$/,
    );
  });

  it('give each missing price its reason, foreign text made harmless', () => {
    const failure = { title: 'Request rejected', quote: 'a⟨202E⟩b', text: '' };
    expect(failedCell({ kind: 'rejected', service: 'router', detail: 'a\u202eb' })).toMatchObject(failure);
    expect(failedCell({ kind: 'unauthorized', service: 'updates', detail: '' })).toMatchObject({
      text: expect.stringContaining('UPDATES_API_KEY'),
    });
  });
});

it('members of an answer are labelled in words', () => {
  const names = ['bestBidPrice', 'fundingRateInterval', 'emitter_chain', 'slot'];
  expect(names.map(factLabel)).toEqual(['Best bid', 'Funding rate interval', 'Emitter chain', 'Slot']);
});

describe('the verdict on a lookup', () => {
  const same = rowOf(quote(1_000n, 3n), quote(1_000n, 3n), quote(1_000n, 3n));
  const near = rowOf(quote(1_000n, 3n), quote(1_001n, 3n), quote(1_000n, 3n));
  const apart = rowOf(quote(1_000n, 3n), quote(1_010n, 4n), quote(1_000n, 3n));

  it('reports that all sources agree, and how exactly', () => {
    expect(lookupVerdict([same, same, near])).toEqual({
      tone: 'good',
      title: 'All three agree',
      text: '2 feeds equal to the last digit, 1 feed within the sum of their confidences.',
    });
    expect(lookupVerdict([rowOf(quote(1n, 1n), quote(1n, 1n))])?.title).toBe('Both agree');
  });

  it('do not call latest prices equal without a reservation where one source is long behind the others', () => {
    const hourUs = 3_600_000_000n;
    const published = (...us: bigint[]) => ({
      ...rowOf(...us.map((at) => quote(5n, 1n, at))),
      at: 'now' as const,
    });
    expect(lookupVerdict([published(9n * hourUs, 8n * hourUs, 9n * hourUs)])).toEqual({
      tone: 'warn',
      title: 'Prices agree, published 1 h apart',
      text: '1 feed equal to the last digit. =HYPERLINK("x");y: published 1 h apart.',
    });
    expect(lookupVerdict([published(9n * hourUs, 9n * hourUs - 60_000_000n)])?.tone).toBe('good');
  });

  it('neither confirms nor refutes prices of a requested moment that were published at different ones', () => {
    const dayUs = 86_400_000_000n;
    const published = (confUnits: bigint, ...us: bigint[]) =>
      rowOf(...us.map((at, index) => quote(11_500n + BigInt(index), confUnits, at)));
    // Update services return the first update after a Saturday, the router the price that was current then.
    expect(lookupVerdict([published(2n, 2n * dayUs, dayUs / 2n)])).toMatchObject({
      tone: 'warn',
      title: 'Prices agree, published 1 d 12 h apart',
    });
    expect(lookupVerdict([published(0n, 2n * dayUs, dayUs / 2n)])).toMatchObject({
      tone: 'warn',
      title: '1 of 1 feed differs, published 1 d 12 h apart',
    });
    // A second pair of the same moment differs too, and so does the latest price of a source that is behind.
    const red = { tone: 'bad', title: '1 of 1 feed differs' };
    expect(lookupVerdict([published(0n, dayUs, dayUs, 2n * dayUs)])).toMatchObject(red);
    const latest = { ...published(0n, 2n * dayUs, dayUs / 2n), at: 'now' as const };
    expect(lookupVerdict([latest])).toMatchObject(red);
  });

  it('lists differences first, then missing prices', () => {
    expect(lookupVerdict([same, apart])).toMatchObject({ tone: 'bad', title: '1 of 2 feeds differs' });
    expect(lookupVerdict([same, apart])?.text).toContain('Upgraded host and Old host: 100.00 bp apart');
    expect(lookupVerdict([same, rowOf(quote(1n, 1n), quote(1n, 1n), refused)])).toEqual({
      tone: 'warn',
      title: 'Prices agree, some are missing',
      text: '2 feeds equal to the last digit. No price from Router for 1 feed.',
    });
    expect(lookupVerdict([rowOf(quote(1n, 1n), quote(2n, undefined))])?.tone).toBe('warn');
    expect(lookupVerdict([rowOf(refused, quote(1n, 1n))])).toEqual({
      tone: 'warn',
      title: 'Nothing to compare',
      text: 'No price from Old host.',
    });
  });

  it('is absent for a single source, and before every answer has arrived', () => {
    expect(lookupVerdict([rowOf(quote(1n, 1n))])).toBeUndefined();
    expect(lookupVerdict([rowOf(quote(1n, 1n), { kind: 'waiting' })])).toBeUndefined();
    expect(lookupVerdict([])).toBeUndefined();
  });
});

describe('the figures that differ', () => {
  it('are those with several values, however the digits are written', () => {
    const cell = (conf: ScaledInteger, ...facts: readonly (readonly [name: string, value: string])[]) => {
      const texts = facts.map(([name, value]) => ({ name, value, form: 'text' as const }));
      return { kind: 'quote' as const, quote: { conf, receivedMs: 0, facts: texts } };
    };
    const quoted = cell({ mantissa: 30n, expo: -8 }, ['slot', '7']);
    expect([...differingFigures(rowOf(quoted, cell({ mantissa: 3n, expo: -7 }, ['slot', '7'])))]).toEqual([]);
    const other = cell({ mantissa: 4n, expo: -7 }, ['slot', '8'], ['marketSession', 'regular']);
    expect([...differingFigures(rowOf(quoted, other))]).toEqual(['confidence', 'slot']);
  });

  it('are shown for prices of one moment, or apart; of different moments all differ', () => {
    const laterUs = 1_795_176_001_000_001n;
    const shown = (other: LookupCell) => [...shownDifferences(rowOf(quote(500n, 9n), other))];
    expect(shown(quote(501n, 8n))).toEqual(['confidence']);
    expect(shown(quote(501n, 8n, laterUs))).toEqual([]);
    expect(shown(quote(600n, 8n, laterUs))).toEqual(['confidence']);
  });

  it('include one that a source did not send, so its cell is not called equal', () => {
    const withEma = (conf?: bigint, ema?: SourceQuote['ema']) => {
      const base = quote(5n, conf);
      return base.kind === 'quote' ? { ...base, quote: { ...base.quote, ema } } : base;
    };
    const [price, emaConf] = [
      { mantissa: 5n, expo: -8 },
      { mantissa: 1n, expo: -8 },
    ];
    const first = withEma(1n, { price, conf: emaConf });
    const compared = (cell: LookupCell) => {
      const row = rowOf(first, cell);
      return { differing: [...differingFigures(row)], isRepeated: isRepeated(row, 'upgraded') };
    };
    expect(compared(first)).toEqual({ differing: [], isRepeated: true });
    expect(compared(withEma())).toEqual({ differing: ['confidence', 'ema'], isRepeated: false });
    expect(compared(withEma(1n, { price, conf: price }))).toEqual({ differing: ['ema'], isRepeated: false });
  });
});
