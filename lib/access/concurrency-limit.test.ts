import { expect, it } from 'vitest';
import { ConcurrencyLimit } from './request-body';

it('has four places, and a place is free again when it is given back, once', () => {
  const places = new ConcurrencyLimit(4, 2);
  const taken = Array.from({ length: 4 }, () => places.take());
  expect(taken.every((place) => place !== undefined)).toBe(true);
  expect(places.take()).toBeUndefined();
  taken[0]?.();
  taken[0]?.();
  expect(places.take()).toBeDefined();
  expect(places.take()).toBeUndefined();
});

it('one client has two of them at most, by whichever of its names', () => {
  const places = new ConcurrencyLimit(4, 2);
  const first = places.take(['10.0.0.1', 'user ann']);
  places.take(['10.0.0.2', 'user ann']);
  expect(places.take(['10.0.0.3', 'user ann'])).toBeUndefined();
  expect(places.take(['10.0.0.1', 'user bob'])).toBeDefined();
  first?.();
  expect(places.take(['10.0.0.3', 'user ann'])).toBeDefined();
});
