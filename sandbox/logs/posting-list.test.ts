import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventQueue } from './event-queue';
import { PostingList } from './posting-list';

test('a posting list is the sorted set of what was inserted and not removed', () => {
  const step = fc.record({ remove: fc.boolean(), row: fc.nat({ max: 60 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const list = new PostingList(1);
      const model = new Set<number>();
      for (const { remove, row } of steps) {
        if (remove) list.remove(row);
        else list.insert(row);
        if (remove) model.delete(row);
        else model.add(row);
      }
      const sorted = [...model].sort((a, b) => a - b);
      expect(Array.from({ length: list.length }, (_, place) => list.at(place))).toEqual(sorted);
      for (const row of [0, 30, 61]) {
        expect(list.placeOf(row)).toBe(sorted.filter((one) => one < row).length);
      }
    }),
  );
});

test('events come out by time, and none before its time', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 100 })), fc.nat({ max: 100 }), (times, until) => {
      const queue = new EventQueue();
      for (const [row, ms] of times.entries()) queue.push({ ms, row, state: 1 });
      const taken: number[] = [];
      for (let event = queue.popUntil(until); event; event = queue.popUntil(until)) taken.push(event.ms);
      expect(taken).toEqual(times.filter((ms) => ms <= until).sort((a, b) => a - b));
    }),
  );
});
