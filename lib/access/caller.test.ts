import { expect, it } from 'vitest';
import { clientAddress } from './caller';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['192.0.2.7:50123', '192.0.2.7'],
  [' 192.0.2.7 ', '192.0.2.7'],
  ['[::ffff:192.0.2.7]:50123', '192.0.2.7'],
  ['[::ffff:192.0.2.8]', '192.0.2.8'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::9]:50123', '2001:db8:1:2::/64'],
  ['2001:db8::9', '2001:db8:0:0::/64'],
  ['2001:db8::1:2:3:4:5', '2001:db8:0:1::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['_hidden', '_hidden'],
  ['', 'unknown'],
  [undefined, 'unknown'],
])('%s is counted as %s', (address, client) => {
  expect(clientAddress(address)).toBe(client);
});

it('counts IPv6 networks apart by their first 64 bits', () => {
  expect(clientAddress('2001:db8:1:2::1')).not.toBe(clientAddress('2001:db8:1:3::1'));
});

it('truncates a text that is no address', () => {
  expect(clientAddress('x'.repeat(16_000))).toBe('x'.repeat(64));
});
