import { expect, test } from 'vitest';
import { setAddresses } from './set-addresses';

test('the last one that was set counts until the router tells of it', () => {
  const addresses = setAddresses();
  addresses.tell('/r?');
  expect(addresses.latest()).toBeUndefined();
  addresses.set('/r?a');
  addresses.set('/r?b');
  expect(addresses.latest()).toBe('/r?b');
  addresses.tell('/r?a');
  expect(addresses.latest()).toBe('/r?b');
  addresses.tell('/r?b');
  expect(addresses.latest()).toBeUndefined();
});

test('the router may leave one out', () => {
  const addresses = setAddresses();
  for (const address of ['/r?a', '/r?b', '/r?c']) addresses.set(address);
  addresses.tell('/r?b');
  expect(addresses.latest()).toBe('/r?c');
});

test('several that are told of the same one count once', () => {
  const addresses = setAddresses();
  addresses.set('/r?a');
  addresses.set('/r?b');
  addresses.tell('/r?a');
  addresses.tell('/r?a');
  expect(addresses.latest()).toBe('/r?b');
});

test('there and back again ends where it began', () => {
  const addresses = setAddresses();
  for (const address of ['/r?a', '/r?b', '/r?a']) addresses.set(address);
  addresses.tell('/r?a');
  expect(addresses.latest()).toBeUndefined();
});

test.each(['a link', 'Back'])('%s to somewhere else ends what was set', (way) => {
  const addresses = setAddresses();
  addresses.set('/r?a');
  if (way === 'Back') addresses.forget();
  else addresses.tell('/p?');
  expect(addresses.latest()).toBeUndefined();
});
