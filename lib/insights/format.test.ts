import { expect, it } from 'vitest';
import { changeText, figureText, lengthText, shareText } from './format';

it.each([
  [0, '0%'],
  [0.0004, '<0.1%'],
  [0.013, '1.3%'],
  [0.5, '50.0%'],
  [0.993, '99.3%'],
  [0.99999, '99.9%'],
  [1, '100%'],
])('the share %d is %s', (share, text) => expect(shareText(share)).toBe(text));

it.each([
  [0, '0.0 s'],
  [840_000, '0.8 s'],
  [12_440_000, '12.4 s'],
  [59_960_000, '1 min'],
  [425_000_000, '7 min 05 s'],
  [1_123_200_000_000, '13 d'],
])('%d microseconds are %s', (us, text) => expect(lengthText(us)).toBe(text));

it.each([
  ['requests', 0.5, '+50%'],
  ['requests', -0.034, '−3%'],
  ['requests', 0.001, '±0%'],
  ['requests', 13, '×14'],
  ['requests', null, undefined],
  ['success-rate', -0.0042, '−0.4 pts'],
  ['success-rate', 0.0002, '±0 pts'],
] as const)('%s changed by %s: %s', (id, change, text) => expect(changeText({ id, change })).toBe(text));

it('a figure without a value has a dash', () => {
  expect([
    figureText('p95', null),
    figureText('requests', 1_234_567),
    figureText('success-rate', 0.99),
  ]).toEqual(['–', '1,234,567', '99.0%']);
});
