import { expect, it } from 'vitest';
import { readChains } from './network-directory';

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
