import { expect, it } from 'vitest';
import { ConcurrencyLimit } from './request-body';

it('hands out four slots, and a released slot once more', () => {
  const places = new ConcurrencyLimit(4, 2);
  const slots = Array.from({ length: 4 }, () => places.acquire());
  expect(slots.every((place) => place !== undefined)).toBe(true);
  expect(places.acquire()).toBeUndefined();
  slots[0]?.();
  slots[0]?.();
  expect(places.acquire()).toBeDefined();
  expect(places.acquire()).toBeUndefined();
});

it('gives one client at most two slots, under any of its keys', () => {
  const places = new ConcurrencyLimit(4, 2);
  const first = places.acquire(['10.0.0.1', 'user ann']);
  places.acquire(['10.0.0.2', 'user ann']);
  expect(places.acquire(['10.0.0.3', 'user ann'])).toBeUndefined();
  expect(places.acquire(['10.0.0.1', 'user bob'])).toBeDefined();
  first?.();
  expect(places.acquire(['10.0.0.3', 'user ann'])).toBeDefined();
});
