import { expect, it } from 'vitest';
import { durationTicks, durationTickText } from './over-time';

it.each([
  [[], ['1 d', '10 d']],
  [[2_000_000], ['1 s', '10 s']],
  [[10_000_000], ['10 s', '1 min']],
  [
    [0, 700_000_000],
    ['0.1 s', '1 s', '10 s', '1 min', '10 min', '1 h'],
  ],
  [
    [86_400_000_000, 9e15],
    ['1 d', '10 d'],
  ],
])('the scale of %j microseconds', (lengths, texts) => {
  expect(durationTicks(lengths).map(durationTickText)).toEqual(texts);
});
