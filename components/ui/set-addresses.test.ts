import { expect, test } from 'vitest';
import { setAddresses } from './use-address';

const at = (query: string) => ({ path: '/requests', query });

test('the last one that was set counts until it is drawn', () => {
  const addresses = setAddresses();
  expect(addresses.latest()).toBeUndefined();
  const first = addresses.set(at('?a'));
  const second = addresses.set(at('?b'));
  expect(addresses.latest()).toMatchObject(at('?b'));
  addresses.drawn(first);
  expect(addresses.latest()).toMatchObject(at('?b'));
  addresses.drawn(second);
  expect(addresses.latest()).toBeUndefined();
});

test('there and back again, drawn in one go, ends where it began', () => {
  const addresses = setAddresses();
  addresses.drawn(addresses.set(at('')));
  addresses.set(at('?a'));
  addresses.drawn(addresses.set(at('')));
  expect(addresses.latest()).toBeUndefined();
});

test('what was left out for a later one does not come back', () => {
  const addresses = setAddresses();
  addresses.set(at('?a'));
  const drawn = addresses.set(at('?b'));
  addresses.set(at('?c'));
  addresses.drawn(drawn);
  addresses.drawn(drawn);
  expect(addresses.latest()).toMatchObject(at('?c'));
});
