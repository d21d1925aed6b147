import { expect, it } from 'vitest';
import { ConcurrencyLimit } from './request-body';

it('hands out four slots, and a released slot once more', () => {
  const places = new ConcurrencyLimit(4, 2);
  const taken = Array.from({ length: 4 }, () => places.take());
  expect(taken.every((place) => place !== undefined)).toBe(true);
  expect(places.take()).toBeUndefined();
  taken[0]?.();
  taken[0]?.();
  expect(places.take()).toBeDefined();
  expect(places.take()).toBeUndefined();
});

it('gives one client at most two slots, under any of its keys', () => {
  const places = new ConcurrencyLimit(4, 2);
  const first = places.take(['10.0.0.1', 'user ann']);
  places.take(['10.0.0.2', 'user ann']);
  expect(places.take(['10.0.0.3', 'user ann'])).toBeUndefined();
  expect(places.take(['10.0.0.1', 'user bob'])).toBeDefined();
  first?.();
  expect(places.take(['10.0.0.3', 'user ann'])).toBeDefined();
});
