import { describe, expect, it } from 'vitest';
import { countGaps, feedGaps } from '@/lib/feeds/feed-gaps';
import type { FeedTick } from '@/lib/feeds/feed-tick';
import { feedCsv, feedFileName, feedRows, gapCountWords, gapWords } from './update-rows';

function tick(publishS: number, prevPublishS: number, mantissa: bigint): FeedTick {
  return {
    price: { mantissa, expo: -2 },
    conf: { mantissa: 5n, expo: -2 },
    publishS,
    prevPublishS,
    serverMs: publishS * 1000,
  };
}

const ticks = [tick(100, 99, 10_000n), tick(101, 100, 10_001n), tick(110, 109, 0n), tick(140, 110, 10n)];
const gaps = feedGaps(ticks, { silentAfterS: 5, foldedS: 0 });

describe('the table of a chart', () => {
  it('has the newest update first, with every digit, and gaps where they lie', () => {
    const rows = feedRows(ticks, gaps, 50);
    expect(rows.map((row) => (row.kind === 'update' ? row.price : row.gap.kind))).toEqual([
      '0.10',
      'silent',
      '0.00',
      'missed',
      '100.01',
      '100.00',
    ]);
    expect(rows[4]).toMatchObject({ conf: '0.05', confBps: '5.00 bp', move: '+1.00 bp' });
    expect(rows[2]).toMatchObject({ confBps: undefined, move: '-10000.00 bp' });
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
  });

  it('has the newest only, where there are many', () => {
    const rows = feedRows(ticks, gaps, 2);
    expect(rows.map((row) => (row.kind === 'update' ? row.price : row.gap.kind))).toEqual([
      '0.10',
      'silent',
      '0.00',
    ]);
    expect(feedRows([], [], 5)).toEqual([]);
  });
});

describe('gaps in words', () => {
  it('say whose fault they are', () => {
    expect(gaps.map(gapWords)).toEqual([
      'We missed updates of 8 s: the service says that the feed published, and it did not reach us.',
      'The feed was silent for 30 s: by its own account it published nothing.',
    ]);
    expect(gapWords({ kind: 'untold', fromS: 0, untilS: 9, isOpen: true })).toContain('not connected');
  });

  it('are counted', () => {
    expect(gapCountWords(countGaps(gaps))).toBe(
      'We missed updates once (8 s); the feed was silent once (30 s).',
    );
    expect(gapCountWords(countGaps([]))).toBe('No gap: every second in which the feed published is there.');
  });
});

const filledTick: FeedTick = {
  price: { mantissa: -5n, expo: -3 },
  conf: { mantissa: 12n, expo: 5 },
  ema: { mantissa: 0n, expo: -2 },
  publishS: 1_795_000_000,
  prevPublishS: 1_794_999_999,
  slot: '18446744073709551615',
  serverMs: 1_795_000_000_250,
};

function lines(symbol: string, one: FeedTick): string[] {
  return feedCsv([{ id: 'ab', symbol, ticks: [one] }]).split('\n');
}

describe('a chart as CSV', () => {
  it('holds every digit, and times in UTC', () => {
    const [header, row, end] = lines('Crypto.BTC/USD', filledTick);
    expect(header?.split(',')).toHaveLength(13);
    expect(row).toBe(
      'Crypto.BTC/USD,ab,2026-11-18T11:06:40Z,1795000000,-0.005,1200000,0.00,,1794999999,,18446744073709551615,2026-11-18T11:06:40.250Z,live',
    );
    expect(end).toBe('');
  });

  it('says what was filled in', () => {
    expect(lines('A', { ...filledTick, filled: true })[1]?.endsWith(',seeded')).toBe(true);
  });

  it('runs no formula, and quotes what has to be quoted', () => {
    expect(lines('=1+1', filledTick)[1]?.startsWith("'=1+1,")).toBe(true);
    expect(lines('-1+cmd', filledTick)[1]?.startsWith("'-1+cmd,")).toBe(true);
    expect(lines('a;=1', filledTick)[1]?.startsWith("a;'=1,")).toBe(true);
    expect(lines('a,"b"', filledTick)[1]?.startsWith('"a,""b""",')).toBe(true);
  });

  it('has a name that any file system takes', () => {
    const nowMs = Date.parse('2026-11-20T08:05:03Z');
    expect(feedFileName(['Crypto.BTC/USD'], nowMs)).toBe('BTC-USD-20261120T080503Z.csv');
    expect(feedFileName(['../..', '‮'], nowMs)).toBe('feed-20261120T080503Z.csv');
  });
});
