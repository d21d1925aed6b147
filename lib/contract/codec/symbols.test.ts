import { describe, expect, it } from 'vitest';
import { parseFeedId } from '@/lib/domain/feed';
import { readSymbolsAnswer, type SymbolsAnswer } from './symbols';

const feedId = parseFeedId('a'.repeat(64)) ?? expect.fail();

const answer: SymbolsAnswer = {
  symbols: [
    {
      routerId: '18446744073709551615',
      feedId,
      listedBy: 'both',
      symbol: 'Crypto.BTC/USD',
      name: 'BTCUSD',
      description: 'BITCOIN',
      assetType: 'crypto',
      exponent: -8,
      minChannel: 'real_time',
      state: 'stable',
      schedule: 'UTC;O,O,O,O,O,O,O;',
      quoteCurrency: 'USD',
    },
    { routerId: '7', listedBy: 'router', symbol: '7', name: '', description: '', assetType: '' },
  ],
  sources: {
    router: { state: 'ok', asOfMs: 2 },
    updates: { state: 'failed', failure: { kind: 'timeout', detail: 'late' }, asOfMs: 1 },
  },
  unreadable: 3,
  asOfMs: 1,
};

describe('the answer of the symbol directory', () => {
  it('comes through JSON as it was', () => {
    expect(readSymbolsAnswer(JSON.parse(JSON.stringify(answer)))).toEqual(answer);
  });

  it('says of a list without any answer that it failed, and of a service that there is none', () => {
    const sources = {
      router: { state: 'unconfigured' as const },
      updates: { state: 'failed' as const, failure: { kind: 'unreachable' as const, detail: '' } },
    };
    const empty = { symbols: [], sources, unreadable: 0 };
    expect(readSymbolsAnswer(JSON.parse(JSON.stringify(empty)))).toEqual(empty);
  });

  it('is none without its lists or their standing', () => {
    for (const value of [
      null,
      7,
      [],
      {},
      { symbols: [] },
      { ...answer, sources: { router: { state: 'odd' } } },
    ]) {
      expect(readSymbolsAnswer(value)).toBeUndefined();
    }
  });

  it('leaves out a symbol without any id, and members that are no texts', () => {
    const odd = [
      { listedBy: 'both', symbol: 'x' },
      7,
      null,
      { listedBy: 'router', routerId: '1', symbol: 5, state: {} },
    ];
    expect(readSymbolsAnswer({ ...answer, symbols: odd })?.symbols).toEqual([
      { routerId: '1', listedBy: 'router', symbol: '', name: '', description: '', assetType: '' },
    ]);
  });
});
