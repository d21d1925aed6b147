import { expect, it } from 'vitest';
import { chainsById, networksFor, readChains } from './network-directory';

const chain = (id: number, name: string, url?: string) => ({
  id,
  name,
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
  ...(url === undefined ? {} : { blockExplorers: { default: { name: 'Explorer', url } } }),
});
const never = () => Promise.reject(new Error('the library was not needed'));

it('knows the networks with a randomness contract without the library', async () => {
  const [base, arbitrum] = await networksFor(['8453', '42161'], {}, never);
  expect(base).toMatchObject({ networkId: '8453', name: 'Base', known: true });
  expect(arbitrum).toMatchObject({ networkId: '42161', name: 'Arbitrum One', testnet: false });
});

it('asks the library for other ids, and shows an id that nobody knows', async () => {
  const [polygon, unknown] = await networksFor(['137', '18446744073709551615'], {});
  const known = { name: 'Polygon', explorerTx: 'https://polygonscan.com/tx/{hash}', known: true };
  expect(polygon).toMatchObject(known);
  expect(unknown).toMatchObject({ networkId: '18446744073709551615', known: false });
});

it('lets the operator name a network and complete a known one', async () => {
  const settings = {
    '8453': { explorerTx: 'https://mine.example/{hash}', thresholds: { stuckAfterS: 600 } },
    '777000777': { name: 'Ours' },
  };
  const lookup = () => Promise.resolve(new Map());
  const [base, ours] = await networksFor(['8453', '777000777'], settings, lookup);
  expect(base).toMatchObject({ name: 'Base', explorerTx: 'https://mine.example/{hash}', known: true });
  expect(base).not.toHaveProperty('thresholds');
  expect(ours).toMatchObject({ name: 'Ours', known: true });
});

it('links only to plain https explorers, and gives a shared id to one chain', () => {
  const chains = chainsById([
    chain(1, 'First', 'https://one.example/'),
    chain(1, 'Second', 'https://two.example'),
    chain(2, 'Query', 'https://three.example/?network=x'),
    chain(3, 'Plain', 'http://four.example'),
    chain(4, 'None'),
  ]);
  expect(chains.get('1')).toMatchObject({
    name: 'First',
    explorerAddress: 'https://one.example/address/{address}',
  });
  for (const id of ['2', '3', '4']) expect(chains.get(id)?.explorerTx).toBeUndefined();
});

it('reads ids as numbers or text, each once, and leaves out what is none or not set up yet', () => {
  const text =
    '[{"network_id":8453,"name":"base"},{"network_id":"42161"},{"network_id":8453,"name":"base"},{"name":"x"},7,' +
    '{"network_id":0,"name":"new"},{"network_id":-1},{"network_id":18446744073709551615}]';
  expect(readChains(text)).toEqual([
    { networkId: '8453', name: 'base' },
    { networkId: '42161', name: '' },
    { networkId: '18446744073709551615', name: '' },
  ]);
  for (const odd of ['<html>', '{}', '']) expect(readChains(odd)).toBeUndefined();
});
