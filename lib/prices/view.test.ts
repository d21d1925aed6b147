import { describe, expect, it } from 'vitest';
import { lookupUrl, momentOfView } from './view';

describe('the address of a lookup', () => {
  it('holds only values that differ from the defaults, in readable form', () => {
    expect(lookupUrl('/prices', { ids: ['Crypto.BTC/USD'], at: '2026-11-20T12:00:00Z', mode: 'table' })).toBe(
      '/prices?ids=Crypto.BTC/USD&at=2026-11-20T12:00:00Z',
    );
  });

  it('names a moment as ISO time or seconds, and of several, as in old links, the first counts', () => {
    expect(momentOfView(null)).toBe('now');
    expect(momentOfView('now')).toBe('now');
    expect(momentOfView('1795176000')).toBe(1_795_176_000_000_000n);
    expect(momentOfView('2026-11-20T12:00:00.000001Z/2026-11-20T13:00:00Z/60s')).toBe(1_795_176_000_000_001n);
    expect(momentOfView('1795176000000000')).toBeUndefined();
  });
});
