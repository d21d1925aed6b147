import { describe, expect, it } from 'vitest';
import { guardPage, guardRequest } from './guard';

const hosts = new Set(['localhost', '127.0.0.1', '[::1]', 'dash.example.com']);
const headersOf = (headers: Record<string, string | undefined>) => ({
  header: (name: string) => headers[name],
});
const kindOf = (host: string | undefined, site?: string, origin?: string, purpose?: string) => {
  const headers = { host, origin, 'sec-fetch-site': site, 'sec-purpose': purpose };
  return guardRequest(headersOf(headers), hosts)?.kind;
};

describe('the host name', () => {
  it.each(['localhost', '127.0.0.1:3000', '[::1]:3000', '[::1]', 'Dash.Example.COM:80'])(
    'serves %s',
    (host) => {
      expect(kindOf(host)).toBeUndefined();
    },
  );

  it.each([
    undefined,
    '',
    'evil.example',
    'localhost.evil.example',
    'evil.example:3000',
    'user@localhost',
    'localhost:80:80',
    'localhost:port',
    'localhost/evil',
    '::1',
    '[::1',
    'localhost, evil.example',
    ' localhost',
  ])('%s is misdirected', (host) => {
    expect(kindOf(host)).toBe('misdirected');
  });
});

describe('the site of a request', () => {
  it.each(['same-origin', 'none', undefined])('accepts %s', (site) => {
    expect(kindOf('localhost:3000', site)).toBeUndefined();
  });

  it('refuses another site', () => {
    expect(kindOf('localhost:3000', 'cross-site')).toBe('forbidden');
    expect(kindOf('localhost:3000', 'CROSS-SITE', 'http://localhost:3000')).toBe('forbidden');
    expect(kindOf('localhost:3000', 'same-site', 'http://localhost:5000')).toBe('forbidden');
    expect(kindOf('localhost:3000', 'elsewhere')).toBe('forbidden');
    // An image requested by another port of this machine, or another subdomain, comes without an Origin.
    expect(kindOf('localhost:3000', 'same-site')).toBe('forbidden');
  });

  it('judges by Origin if the browser sends no other sign of the site', () => {
    expect(kindOf('localhost:3000', undefined, 'http://localhost:3000')).toBeUndefined();
    expect(kindOf('dash.example.com', undefined, 'https://dash.example.com')).toBeUndefined();
    expect(kindOf('dash.example.com:443', undefined, 'https://dash.example.com')).toBeUndefined();
    for (const origin of ['https://evil.example', 'null', 'http://localhost:5000', 'file://']) {
      expect(kindOf('localhost:3000', undefined, origin)).toBe('forbidden');
    }
  });

  it('refuses prefetches of another site, which browsers send like typed addresses', () => {
    const inAdvance = (site: string, purpose: string) => kindOf('localhost:3000', site, undefined, purpose);
    for (const site of ['none', 'same-site', 'cross-site'])
      for (const purpose of ['prefetch', 'prefetch;prerender', 'Prefetch; anonymous-client-ip'])
        expect(inAdvance(site, purpose)).toBe('forbidden');
    expect(inAdvance('same-origin', 'prefetch')).toBeUndefined();
  });

  it('checks the host name first', () => {
    expect(kindOf('evil.example', 'cross-site')).toBe('misdirected');
  });
});

describe('a page', () => {
  const pageKind = (site?: string, mode?: string, dest?: string, method = 'GET', more = {}) => {
    const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest };
    return guardPage(headersOf({ host: 'localhost:3000', ...headers, ...more }), method, hosts)?.kind;
  };

  it('opens from a link on another site, from a typed address, from our own pages and for programs', () => {
    for (const site of ['cross-site', 'same-site', 'none', 'same-origin'])
      expect(pageKind(site, 'navigate', 'document')).toBeUndefined();
    expect(pageKind('same-origin', 'cors', 'empty')).toBeUndefined();
    expect(pageKind()).toBeUndefined();
  });

  it('cannot be embedded, loaded or posted to by another site, because it calls the services', () => {
    for (const site of ['cross-site', 'same-site']) {
      expect(pageKind(site, 'no-cors', 'image')).toBe('forbidden');
      expect(pageKind(site, 'no-cors', 'script')).toBe('forbidden');
      expect(pageKind(site, 'navigate', 'iframe')).toBe('forbidden');
      expect(pageKind(site, 'navigate', 'document', 'POST')).toBe('forbidden');
      expect(pageKind(site)).toBe('forbidden');
    }
    for (const site of ['none', 'cross-site', 'same-site'])
      expect(pageKind(site, 'navigate', 'document', 'GET', { 'sec-purpose': 'prefetch' })).toBe('forbidden');
    const evil = { origin: 'https://evil.example' };
    expect(pageKind(undefined, undefined, undefined, 'POST', evil)).toBe('forbidden');
    expect(pageKind(undefined, undefined, undefined, 'GET', { host: 'evil.example' })).toBe('misdirected');
  });
});
