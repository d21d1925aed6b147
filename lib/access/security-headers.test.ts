import { expect, it } from 'vitest';
import { contentSecurityPolicy, freshNonce } from './guard';

it('allows no inline script and no evaluation in production', () => {
  const policy = contentSecurityPolicy('abc', false);
  const scripts = policy.split('; ').find((directive) => directive.startsWith('script-src'));
  expect(scripts).toBe("script-src 'self' 'nonce-abc' 'strict-dynamic'");
  expect(policy).toContain("style-src-elem 'self' 'nonce-abc'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/[\n,]|unsafe-eval|https?:|ws:|\*/);
});

it('allows hot reload to evaluate code and connect', () => {
  expect(contentSecurityPolicy('abc', true)).toMatch(/'unsafe-eval'.*ws:/);
});

it('makes a new nonce each time', () => {
  expect(new Set(Array.from({ length: 100 }, freshNonce)).size).toBe(100);
  expect(freshNonce()).toMatch(/^[A-Za-z0-9+/]{22}==$/);
});
