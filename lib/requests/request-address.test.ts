import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recordWith } from '@/lib/core/log-row-fixture';
import { linkOfKey, locatorPath, readLocator, requestPath } from './request-address';

const text = fc.string({ unit: 'grapheme', minLength: 1 });

function readPath(path: string) {
  const url = new URL(path, 'http://localhost');
  const [, , networkId = '', sequence = ''] = url.pathname.split('/');
  return readLocator(networkId, sequence, url.searchParams);
}

describe('the address of a request page', () => {
  it('is read back as it was written', () => {
    const locators = fc.record(
      {
        networkId: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String),
        sequence: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
        keepers: fc.uniqueArray(text, { maxLength: 3 }),
        provider: text,
        tx: text,
      },
      { requiredKeys: ['networkId', 'sequence', 'keepers'] },
    );
    fc.assert(
      fc.property(locators, (locator) => {
        expect(readPath(locatorPath(locator))).toEqual(locator);
      }),
    );
  });

  it('names everything that distinguishes a row from others of its sequence', () => {
    const row = { ...recordWith(), keeper: 'main' };
    expect(readPath(requestPath(row))).toEqual({
      networkId: '42161',
      sequence: '18446744073709551615',
      keepers: ['main'],
      provider: row.provider,
      tx: row.requestTxHash,
    });
  });

  it.each([
    ['base', '17'],
    ['8453', 'x'],
    ['8453', '-1'],
    ['8453', '0x11'],
    ['8453', '18446744073709551616'],
    ['9223372036854775808', '1'],
    ['8453', '9'.repeat(1_000_000)],
  ])('is none where the network or the sequence is no integer', (networkId, sequence) => {
    expect(readLocator(networkId, sequence, new URLSearchParams())).toBeUndefined();
  });
});

describe('the page of a key', () => {
  it('names keeper, network, sequence, provider and transaction', () => {
    expect(linkOfKey('main/8453/0xab/1234567/0xcd')).toEqual({
      href: '/requests/8453/1234567?keeper=main&provider=0xab&tx=0xcd',
      label: '1234567',
    });
    expect(linkOfKey('main/8453//5/')?.href).toBe('/requests/8453/5?keeper=main');
  });

  it('does not exist for an unreadable row', () => {
    expect(linkOfKey('main/unreadable/abc')).toBeUndefined();
    expect(linkOfKey('main/8453/0xab/-5/0xcd')).toBeUndefined();
    expect(linkOfKey('')).toBeUndefined();
  });

  it('lets no foreign text change an address', () => {
    expect(linkOfKey('main/8453/0xab&tx=1?#/../x/5/0xcd')?.href).toBe(
      '/requests/8453/5?keeper=main&provider=0xab%26tx%3D1%3F%23%2F..%2Fx&tx=0xcd',
    );
  });
});
