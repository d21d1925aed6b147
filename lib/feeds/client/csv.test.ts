import { describe, expect, it } from 'vitest';
import type { FeedTick } from '@/lib/feeds/feed-tick';
import { feedCsv, feedFileName } from './csv';

const tick: FeedTick = {
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
    const [header, row, end] = lines('Crypto.BTC/USD', tick);
    expect(header?.split(',')).toHaveLength(13);
    expect(row).toBe(
      'Crypto.BTC/USD,ab,2026-11-18T11:06:40Z,1795000000,-0.005,1200000,0.00,,1794999999,,18446744073709551615,2026-11-18T11:06:40.250Z,live',
    );
    expect(end).toBe('');
  });

  it('says what was filled in', () => {
    expect(lines('A', { ...tick, filled: 'yes' })[1]?.endsWith(',seeded')).toBe(true);
  });

  it('runs no formula, and quotes what has to be quoted', () => {
    expect(lines('=1+1', tick)[1]?.startsWith("'=1+1,")).toBe(true);
    expect(lines('-1+cmd', tick)[1]?.startsWith("'-1+cmd,")).toBe(true);
    expect(lines('a;=1', tick)[1]?.startsWith("a;'=1,")).toBe(true);
    expect(lines('a,"b"', tick)[1]?.startsWith('"a,""b""",')).toBe(true);
  });

  it('has a name that any file system takes', () => {
    const nowMs = Date.parse('2026-11-20T08:05:03Z');
    expect(feedFileName(['Crypto.BTC/USD'], nowMs)).toBe('BTC-USD-20261120T080503Z.csv');
    expect(feedFileName(['../..', '‮'], nowMs)).toBe('feed-20261120T080503Z.csv');
  });
});
