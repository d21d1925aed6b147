import { expect, it } from 'vitest';
import { beforeCoverage, keepersBehind, lastReadMs } from './coverage';
import { defaultRequestsView, type RequestsView } from './view';

const NOW_MS = Date.parse('2026-11-20T12:00:00Z');
const DAY_MS = 86_400_000;
const view = (time: RequestsView['time']): RequestsView => ({ ...defaultRequestsView(), time });

it.each([
  ['a range within the kept days', { kind: 'last', range: '1h' }, 0],
  ['a range longer than the kept days', { kind: 'last', range: '7d' }, 1],
  ['all time', { kind: 'all' }, 1],
  ['a start within the kept days', { kind: 'between', from: '2026-11-19T00:00:00Z' }, 0],
  ['a start before the kept days', { kind: 'between', from: '2026-11-01T00:00:00Z' }, 1],
] as const)('%s: %o begins before the coverage of %i keepers', (_, time, count) => {
  const keptDays = { coversAll: false, coveredFromMs: NOW_MS - 2 * DAY_MS };
  const whole = { coversAll: true, coveredFromMs: NOW_MS - DAY_MS };
  expect(beforeCoverage([keptDays, whole], view(time), NOW_MS)).toEqual([keptDays].slice(0, count));
});

it('nothing is covered before the first read', () => {
  const unread = { coversAll: false, coveredFromMs: null };
  expect(beforeCoverage([unread], view({ kind: 'last', range: '1h' }), NOW_MS)).toEqual([unread]);
});

it.each([
  ['the last hour', { kind: 'last', range: '1h' }, ['old', 'unread']],
  ['all time', { kind: 'all' }, ['old', 'unread']],
  ['a range that ended before the reads', { kind: 'between', to: '2026-11-20T06:00:00Z' }, ['unread']],
  ['an open range', { kind: 'between', from: '2026-11-20T06:00:00Z' }, ['old', 'unread']],
] as const)('keepers are behind %s if they were not read up to its end', (_, time, names) => {
  const fresh = { keeper: 'fresh', syncedAtMs: NOW_MS - 20_000 };
  const old = { keeper: 'old', syncedAtMs: NOW_MS - 5 * 3_600_000 };
  const unread = { keeper: 'unread', syncedAtMs: null };
  const behind = keepersBehind([fresh, old, unread], view(time), NOW_MS);
  expect(behind.map(({ keeper }) => keeper)).toEqual(names);
  expect(lastReadMs([fresh, old], view(time), NOW_MS)).toBeUndefined();
  const all: RequestsView['time'] = { kind: 'all' };
  expect(lastReadMs([old, unread], view(all), NOW_MS)).toBe(old.syncedAtMs);
});
