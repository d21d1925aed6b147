import { describe, expect, it } from 'vitest';
import { guardPage, guardRequest } from './guard';

const hosts = new Set(['localhost', '127.0.0.1', '[::1]', 'dash.example.com']);
const from = (headers: Record<string, string | undefined>) => ({ header: (name: string) => headers[name] });
const kindOf = (host: string | undefined, site?: string, origin?: string, purpose?: string) => {
  const headers = { host, origin, 'sec-fetch-site': site, 'sec-purpose': purpose };
  return guardRequest(from(headers), hosts)?.kind;
};

describe('the host name', () => {
  it.each(['localhost', '127.0.0.1:3000', '[::1]:3000', '[::1]', 'Dash.Example.COM:80'])(
    '%s is answered',
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

describe('the site that a request comes from', () => {
  it.each(['same-origin', 'none', undefined])('%s is answered', (site) => {
    expect(kindOf('localhost:3000', site)).toBeUndefined();
  });

  it('is refused when it is another', () => {
    expect(kindOf('localhost:3000', 'cross-site')).toBe('forbidden');
    expect(kindOf('localhost:3000', 'CROSS-SITE', 'http://localhost:3000')).toBe('forbidden');
    expect(kindOf('localhost:3000', 'same-site', 'http://localhost:5000')).toBe('forbidden');
    expect(kindOf('localhost:3000', 'elsewhere')).toBe('forbidden');
    // An image on another port of this machine, or under another name of our domain: no Origin comes with it.
    expect(kindOf('localhost:3000', 'same-site')).toBe('forbidden');
  });

  it('is told by Origin where the browser says nothing else', () => {
    expect(kindOf('localhost:3000', undefined, 'http://localhost:3000')).toBeUndefined();
    expect(kindOf('dash.example.com', undefined, 'https://dash.example.com')).toBeUndefined();
    expect(kindOf('dash.example.com:443', undefined, 'https://dash.example.com')).toBeUndefined();
    for (const origin of ['https://evil.example', 'null', 'http://localhost:5000', 'file://']) {
      expect(kindOf('localhost:3000', undefined, origin)).toBe('forbidden');
    }
  });

  it('is asked for nothing in advance by another: browsers then say that nobody made them ask', () => {
    const inAdvance = (site: string, purpose: string) => kindOf('localhost:3000', site, undefined, purpose);
    for (const site of ['none', 'same-site', 'cross-site'])
      for (const purpose of ['prefetch', 'prefetch;prerender', 'Prefetch; anonymous-client-ip'])
        expect(inAdvance(site, purpose)).toBe('forbidden');
    expect(inAdvance('same-origin', 'prefetch')).toBeUndefined();
  });

  it('matters less than the host name', () => {
    expect(kindOf('evil.example', 'cross-site')).toBe('misdirected');
  });
});

describe('a page', () => {
  const pageKind = (site?: string, mode?: string, dest?: string, method = 'GET', more = {}) => {
    const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest };
    return guardPage(from({ host: 'localhost:3000', ...headers, ...more }), method, hosts)?.kind;
  };

  it('is opened by a link from another site, by hand, by our own pages and by programs', () => {
    for (const site of ['cross-site', 'same-site', 'none', 'same-origin'])
      expect(pageKind(site, 'navigate', 'document')).toBeUndefined();
    expect(pageKind('same-origin', 'cors', 'empty')).toBeUndefined();
    expect(pageKind()).toBeUndefined();
  });

  it('is not what another site embeds, loads or posts to: each of those would ask the services', () => {
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
