import { describe, expect, it } from 'vitest';
import { linkOfKey } from './request-key';

describe('the page of a key', () => {
  it('names keeper, network, number, provider and transaction', () => {
    expect(linkOfKey('main/8453/0xab/1234567/0xcd')).toEqual({
      href: '/requests/8453/1234567?keeper=main&provider=0xab&tx=0xcd',
      label: '1,234,567',
    });
    expect(linkOfKey('main/8453//5/#2')?.href).toBe('/requests/8453/5?keeper=main');
  });

  it('is none for a row that can’t be read', () => {
    expect(linkOfKey('main/unreadable/abc')).toBeUndefined();
    expect(linkOfKey('main/8453/0xab/-5/0xcd')).toBeUndefined();
    expect(linkOfKey('')).toBeUndefined();
  });

  it('lets no stranger write an address', () => {
    expect(linkOfKey('main/8453/0xab&tx=1?#/../x/5/0xcd')?.href).toBe(
      '/requests/8453/5?keeper=main&provider=0xab%26tx%3D1%3F%23%2F..%2Fx&tx=0xcd',
    );
  });
});
