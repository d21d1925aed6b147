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

it.each([
  ['slowAfterS', 0, 'a number of seconds above 0 and at most 604800'],
  ['retryBudgetS', -1, 'a number of seconds above 0'],
  ['stuckAfterS', 604_801, 'a number of seconds above 0'],
  ['stuckAfterS', '60', 'a number of seconds above 0'],
  ['stuckAfterS', null, 'a number of seconds above 0'],
  ['backlogBlocks', -1, 'a number of blocks from 0 to 1000000000'],
  ['backlogBlocks', 'all', 'a number of blocks from 0'],
])('refuses %s of %j', (member, value, form) => {
  expect(() => read(JSON.stringify({ 8453: { [member]: value } }))).toThrow(
    `NETWORKS_FILE: ${member} of network 8453 should be ${form}`,
  );
});

it('reads thresholds of pending requests', () => {
  const thresholds = { slowAfterS: 2.5, retryBudgetS: 10, stuckAfterS: 10, backlogBlocks: 0 };
  expect(read(JSON.stringify({ 8453: thresholds, 1: { stuckAfterS: 900 } }))).toEqual({
    '8453': { thresholds },
    '1': { thresholds: { stuckAfterS: 900 } },
  });
});
