import fc from 'fast-check';
import { expect, it } from 'vitest';
import { returnPath, signInPath } from './text';

it.each(['/', '/requests?state=pending&q=0x12#row', '/feeds/Crypto.BTC/USD', '/prices?ids=a,b'])(
  'leads back to %s',
  (path) => {
    expect(returnPath(path)).toBe(path);
  },
);

it.each([
  undefined,
  '',
  'requests',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/..//evil.example',
  'https://evil.example/',
  'javascript:alert(1)',
  '/sign-in?next=/',
  '/api/session',
  '/api/logs/v1/logs',
])('never leads to %s', (path) => {
  expect(returnPath(path)).toBe('/');
});

it('whatever is asked for, it stays on our own host', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40, unit: 'binary-ascii' }), (text) => {
      const path = returnPath(`/${text}`);
      expect(new URL(path, 'http://dash.example').host).toBe('dash.example');
    }),
  );
});

it('is carried by the address of the sign-in page', () => {
  const address = signInPath('/requests?state=pending&size=50');
  const next = new URL(address, 'http://dash.example').searchParams.get('next') ?? '';
  expect(returnPath(next)).toBe('/requests?state=pending&size=50');
  expect(signInPath('//evil.example')).toBe('/sign-in');
});
