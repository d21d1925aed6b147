import { expect, it } from 'vitest';
import type { IncidentRecord } from '@/lib/core/incident-record';
import { laneRows } from './lanes';

const incident = (key: string, sinceMs: number, closedMs: number | null) =>
  ({ key, sinceMs, openedMs: sinceMs, closedMs }) as IncidentRecord;

it('incidents that overlap get separate rows, and a free row is used again', () => {
  const list = [incident('c', 60, null), incident('b', 20, 70), incident('a', 10, 50)];
  const { rows, rowOf } = laneRows(list, 100);
  expect(rows).toBe(2);
  expect(['a', 'b', 'c'].map(rowOf)).toEqual([0, 1, 0]);
  expect(laneRows([], 100).rows).toBe(1);
});
