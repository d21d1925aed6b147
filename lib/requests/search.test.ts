import { describe, expect, it } from 'vitest';
import { searchMeanings } from './search';
import { defaultRequestsView } from './view';
import { formatRequestsUrl } from './view-url';

const KNOWN = {
  networks: [
    { networkId: '8453', name: 'Base' },
    { networkId: '84532', name: 'Base Sepolia' },
    { networkId: '81457', name: 'Blast' },
  ],
  style: { zone: 'utc', timeZone: 'UTC' } as const,
  nowMs: Date.parse('2026-11-25T09:00:00Z'),
  failures: [] as string[],
};

const read = (text: string, failures: string[] = []) =>
  searchMeanings(text, { ...KNOWN, failures }).map(({ what, words, change }) => [
    `${what}: ${words}`,
    decodeURIComponent(formatRequestsUrl({ ...defaultRequestsView(), ...change })),
  ]);

describe('the search accepts anything', () => {
  it.each([
    ['45m', 'Time: last 45 minutes', '/requests?range=45m'],
    ['yesterday 14:00', 'Time: since yesterday 14:00', '/requests?from=2026-11-24+14:00'],
    ['since 2026-11-20', 'Time: since 2026-11-20', '/requests?from=2026-11-20'],
    [
      'yesterday 14:00 to today 8:00',
      'Time: yesterday 14:00 to today 8:00',
      '/requests?from=2026-11-24+14:00&to=2026-11-25+08:00',
    ],
    ['blast', 'Network: Blast', '/requests?network=81457'],
    ['base sep', 'Network: Base Sepolia', '/requests?network=84532'],
    ['reverted', 'State: Callback failed', '/requests?state=callback-failed'],
    ['nonsense', undefined, undefined],
    ['pend', 'State: Pending', '/requests?state=pending'],
    ['today to yesterday', undefined, undefined],
    ['yesterday to soon', undefined, undefined],
    ['', undefined, undefined],
  ])('%s', (text, meaning, address) => {
    expect(read(text)[0] ?? [undefined, undefined]).toEqual([meaning, address]);
  });

  it('an exact name comes first; failures found by text come after states', () => {
    expect(read('base').map(([words]) => words)).toEqual(['Network: Base', 'Network: Base Sepolia']);
    const words = ['State: Callback failed', 'State: Failed', 'Failure: Transfer failed'];
    expect(read('failed', ['Transfer failed']).map(([words]) => words)).toEqual(words);
  });
});
