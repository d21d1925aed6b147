import { describe, expect, it } from 'vitest';
import { countGaps, feedGaps } from '@/lib/feeds/feed-gaps';
import type { FeedTick } from '@/lib/feeds/feed-tick';
import { feedRows, gapCountWords, gapWords } from './update-rows';

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
    expect(gapWords({ kind: 'untold', fromS: 0, untilS: 9, isOpen: 'yes' })).toContain('not connected');
  });

  it('are counted', () => {
    expect(gapCountWords(countGaps(gaps))).toBe(
      'We missed updates once (8 s); the feed was silent once (30 s).',
    );
    expect(gapCountWords(countGaps([]))).toBe('No gap: every second in which the feed published is there.');
  });
});
