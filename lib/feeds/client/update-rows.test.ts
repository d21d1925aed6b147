import { describe, expect, it } from 'vitest';
import { feedGaps } from '@/lib/feeds/feed-cadence';
import type { PriceUpdate } from '@/lib/feeds/price-update';
import { scriptedUpdate } from './browser-fixtures';
import { confidenceInBps, feedCsv, feedFileName, feedRows } from './update-rows';

const update = (publishTimeS: number, prevPublishTimeS: number, price: string) =>
  scriptedUpdate('ab', price, publishTimeS, { conf: '5', prevPublishTimeS });
const updates = [
  update(100, 99, '10000'),
  update(101, 100, '10001'),
  update(110, 109, '0'),
  update(140, 110, '10'),
];
const gaps = feedGaps(updates, { silentAfterS: 5 });
const shown = (max: number) =>
  feedRows(updates, { gaps, latencies: new Map() }, max).map(
    ({ update, gap }) => update?.price.mantissa.toString() ?? gap?.kind,
  );

describe('the table of a chart', () => {
  it('has the newest update first, and gaps where they lie', () => {
    expect(shown(50)).toEqual(['10', 'silent', '0', 'missed', '10001', '10000']);
    const rows = feedRows(updates, { gaps, latencies: new Map() }, 50);
    expect([rows[4]?.move, rows[2]?.move]).toEqual(['+1.00 bp', '-10000.00 bp']);
    expect(updates.map(confidenceInBps)).toEqual(['5.00 bp', '5.00 bp', undefined, '5000.00 bp']);
  });

  it('has the latency of an update if it is known', () => {
    const latency = { proof: null, upstream: 300, browser: null, isFirstOfSecond: true };
    const latencies = new Map(updates.slice(1, 2).map((update) => [update, latency]));
    const rows = feedRows(updates.slice(0, 2), { gaps: [], latencies }, 50);
    expect(rows.map((row) => row.latency)).toEqual([latency, undefined]);
  });

  it('has only the newest updates if there are many', () => {
    expect(shown(2)).toEqual(['10', 'silent', '0']);
    expect(feedRows([], { gaps: [], latencies: new Map() }, 5)).toEqual([]);
  });
});

const base = {
  ...scriptedUpdate('ab', '-5', 1_795_000_000, { expo: -3, conf: '12' }),
  ema: { mantissa: 0n, expo: -2 },
  prevPublishTimeS: 1_794_999_999,
  slot: '18446744073709551615',
  receivedMs: 1_795_000_000_250,
};
const lines = (symbol: string, update: PriceUpdate) =>
  feedCsv([{ id: 'ab', symbol, updates: [update] }]).split('\n');

describe('a chart as CSV', () => {
  it('holds every digit and times in UTC, and marks backfilled updates', () => {
    const [header, row, end] = lines('Crypto.BTC/USD', base);
    expect(header?.split(',')).toHaveLength(13);
    expect(row).toBe(
      'Crypto.BTC/USD,ab,2026-11-18T11:06:40Z,1795000000,-0.005,0.012,0.00,,1794999999,,18446744073709551615,2026-11-18T11:06:40.250Z,live',
    );
    expect(end).toBe('');
    expect(lines('A', { ...base, isBackfilled: true })[1]?.endsWith(',,seeded')).toBe(true);
  });

  it('runs no formula, and quotes special characters', () => {
    expect(lines('=1+1', base)[1]?.startsWith("'=1+1,")).toBe(true);
    expect(lines('-1+cmd', base)[1]?.startsWith("'-1+cmd,")).toBe(true);
    expect(lines('a;=1', base)[1]?.startsWith("a;'=1,")).toBe(true);
    expect(lines('a,"b"', base)[1]?.startsWith('"a,""b""",')).toBe(true);
  });

  it('has a name that any file system takes', () => {
    const nowMs = Date.parse('2026-11-20T08:05:03Z');
    expect(feedFileName(['Crypto.BTC/USD'], nowMs)).toBe('BTC-USD-20261120T080503Z.csv');
    expect(feedFileName(['../..', '‮'], nowMs)).toBe('feed-20261120T080503Z.csv');
  });
});
