import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { chainRows, chainsText } from './chains';

const chain = (id: number, name: string, url?: string) => ({
  id,
  name,
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
  ...(url === undefined ? {} : { blockExplorers: { default: { name: 'Explorer', url } } }),
});

it('links only to plain https explorers, and gives a shared id to the first chain', () => {
  const rows = chainRows([
    chain(1, 'First', 'https://one.example/'),
    chain(1, 'Second', 'https://two.example'),
    chain(2, 'Query', 'https://three.example/?network=x'),
    chain(3, 'Plain', 'http://four.example'),
    chain(4, 'None'),
  ]);
  expect(rows).toEqual([
    {
      network_id: '1',
      name: 'First',
      testnet: false,
      explorer_tx: 'https://one.example/tx/{hash}',
      explorer_address: 'https://one.example/address/{address}',
    },
    { network_id: '2', name: 'Query', testnet: false },
    { network_id: '3', name: 'Plain', testnet: false },
    { network_id: '4', name: 'None', testnet: false },
  ]);
});

it('finds data/chains.json as the installed library makes it', () => {
  expect(readFileSync('data/chains.json', 'utf8')).toBe(chainsText());
});
