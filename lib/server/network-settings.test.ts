import { expect, it } from 'vitest';
import { readNetworkSettings } from './network-settings';

const read = (text: string) => readNetworkSettings({ NETWORKS_FILE: 'networks.json' }, () => text);

it('reads names and explorer templates by network id', () => {
  const networks = {
    '31337': {
      name: ' Local ',
      explorerTx: 'https://e.example/tx/{hash}',
      explorerAddress: 'https://e.example/a/{address}?x=1',
    },
    '1': {},
  };
  expect(read(JSON.stringify(networks))).toEqual({
    '31337': { ...networks['31337'], name: 'Local' },
    '1': {},
  });
});

it('is empty when no file is named', () => {
  expect(readNetworkSettings({})).toEqual({});
});

it.each([
  ['not JSON', 'hush {'],
  ['a list', '[]'],
  ['null', 'null'],
  ['a network by name', '{"base": {}}'],
  ['an unknown member', '{"1": {"hush": 1}}'],
  ['an entry that is no object', '{"1": "hush"}'],
])('refuses %s by its form, without quoting the file', (_, text) => {
  expect(() => read(text)).toThrow(/^NETWORKS_FILE should name a readable JSON file/);
  expect(() => read(text)).not.toThrow(/hush/);
});

it.each([
  ['{"1": {"name": ""}}', 'name of network 1 should be a text of 1 to 100 characters'],
  ['{"1": {"name": 5}}', 'name of network 1 should be a text'],
  [
    '{"1": {"explorerTx": "http://e.example/{hash}"}}',
    'explorerTx of network 1 should be an https URL with {hash} in it',
  ],
  ['{"1": {"explorerTx": "https://e.example/{address}"}}', 'explorerTx of network 1 should be an https URL'],
  ['{"1": {"explorerTx": "javascript:alert({hash})"}}', 'explorerTx of network 1 should be an https URL'],
  [
    '{"1": {"explorerAddress": "https://{address}.example/"}}',
    'explorerAddress of network 1 should be an https URL',
  ],
])('refuses %s', (text, line) => {
  expect(() => read(text)).toThrow(line);
});

it.each(['slowAfterS', 'retryBudgetS', 'stuckAfterS', 'backlogBlocks'])(
  'refuses %s, which nothing honours',
  (member) => {
    expect(() => read(JSON.stringify({ 8453: { [member]: 5 } }))).toThrow(
      `NETWORKS_FILE: ${member} of network 8453 is not honoured yet; remove it`,
    );
  },
);
