import { expect, it } from 'vitest';
import { CallHistory } from './call-history';

const event = (route: string, outcome: 'ok' | 'failing' = 'ok') => ({
  label: 'updates',
  route,
  outcome,
  ms: 12,
  bytes: 300,
  status: outcome === 'ok' ? 200 : 500,
  called: true,
});
const MINUTE = 60_000;
const T = 1_800_000_000_000;

it('counts the calls of a step together, and names the first failure among them', () => {
  const history = new CallHistory();
  history.add(T, event('latest'), undefined);
  history.add(T + MINUTE, event('latest', 'failing'), 'failing');
  history.add(T + 2 * MINUTE, event('latest', 'failing'), 'timeout');
  history.add(T + 11 * MINUTE, event('latest'), undefined);
  expect(history.spans(T + 12 * MINUTE, 10 * MINUTE)).toEqual([
    { fromMs: T, calls: 3, failed: 2, firstFailure: { atMs: T + MINUTE, kind: 'failing' } },
    { fromMs: T + 10 * MINUTE, calls: 1, failed: 0 },
  ]);
});

it('counts a refused query as an answer of a working service', () => {
  const history = new CallHistory();
  history.add(T, { ...event('latest'), outcome: 'missing' }, undefined);
  expect(history.spans(T, MINUTE)).toMatchObject([{ calls: 1, failed: 0 }]);
});

it('forgets calls older than a day, and all but the latest', () => {
  const history = new CallHistory();
  for (let minute = 0; minute < 48 * 60; minute += 1)
    history.add(T + minute * MINUTE, event(String(minute)), undefined);
  const nowMs = T + 48 * 60 * MINUTE;
  const spans = history.spans(nowMs, 10 * MINUTE);
  expect(spans.length).toBe(144);
  expect(spans[0]?.fromMs).toBe(T + 24 * 60 * MINUTE);
  expect(history.spans(nowMs + 24 * 60 * MINUTE, MINUTE)).toEqual([]);
  expect(history.recent().map(({ route }) => Number(route))).toEqual(
    Array.from({ length: 15 }, (_, index) => 48 * 60 - 1 - index),
  );
});
