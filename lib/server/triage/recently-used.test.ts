import { expect, it } from 'vitest';
import { ManualTimers } from '@/lib/upstream/manual-timers';
import { RecentlyUsed } from './recently-used';

function made(most = 3) {
  const timers = new ManualTimers();
  const entries = new RecentlyUsed<object>({ timers, most, idleMs: 60_000 });
  return { timers, entries, get: (key: string) => entries.get(key, () => ({ key })) };
}

it('gives the same entry to all who ask for it', () => {
  const { get } = made();
  expect(get('a')).toBe(get('a'));
  expect(get('a')).not.toBe(get('b'));
});

it('lets the one go that was not used for longest when there are too many', () => {
  const { get, entries } = made(3);
  const [a, b] = [get('a'), get('b')];
  get('c');
  get('a');
  get('d');
  expect(entries.size).toBe(3);
  expect(get('a')).toBe(a);
  expect(get('b')).not.toBe(b);
});

it('lets each go a while after nobody used it any more, and all of them in the end', () => {
  const { get, entries, timers } = made();
  get('a');
  timers.advance(40_000);
  const b = get('b');
  timers.advance(40_000);
  expect(get('b')).toBe(b);
  timers.advance(30_000);
  expect(entries.size).toBe(1);
  timers.advance(120_000);
  expect(entries.size).toBe(0);
});

it('waits no longer with one than with another, whenever it was used last', () => {
  const { get, entries, timers } = made();
  get('a');
  timers.advance(59_000);
  get('b');
  timers.advance(59_999);
  expect(entries.size).toBe(1);
  timers.advance(1);
  expect(entries.size).toBe(0);
});
