import { describe, expect, it } from 'vitest';
import type { FeedId } from '@/lib/core/feed';
import { type PaletteSources, paletteSections } from './palette-entries';

const HASH = `0x${'ab'.repeat(32)}`;

const sources: PaletteSources = {
  networks: [
    { networkId: '8453', name: 'Base', testnet: false, known: true },
    { networkId: '84532', name: 'Base Sepolia', testnet: true, known: true },
  ],
  feeds: ['Crypto.BTC/USD', 'Crypto.ETH/BTC', 'FX.EUR/USD'].map((symbol, index) => {
    return { id: String(index).repeat(64) as FeedId, symbol, assetType: '' };
  }),
  requests: [{ label: 'Base 17', path: '/requests/8453/17' }],
  queries: ['12345'],
};

/** `section: label → path`. */
function offered(typed: string, from = sources): string[] {
  return paletteSections(typed, from).flatMap(({ title, entries }) =>
    entries.map(({ label, does }) => `${title}: ${label} → ${'path' in does ? does.path : does.command}`),
  );
}

describe('the palette', () => {
  it('offers the search for a pasted hash first, at all times', () => {
    expect(offered(` ${HASH.toUpperCase()} `)[0]).toBe(
      `Search: Find transaction 0xabab…abab → /requests?q=${HASH}&range=all`,
    );
  });

  it('opens the only request of an id, and the list for an address with many requests', () => {
    const [section] = paletteSections(HASH, sources);
    expect(section?.entries[0]?.does).toMatchObject({ find: HASH });
    const recent = paletteSections('', { ...sources, queries: ['transfer failed'] });
    const { entries = [] } = recent.find(({ title }) => title === 'Recent searches') ?? {};
    expect(entries[0]?.does).not.toHaveProperty('find');
  });

  it('goes to a network by its name or its id', () => {
    expect(offered('sepolia')).toContain('Networks: Base Sepolia → /requests?network=84532');
    expect(offered('84532')).toContain('Networks: Base Sepolia → /requests?network=84532');
    expect(offered('84532')[0]).toMatch(/^Search: Find sequence 84532 → /);
  });

  it('goes to states, pages, recent requests and recent searches', () => {
    expect(offered('pend')).toContain('States: Pending requests → /requests?state=pending');
    expect(offered('overv')).toEqual(['Pages: Overview → /']);
    expect(offered('')).toContain('Recent requests: Base 17 → /requests/8453/17');
    expect(offered('')).toContain('Recent searches: 12345 → /requests?q=12345&range=all');
  });

  it('finds actions, and feeds by any part of their name', () => {
    expect(offered('export')).toEqual(['Actions: Export requests → /requests']);
    expect(offered('live')).toEqual(['Actions: Live requests → /requests']);
    expect(offered('stuck')).toEqual(['Actions: Stuck requests → /pending']);
    expect(offered('BTC')).toEqual([
      'Feeds: Crypto.BTC/USD → /feeds/Crypto.BTC/USD',
      'Feeds: Crypto.ETH/BTC → /feeds/Crypto.ETH/BTC',
    ]);
  });

  it('runs commands', () => {
    expect(offered('dark')).toEqual(['Settings: Dark theme → theme-dark']);
    expect(offered('help')).toEqual(['Settings: Keyboard shortcuts → help']);
  });

  it('offers nothing for text that fits nothing', () => {
    expect(paletteSections('zzzzzz', sources)).toEqual([]);
  });
});
