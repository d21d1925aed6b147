import { describe, expect, it } from 'vitest';
import { parseFeedId } from '@/lib/core/feed';
import { failed, ok } from '@/lib/core/outcome';
import { type ListServices, priceLists } from '@/lib/prices/server/symbol-directory';
import { feedDirectory, resolveFeeds } from './feed-directory';

const a = parseFeedId('a'.repeat(64)) ?? expect.fail();
const b = parseFeedId('b'.repeat(64)) ?? expect.fail();
const down = failed({ kind: 'unreachable', detail: 'gone' });

const directoryOf = (services: ListServices) => feedDirectory(priceLists(services));

function servicesThat(answers: { directory: unknown; symbols: unknown }): ListServices {
  return {
    updates: { directory: async () => answers.directory },
    router: { symbols: async () => answers.symbols },
  } as unknown as ListServices;
}

const symbols = ok({
  rows: [
    { routerId: '1', symbol: 'Crypto.BTC/USD', assetType: 'crypto', description: 'BITCOIN', feedId: b },
    { routerId: '2', symbol: 'Crypto.NEW/USD', assetType: 'crypto', description: '', feedId: null },
  ],
  unreadable: [],
});

describe('the directory of feeds', () => {
  it('has names that can be shown anywhere, however the service writes them', async () => {
    const hostile = {
      symbol: 'Crypto.\u202EDSU/CTB\u0000',
      assetType: 'a\ud800',
      description: 'x'.repeat(1_000_000),
    };
    const directory = ok({ rows: [{ id: a, ...hostile }], unreadable: [] });
    const [feed] = (await directoryOf(servicesThat({ directory, symbols }))).feeds;
    expect(feed).toMatchObject({ id: a, symbol: 'Crypto.⟨202E⟩DSU/CTB⟨0000⟩', assetType: 'a⟨D800⟩' });
    expect(feed?.description?.length).toBeLessThan(400);
    const row = { ...hostile, symbol: 'y'.repeat(1_000_000), routerId: '1', feedId: b };
    const listed = ok({ rows: [row], unreadable: [] });
    const other = await directoryOf(servicesThat({ directory: down, symbols: listed }));
    expect(other.feeds[0]?.symbol.length).toBeLessThan(200);
  });

  it('is the router’s list when the service has none, without feeds that lack an id', async () => {
    const answer = await directoryOf(servicesThat({ directory: down, symbols }));
    expect(answer).toEqual({
      source: 'services',
      isWhole: false,
      feeds: [
        {
          id: b,
          symbol: 'Crypto.BTC/USD',
          assetType: 'crypto',
          description: 'BITCOIN',
          areHoursPending: true,
        },
      ],
    });
  });

  it('is built in when no service answers or is configured', async () => {
    const answer = await directoryOf(servicesThat({ directory: down, symbols: down }));
    expect(answer.source).toBe('built-in');
    expect(answer.feeds.length).toBeGreaterThan(60);
    expect((await directoryOf({})).source).toBe('built-in');
  });

  it('is whole once each configured list has answered, which may have market hours', async () => {
    const isWhole = async (services: ListServices) => (await directoryOf(services)).isWhole;
    const directory = ok({ rows: [], unreadable: [] });
    expect(await isWhole(servicesThat({ directory, symbols }))).toBe(true);
    expect(await isWhole(servicesThat({ directory, symbols: down }))).toBe(false);
    expect(await isWhole(servicesThat({ directory: down, symbols: down }))).toBe(false);
    expect(await isWhole({})).toBe(true);
  });
});

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const never = () => Promise.reject(new Error('the directory was not needed'));

it('finds built-in symbols and ids without asking the service, each once', async () => {
  const names = [`0x${BTC.toUpperCase()}`, 'Crypto.BTC/USD'];
  expect(await resolveFeeds(names, never)).toEqual({ ids: [BTC], unknown: [] });
});

it('requests the directory for other symbols, and returns unknown ones', async () => {
  const id = parseFeedId('ab'.repeat(32));
  const directory = () =>
    Promise.resolve(id === undefined ? [] : [{ id, symbol: 'Crypto.NEW/USD', assetType: 'crypto' }]);
  expect(await resolveFeeds(['Crypto.NEW/USD', 'Crypto.NOBODY/USD'], directory)).toEqual({
    ids: [id],
    unknown: ['Crypto.NOBODY/USD'],
  });
});
