import { describe, expect, it } from 'vitest';
import { type FeedEntry, parseFeedId } from '@/lib/core/feed';
import { failed, ok } from '@/lib/core/outcome';
import type { RouterSymbol } from '@/lib/core/router-price';
import type { ReadRows } from '@/lib/core/wire-json';
import { type CachedList, joinSymbolLists, symbolDirectory } from './symbol-directory';

const a = parseFeedId('a'.repeat(64)) ?? expect.fail();
const b = parseFeedId('b'.repeat(64)) ?? expect.fail();
const c = parseFeedId('c'.repeat(64)) ?? expect.fail();

function row(routerId: string, symbol: string, change: Partial<RouterSymbol> = {}): RouterSymbol {
  return { routerId, symbol, name: '', description: '', assetType: '', feedId: null, ...change };
}

function cachedAt<T>(value: T, atMs: number): Promise<CachedList<T>> {
  return Promise.resolve({ answer: ok(value), good: { value, atMs } });
}

const directory: ReadRows<FeedEntry> = {
  rows: [
    { id: a, symbol: 'Crypto.BTC/USD', assetType: 'Crypto', description: 'BITCOIN', quoteCurrency: 'USD' },
    { id: b, symbol: 'FX.EUR/USD', assetType: 'FX', schedule: 'its own' },
  ],
  unreadable: [{ rawJson: '7', problem: 'no' }],
};

describe('the symbols of both services', () => {
  it('are joined by the router’s ids, with its texts first, and those of one service alone are kept', () => {
    const symbols = [
      row('1', 'Crypto.BTC/USD', {
        feedId: a,
        assetType: 'crypto',
        minChannel: 'real_time',
        state: 'stable',
        exponent: -8,
      }),
      row('2', 'Crypto.NEW/USD'),
      row('3', 'Metal.XAU/USD', { feedId: c }),
    ];
    const texts = { name: '', description: '', assetType: '' };
    expect(joinSymbolLists({ rows: symbols, unreadable: [] }, directory).symbols).toEqual([
      {
        routerId: '1',
        feedId: a,
        symbol: 'Crypto.BTC/USD',
        name: '',
        description: 'BITCOIN',
        assetType: 'crypto',
        exponent: -8,
        minChannel: 'real_time',
        state: 'stable',
      },
      { ...texts, routerId: '2', symbol: 'Crypto.NEW/USD' },
      {
        feedId: b,
        symbol: 'FX.EUR/USD',
        name: '',
        description: '',
        assetType: 'FX',
        schedule: 'its own',
      },
      { ...texts, routerId: '3', feedId: c, symbol: 'Metal.XAU/USD' },
    ]);
  });

  it('have a name each, the id where no service has one', () => {
    const symbols = [row('9', ''), row('10', '', { name: 'X' })];
    expect(
      joinSymbolLists({ rows: symbols, unreadable: [] }, undefined).symbols.map(({ symbol }) => symbol),
    ).toEqual(['9', 'X']);
  });

  it('are listed once each, and repeated ones count as unreadable', async () => {
    const symbols = [
      row('1', 'A', { feedId: a }),
      row('1', 'B', { feedId: a }),
      row('1', 'C', { feedId: b }),
    ];
    const twice = { ...directory, rows: [...directory.rows, ...directory.rows] };
    const answer = await symbolDirectory({
      router: cachedAt({ rows: symbols, unreadable: [] }, 5),
      updates: cachedAt(twice, 4),
    });
    expect(answer.symbols.map(({ symbol }) => symbol)).toEqual(['A', 'C']);
    expect(answer).toMatchObject({ unreadable: 4 });
  });

  it('come from one service when the other fails, with its failure and its last good list', async () => {
    const failure = { kind: 'timeout', detail: 'late', service: 'router' } as const;
    const router = { answer: failed(failure) };
    expect(
      await symbolDirectory({ router: Promise.resolve(router), updates: cachedAt(directory, 4) }),
    ).toMatchObject({
      symbols: [{ symbol: 'Crypto.BTC/USD' }, { symbol: 'FX.EUR/USD' }],
      sources: { router: { state: 'failed', failure }, updates: { state: 'ok', asOfMs: 4 } },
    });
    const good = { value: { rows: [row('1', 'Old.ONE/USD')], unreadable: [] }, atMs: 2 };
    expect(await symbolDirectory({ router: Promise.resolve({ ...router, good }) })).toEqual({
      symbols: [expect.objectContaining({ symbol: 'Old.ONE/USD' })],
      sources: { router: { state: 'failed', failure, asOfMs: 2 }, updates: { state: 'unconfigured' } },
      unreadable: 0,
    });
  });

  it('are empty without a configured service', async () => {
    expect(await symbolDirectory({})).toEqual({
      symbols: [],
      sources: { router: { state: 'unconfigured' }, updates: { state: 'unconfigured' } },
      unreadable: 0,
    });
  });
});
