import { expect, it } from 'vitest';
import { ExportSlots } from './export';

it('has four places, and a place is free again when it is given back, once', () => {
  const slots = new ExportSlots();
  const places = Array.from({ length: 4 }, () => slots.take());
  expect(places.every((place) => place !== undefined)).toBe(true);
  expect(slots.take()).toBeUndefined();
  places[0]?.();
  places[0]?.();
  expect(slots.take()).toBeDefined();
  expect(slots.take()).toBeUndefined();
});

it('one client has two of them at most, by whichever of its names', () => {
  const slots = new ExportSlots();
  const first = slots.take(['10.0.0.1', 'user ann']);
  slots.take(['10.0.0.2', 'user ann']);
  expect(slots.take(['10.0.0.3', 'user ann'])).toBeUndefined();
  expect(slots.take(['10.0.0.1', 'user bob'])).toBeDefined();
  first?.();
  expect(slots.take(['10.0.0.3', 'user ann'])).toBeDefined();
});
