import { expect, it } from 'vitest';
import { changeText, lengthText, orDash } from './format';

it.each([
  [0, '0.0 s'],
  [840_000, '0.8 s'],
  [12_440_000, '12.4 s'],
  [59_960_000, '1 min'],
  [425_000_000, '7 min 05 s'],
  [1_123_200_000_000, '13 d'],
])('%d microseconds are %s', (us, text) => expect(lengthText(us)).toBe(text));

it.each([
  [150, 100, false, '+50%'],
  [966, 1000, false, '−3%'],
  [1001, 1000, false, '±0%'],
  [1400, 100, false, '×14'],
  [2, 0, false, undefined],
  [2, null, false, undefined],
  [0.9858, 0.99, true, '−0.4 pts'],
  [0.0002, 0, true, '±0 pts'],
] as const)('%s after %s, a share: %s, changed by %s', (value, before, isShare, text) =>
  expect(changeText(value, before, isShare)).toBe(text),
);

it('a figure without a value has a dash', () => {
  expect([orDash(null, lengthText), orDash(990_000, lengthText)]).toEqual(['–', '1.0 s']);
});
