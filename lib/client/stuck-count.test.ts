import { expect, it } from 'vitest';
import { failed, ok } from '@/lib/domain/outcome';
import { readStuckCount, stuckCountOf } from './stuck-count';

const counts = { stuck: 3, missing: 0, unreadable: 0 };

it('is exact only when everything was looked at', () => {
  const standing = { kind: 'stuck' };
  expect(stuckCountOf({ state: 'complete', standing, counts })).toEqual({
    kind: 'stuck',
    stuck: 3,
    whole: 'yes',
  });
  expect(stuckCountOf({ state: 'partial', standing, counts })).toMatchObject({ whole: 'no' });
  expect(stuckCountOf({ state: 'complete', standing, counts: { ...counts, missing: 2 } })).toMatchObject({
    whole: 'no',
  });
});

it('is calm only when the server says so, and never for what it cannot read', () => {
  expect(stuckCountOf({ state: 'complete', standing: { kind: 'nothing-stuck' }, counts }).kind).toBe(
    'nothing-stuck',
  );
  expect(stuckCountOf({ state: 'gathering', standing: { kind: 'not-known' } }).kind).toBe('looking');
  expect(stuckCountOf({ state: 'partial', standing: { kind: 'not-known' } }).kind).toBe('not-known');
  expect(stuckCountOf({}).kind).toBe('not-known');
  expect(stuckCountOf({ standing: { kind: 'stuck' }, counts: { stuck: 'many' } }).kind).toBe('not-known');
});

it('has nothing to say where no log service is configured, and a question mark for any other trouble', () => {
  const kindOf = (kind: 'unconfigured' | 'timeout' | 'failing') =>
    readStuckCount(failed({ kind, detail: '' })).kind;
  expect([kindOf('unconfigured'), kindOf('timeout'), kindOf('failing')]).toEqual([
    'unasked',
    'not-known',
    'not-known',
  ]);
  expect(readStuckCount(ok('<html>')).kind).toBe('not-known');
  expect(readStuckCount(ok('{"state":"complete","standing":{"kind":"nothing-stuck"}}')).kind).toBe(
    'nothing-stuck',
  );
});
