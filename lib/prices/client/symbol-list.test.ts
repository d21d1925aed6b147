import { describe, expect, it } from 'vitest';
import { parseFeedId } from '@/lib/core/feed';
import { type FeedSymbol, readSymbolsAnswer } from '@/lib/prices/symbols-response';
import type { SymbolsView } from '@/lib/prices/view';
import { shownSymbols } from './symbol-list';

const BTC = parseFeedId('e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43');
const symbolOf = (routerId: string, symbol: string, change: Partial<FeedSymbol> = {}): FeedSymbol => ({
  routerId,
  symbol,
  name: '',
  description: '',
  assetType: 'crypto',
  state: 'stable',
  ...change,
});
const SYMBOLS = [
  symbolOf('10', 'Crypto.WBTC/USD', { description: 'WRAPPED' }),
  symbolOf('1', 'Crypto.BTC/USD', { feedId: BTC, minChannel: 'real_time' }),
  symbolOf('9', 'FX.EUR/USD', { assetType: 'fx', state: 'inactive', minChannel: 'fixed_rate@200ms' }),
  symbolOf('100', 'Crypto.ODD/USD', { assetType: '', state: undefined, minChannel: 'half_speed' }),
];
const ALL: SymbolsView = { find: '', class: [], state: [], channel: [], sort: 'best', order: 'ascending' };
const idsOf = (symbols: readonly FeedSymbol[]) => symbols.map(({ routerId }) => routerId);

describe('the symbol directory', () => {
  it.each([
    ['btc', ['1', '10']],
    ['usd crypto', ['10', '1', '100']],
    ['9', ['9']],
    ['e62df6', ['1']],
    ['0xE62DF6', ['1']],
    ['wrapped', ['10']],
    ['nothing', []],
    ['', ['10', '1', '9', '100']],
  ])('finds %s, best first', (text, ids) => {
    expect(idsOf(shownSymbols(SYMBOLS, { ...ALL, find: text }).symbols)).toEqual(ids);
  });

  it('filters, counts the rows that each choice would leave, and sorts', () => {
    const shown = shownSymbols(SYMBOLS, { ...ALL, class: ['fx', ''], sort: 'router' });
    expect(idsOf(shown.symbols)).toEqual(['9', '100']);
    const descending = shownSymbols(SYMBOLS, { ...ALL, sort: 'channel', order: 'descending' });
    // Unknown values stay last.
    expect(idsOf(descending.symbols)).toEqual(['100', '9', '1', '10']);
    expect(shown.counts.class).toEqual([
      { value: 'crypto', count: 2 },
      { value: 'fx', count: 1 },
      { value: '', count: 1 },
    ]);
    expect(shown.counts.state.map(({ value }) => value)).toEqual(['inactive', '']);
    expect(shown.counts.channel.map(({ value }) => value)).toEqual(['fixed_rate@200ms', 'half_speed']);
  });

  it('is read from our route, without the rows that name no feed', () => {
    const sources = { router: { state: 'ok', asOfMs: 2 }, updates: { state: 'unconfigured' } };
    const read = readSymbolsAnswer(
      JSON.stringify({ symbols: [SYMBOLS[1], {}, 7, null], sources, unreadable: 3 }),
    );
    expect(read).toMatchObject({ ok: true, value: { symbols: [SYMBOLS[1]], sources, unreadable: 3 } });
    for (const text of ['', 'null', '{}', '{"symbols":[],"sources":{}}']) {
      expect(readSymbolsAnswer(text)).toMatchObject({ ok: false, failure: { kind: 'malformed' } });
    }
  });
});
