import { expect, it } from 'vitest';
import { changeText, lengthText, orDash } from './format';

it.each([
  [0, '0.0 s'],
  [840_000, '0.8 s'],
  [12_440_000, '12.4 s'],
  [12_899_000, '12.8 s'],
  [59_960_000, '59.9 s'],
  [425_000_000, '7 min 05 s'],
  [1_123_200_000_000, '13 d'],
])('%d microseconds are %s', (us, text) => expect(lengthText(us)).toBe(text));

it.each([
  [150, 100, 'count', '+50%'],
  [966, 1000, 'count', '−3%'],
  [1001, 1000, 'count', '±0%'],
  [1400, 100, 'count', '×14'],
  [33, 30, 'count', '+10%'],
  [10, 9, 'count', '+1'],
  [4, 29, 'count', '−25'],
  [9, 9, 'count', '±0'],
  [1400, 0, 'count', '+1,400'],
  [2, null, 'count', undefined],
  [4_400_000, 4_000_000, 'length', '+10%'],
  [2, 0, 'length', undefined],
  [0.9858, 0.99, 'share', '−0.4 pts'],
  [0.0002, 0, 'share', '±0 pts'],
] as const)('%s after %s, a %s, changed by %s', (value, before, kind, text) =>
  expect(changeText(value, before, kind)).toBe(text),
);

it('a figure without a value has a dash', () => {
  expect([orDash(null, lengthText), orDash(990_000, lengthText)]).toEqual(['–', '0.9 s']);
});
