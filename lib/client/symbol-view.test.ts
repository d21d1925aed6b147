import { describe, expect, it } from 'vitest';
import { ALL_SYMBOLS, type SymbolsView } from '@/lib/contract/codec/symbols-url';
import { feedIdOf, symbolOf } from './symbol-fixture';
import { lookupUrl, shownSymbols } from './symbol-view';

const symbols = [
  symbolOf(20, 'Crypto.BTC/USD'),
  symbolOf(3, 'Crypto.ETH/USD', { minChannel: 'fixed_rate@200ms', state: 'inactive' }),
  symbolOf(100, 'FX.EUR/USD', { assetType: 'fx', minChannel: 'fixed_rate@50ms' }),
  symbolOf(0, 'Equity.OLD/USD', {
    assetType: 'equity',
    routerId: undefined,
    minChannel: undefined,
    state: undefined,
  }),
  symbolOf(7, 'Odd.NEW/USD', { assetType: '', minChannel: 'fixed_rate@5s', state: 'paused' }),
];

function shown(change: Partial<SymbolsView> & Partial<SymbolsView['chosen']>) {
  const { class: classes = [], state = [], channel = [], ...view } = change;
  return shownSymbols(symbols, { ...ALL_SYMBOLS, ...view, chosen: { class: classes, state, channel } });
}
const names = (result: ReturnType<typeof shown>) => result.symbols.map(({ symbol }) => symbol);

describe('what a view shows of the directory', () => {
  it('is all of it in its own order at first', () => {
    expect(shown({}).symbols).toEqual(symbols);
  });

  it('is what has one of the chosen values of every facet, also the one that nobody tells', () => {
    expect(names(shown({ class: ['crypto', 'fx'], state: ['stable'] }))).toEqual([
      'Crypto.BTC/USD',
      'FX.EUR/USD',
    ]);
    expect(names(shown({ state: [''] }))).toEqual(['Equity.OLD/USD']);
    expect(names(shown({ find: 'usd', class: [''] }))).toEqual(['Odd.NEW/USD']);
  });

  it('counts for each value what choosing it would leave, given all other choices', () => {
    const { counts } = shown({ class: ['crypto'] });
    expect(counts.class.map(({ value, count }) => [value, count])).toEqual([
      ['crypto', 2],
      ['equity', 1],
      ['fx', 1],
      ['', 1],
    ]);
    expect(counts.state.map(({ value, count }) => [value, count])).toEqual([
      ['inactive', 1],
      ['stable', 1],
    ]);
  });

  it('offers a chosen value of which nothing is left, so that it can be given up', () => {
    expect(shown({ state: ['gone'] }).counts.state).toContainEqual({ value: 'gone', count: 0 });
  });

  it('orders channels from the fastest, then those that nobody knows', () => {
    expect(shown({}).counts.channel.map(({ value }) => value)).toEqual([
      'real_time',
      'fixed_rate@50ms',
      'fixed_rate@200ms',
      'fixed_rate@5s',
      '',
    ]);
    expect(names(shown({ sort: 'channel' })).at(-1)).toBe('Equity.OLD/USD');
  });

  it('sorts router ids as the numbers they are', () => {
    const ids = shown({ sort: 'router' }).symbols.map(({ routerId }) => routerId);
    expect(ids).toEqual(['3', '7', '20', '100', undefined]);
  });

  it('sorts by symbol, class and state', () => {
    expect(names(shown({ sort: 'symbol' }))[0]).toBe('Crypto.BTC/USD');
    expect(names(shown({ sort: 'class' })).at(-1)).toBe('Odd.NEW/USD');
    expect(names(shown({ sort: 'state' }))[0]).toBe('Crypto.ETH/USD');
  });
});

describe('the address of a lookup', () => {
  it('names feeds by the id that leads to both services, and those of the router by theirs', () => {
    const [btc] = symbols;
    const routerOnly = symbolOf(9, 'Crypto.X/USD', { feedId: undefined });
    expect(lookupUrl([btc ?? expect.fail(), routerOnly])).toBe(`/prices?ids=${feedIdOf(20)},9`);
  });
});
