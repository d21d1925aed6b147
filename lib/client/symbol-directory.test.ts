import { describe, expect, it } from 'vitest';
import { failed, ok } from '@/lib/domain/outcome';
import { fetchSymbols, findSymbols, nextAskMs } from './symbol-directory';
import { feedIdOf, symbolOf } from './symbol-fixture';

const symbols = [
  symbolOf(1, 'Crypto.BTCB/USD', { description: 'BINANCE BITCOIN' }),
  symbolOf(2, 'Crypto.WBTC/USD', { description: 'WRAPPED BITCOIN' }),
  symbolOf(3, 'Crypto.BTC/USD', { description: 'BITCOIN / US DOLLAR' }),
  symbolOf(0xabcd, 'FX.EUR/USD', { description: 'EURO / US DOLLAR', assetType: 'fx' }),
  symbolOf(5, 'Equity.US.AAPL/USD', { assetType: 'equity', feedId: undefined, listedBy: 'router' }),
];
const found = (text: string) => findSymbols(symbols, text).map(({ symbol }) => symbol);

describe('finding symbols', () => {
  it('lists all of them for an empty text', () => {
    expect(findSymbols(symbols, '  ')).toBe(symbols);
  });

  it('puts the feed of that very name first', () => {
    expect(found('btc')).toEqual(['Crypto.BTC/USD', 'Crypto.BTCB/USD', 'Crypto.WBTC/USD']);
    expect(found('CRYPTO.BTC/USD')[0]).toBe('Crypto.BTC/USD');
  });

  it('finds by name, description and asset class', () => {
    expect(found('eurusd')).toEqual(['FX.EUR/USD']);
    expect(found('euro')).toEqual(['FX.EUR/USD']);
    expect(found('equity')).toEqual(['Equity.US.AAPL/USD']);
  });

  it('finds by the whole router id, and by the beginning of the feed id with or without 0x', () => {
    expect(found('3')).toEqual(['Crypto.BTC/USD']);
    expect(found(`0x${feedIdOf(0xabcd)}`)).toEqual(['FX.EUR/USD']);
    expect(found(feedIdOf(0xabcd).toUpperCase())).toEqual(['FX.EUR/USD']);
    expect(found('0x000000')).toHaveLength(4);
    expect(found('00')).toEqual([]);
  });

  it('wants every word', () => {
    expect(found('bitcoin dollar')).toEqual(['Crypto.BTC/USD']);
    expect(found('bitcoin euro')).toEqual([]);
  });

  it('goes through ten thousand symbols with hostile texts', () => {
    const many = Array.from({ length: 10_000 }, (_, n) =>
      symbolOf(n, `X.${n}/USD`, { name: '\ud800'.repeat(40) }),
    );
    expect(findSymbols(many, '9999').map(({ routerId }) => routerId)).toEqual(['9999']);
    expect(findSymbols(many, '(.*+ [')).toEqual([]);
  });
});

const unconfigured = { state: 'unconfigured' } as const;
const answer = (router: object) =>
  JSON.stringify({ symbols: [], sources: { router, updates: unconfigured }, unreadable: 0 });
const ask = (router: object) => fetchSymbols(new AbortController().signal, async () => ok(answer(router)));

describe('fetching the directory', () => {
  it('gives the answer, or why there is none', async () => {
    expect(await ask(unconfigured)).toMatchObject({ ok: true, value: { symbols: [] } });
    const { signal } = new AbortController();
    const down = failed({ kind: 'unreachable', detail: 'No connection.' });
    expect(await fetchSymbols(signal, async () => down)).toBe(down);
    for (const text of ['<html>', '{}']) {
      expect(await fetchSymbols(signal, async () => ok(text))).toMatchObject({
        ok: false,
        failure: { kind: 'malformed' },
      });
    }
  });

  it('is done again while something of it is missing, and only then', async () => {
    const failure = { kind: 'timeout', detail: '' } as const;
    expect(nextAskMs(undefined)).toBe(false);
    expect(nextAskMs(failed(failure))).toBe(30_000);
    expect(nextAskMs(await ask({ state: 'failed', failure }))).toBe(30_000);
    expect(nextAskMs(await ask(unconfigured))).toBe(false);
  });
});
