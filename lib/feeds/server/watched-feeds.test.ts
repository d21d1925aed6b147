import { expect, it } from 'vitest';
import { parseFeedId } from '@/lib/core/feed';
import { resolveFeeds } from './watched-feeds';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const never = () => Promise.reject(new Error('the directory was not needed'));

it('finds built-in symbols and ids without asking the service, each once', async () => {
  const names = [`0x${BTC.toUpperCase()}`, 'Crypto.BTC/USD'];
  expect(await resolveFeeds(names, never)).toEqual({ ids: [BTC], unknown: [] });
});

it('asks the directory for other symbols, and tells which nobody knows', async () => {
  const id = parseFeedId('ab'.repeat(32));
  const directory = () =>
    Promise.resolve(id === undefined ? [] : [{ id, symbol: 'Crypto.NEW/USD', assetType: 'crypto' }]);
  expect(await resolveFeeds(['Crypto.NEW/USD', 'Crypto.NOBODY/USD'], directory)).toEqual({
    ids: [id],
    unknown: ['Crypto.NOBODY/USD'],
  });
});
