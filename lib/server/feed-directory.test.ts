import { describe, expect, it } from 'vitest';
import { parseFeedId } from '@/lib/domain/feed';
import { failed, ok } from '@/lib/domain/outcome';
import { askServices } from './feed-directory';
import type { Services } from './services';

const a = parseFeedId('a'.repeat(64)) ?? expect.fail();
const b = parseFeedId('b'.repeat(64)) ?? expect.fail();
const down = failed({ kind: 'unreachable', detail: 'gone' });

type Asked = Pick<Services, 'updates' | 'router'>;

function servicesThat(answers: { directory: unknown; symbols: unknown }): Asked {
  return {
    updates: { directory: async () => answers.directory },
    router: { symbols: async () => answers.symbols },
  } as unknown as Asked;
}

const symbols = ok({
  symbols: [
    { routerId: '1', symbol: 'Crypto.BTC/USD', assetType: 'crypto', description: 'BITCOIN', feedId: b },
    { routerId: '2', symbol: 'Crypto.NEW/USD', assetType: 'crypto', description: '', feedId: null },
  ],
  unreadable: [],
});

describe('the directory of feeds', () => {
  it('is what the price update service lists, sorted by symbol', async () => {
    const entries = [
      { id: b, symbol: 'FX.EUR/USD', assetType: 'fx' },
      { id: a, symbol: 'Crypto.BTC/USD', assetType: 'crypto' },
    ];
    const directory = ok({ entries, unreadable: [] });
    const answer = await askServices(servicesThat({ directory, symbols }));
    expect(answer.source).toBe('updates');
    expect(answer.feeds.map(({ symbol }) => symbol)).toEqual(['Crypto.BTC/USD', 'FX.EUR/USD']);
  });

  it('is what the router names where the service has no list, without feeds that have no id there', async () => {
    const answer = await askServices(servicesThat({ directory: down, symbols }));
    expect(answer).toEqual({
      source: 'router',
      feeds: [{ id: b, symbol: 'Crypto.BTC/USD', assetType: 'crypto', description: 'BITCOIN' }],
    });
  });

  it('is built in when nobody answers, or nobody is configured', async () => {
    const answer = await askServices(servicesThat({ directory: down, symbols: down }));
    expect(answer.source).toBe('built-in');
    expect(answer.feeds.length).toBeGreaterThan(60);
    expect((await askServices({})).source).toBe('built-in');
  });
});
