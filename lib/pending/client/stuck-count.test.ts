import { expect, it } from 'vitest';
import type { KeeperStatus, PendingCounts } from '@/lib/requests/keeper-status';
import { stuckCountOf } from './stuck-count';

const INDEX = [{ keeper: 'main', syncedAtMs: 1, pendingAtMs: 1, failure: null }] as KeeperStatus[];
const counts = (stuck: number): PendingCounts => {
  return { atMs: 1, pending: 9, stuck, worst: 'warning', acknowledged: 0, parked: 0, complete: true };
};

it('nothing counts as stuck only while the dashboard answers; a number of stuck requests stays', () => {
  expect(stuckCountOf(INDEX, counts(0), 'connected').kind).toBe('nothing-stuck');
  expect(stuckCountOf(INDEX, counts(0), 'cut-off').kind).toBe('not-known');
  expect(stuckCountOf(INDEX, counts(41), 'cut-off')).toMatchObject({ kind: 'stuck', stuck: 41 });
  expect(stuckCountOf([], undefined, 'cut-off').kind).toBe('unconfigured');
});
