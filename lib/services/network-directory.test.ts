import { expect, it } from 'vitest';
import { networksFor, readChains } from './network-directory';

it('names the networks with a randomness contract', () => {
  const [base, arbitrum] = networksFor(['8453', '42161'], {});
  expect(base).toMatchObject({ networkId: '8453', name: 'Base', known: true });
  expect(arbitrum).toMatchObject({ networkId: '42161', name: 'Arbitrum One', testnet: false });
});

it('names other chains, and shows an unknown id as it is', () => {
  const [polygon, unknown] = networksFor(['137', '18446744073709551615'], {});
  const fromRegistry = { name: 'Polygon', explorerTx: 'https://polygonscan.com/tx/{hash}', known: true };
  expect(polygon).toMatchObject(fromRegistry);
  expect(unknown).toMatchObject({ networkId: '18446744073709551615', known: false });
});

it('lets the operator name a network and complete a known one', () => {
  const settings = {
    '8453': { explorerTx: 'https://mine.example/{hash}', thresholds: { stuckAfterS: 600 } },
    '777000777': { name: 'Ours' },
  };
  const [base, ours] = networksFor(['8453', '777000777'], settings);
  expect(base).toMatchObject({ name: 'Base', explorerTx: 'https://mine.example/{hash}', known: true });
  expect(base).not.toHaveProperty('thresholds');
  expect(ours).toMatchObject({ name: 'Ours', known: true });
});

it('reads ids as numbers or text, each once, without invalid ones and networks that are not set up', () => {
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
