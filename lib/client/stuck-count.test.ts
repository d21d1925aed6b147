import { expect, it } from 'vitest';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import { stuckCountOf } from './stuck-count';

const keeper = (given: Partial<KeeperStatus> = {}) =>
  ({ keeper: 'main', state: 'live', syncedAtMs: 1, pendingAtMs: 1, failure: null, ...given }) as KeeperStatus;
const pending = (stuck: number, complete: boolean) => ({ pending: 9, incidents: 1, stuck, complete });

it('is exact only when all of it is known, and never calm for what is not known', () => {
  const index = [keeper()];
  expect(stuckCountOf({ index, pending: pending(3, true) })).toEqual({
    kind: 'stuck',
    stuck: 3,
    whole: 'yes',
  });
  expect(stuckCountOf({ index, pending: pending(3, false) })).toMatchObject({ whole: 'no' });
  expect(stuckCountOf({ index, pending: pending(0, true) }).kind).toBe('nothing-stuck');
  expect(stuckCountOf({ index, pending: pending(0, false) }).kind).toBe('not-known');
});

it('has nothing to say before the first sync, and where no log service is configured', () => {
  const [beginning, failing] = [
    keeper({ syncedAtMs: null }),
    keeper({ syncedAtMs: null, failure: { kind: 'timeout', detail: '' } }),
  ];
  expect(stuckCountOf({ index: [beginning], pending: pending(0, false) }).kind).toBe('syncing');
  expect(stuckCountOf({ index: [failing], pending: pending(0, false) }).kind).toBe('not-known');
  expect(stuckCountOf({ index: [], pending: pending(0, true) }).kind).toBe('unasked');
});
