import { describe, expect, it } from 'vitest';
import { guardHost, guardRequest } from './guard';

const hosts = new Set(['localhost', '127.0.0.1', '[::1]', 'dash.example.com']);
const kindOf = (host: string | undefined, secFetchSite?: string, origin?: string) =>
  guardRequest({ host, origin, secFetchSite }, hosts)?.kind;

describe('the host name', () => {
  it.each(['localhost', '127.0.0.1:3000', '[::1]:3000', '[::1]', 'Dash.Example.COM:80'])(
    '%s is answered',
    (host) => {
      expect(guardHost(host, hosts)).toBeUndefined();
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
    expect(guardHost(host, hosts)).toMatchObject({ kind: 'misdirected', status: 421 });
  });
});

describe('the site that a request comes from', () => {
  it.each(['same-origin', 'same-site', 'none', undefined])('%s is answered', (site) => {
    expect(kindOf('localhost:3000', site)).toBeUndefined();
  });

  it('is refused when it is another', () => {
    expect(kindOf('localhost:3000', 'cross-site')).toBe('forbidden');
    expect(kindOf('localhost:3000', 'CROSS-SITE', 'http://localhost:3000')).toBe('forbidden');
    expect(kindOf('localhost:3000', 'same-site', 'http://localhost:5000')).toBe('forbidden');
    expect(kindOf('localhost:3000', 'elsewhere')).toBe('forbidden');
  });

  it('is told by Origin where the browser says nothing else', () => {
    expect(kindOf('localhost:3000', undefined, 'http://localhost:3000')).toBeUndefined();
    expect(kindOf('dash.example.com', undefined, 'https://dash.example.com')).toBeUndefined();
    expect(kindOf('dash.example.com:443', undefined, 'https://dash.example.com')).toBeUndefined();
    for (const origin of ['https://evil.example', 'null', 'http://localhost:5000', 'file://']) {
      expect(kindOf('localhost:3000', undefined, origin)).toBe('forbidden');
    }
  });

  it('matters less than the host name', () => {
    expect(kindOf('evil.example', 'cross-site')).toBe('misdirected');
  });
});
