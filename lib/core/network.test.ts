import { describe, expect, it } from 'vitest';
import facts from '@/data/networks.json';
import {
  explorerAddressUrl,
  explorerTxUrl,
  isExplorerTemplate,
  type Network,
  unknownNetwork,
} from './network';
import { builtInNetwork } from './registry';

const HASH = `0x${'aB'.repeat(32)}`;
const ADDRESS = `0x${'Cd'.repeat(20)}`;

const network = (explorerTx: string, explorerAddress: string): Network => ({
  ...unknownNetwork('1'),
  explorerTx,
  explorerAddress,
});

describe('explorer links', () => {
  const explored = network('https://scan.example/tx/{hash}', 'https://scan.example/address/{address}?tab=1');

  it('are built from well-formed hashes and addresses', () => {
    expect(explorerTxUrl(explored, HASH)).toBe(`https://scan.example/tx/${HASH}`);
    expect(explorerAddressUrl(explored, ADDRESS)).toBe(`https://scan.example/address/${ADDRESS}?tab=1`);
  });

  it.each([
    undefined,
    '',
    '0x',
    HASH.slice(0, -1),
    `${HASH}0`,
    HASH.slice(2),
    'javascript:alert(1)',
    `${HASH}\n`,
  ])('are not built from %j', (text) => {
    expect(explorerTxUrl(explored, text)).toBeUndefined();
    expect(explorerAddressUrl(explored, text)).toBeUndefined();
  });

  it.each([
    'http://scan.example/tx/{hash}',
    'javascript:alert("{hash}")',
    'data:text/html,{hash}',
    '//scan.example/{hash}',
    'https://user:password@scan.example/{hash}',
    'https://scan.example/tx/',
    '{hash}',
    '',
  ])('are not built from the template %j', (template) => {
    expect(explorerTxUrl(network(template, ''), HASH)).toBeUndefined();
    expect(isExplorerTemplate(template, '{hash}')).toBe(false);
  });

  it('are not built for an unknown network', () => {
    expect(explorerTxUrl(unknownNetwork('5'), HASH)).toBeUndefined();
    expect(explorerAddressUrl(unknownNetwork('5'), ADDRESS)).toBeUndefined();
  });
});

describe('the built-in registry', () => {
  it('names its networks and links each of them', () => {
    const networks = facts.map(({ network_id }) => builtInNetwork(network_id));
    expect(networks.length).toBeGreaterThanOrEqual(49);
    expect(new Set(networks.map((each) => each.networkId)).size).toBe(networks.length);
    for (const each of networks) {
      expect(each.known).toBe(true);
      expect(explorerTxUrl(each, HASH)).toContain(HASH);
      expect(explorerAddressUrl(each, ADDRESS)).toContain(ADDRESS);
    }
    expect(builtInNetwork('42161').name).toBe('Arbitrum One');
  });

  it('shows an unknown id as it is', () => {
    expect(builtInNetwork('18446744073709551615')).toEqual({
      networkId: '18446744073709551615',
      name: 'Network 18446744073709551615',
      testnet: undefined,
      known: false,
    });
  });
});
