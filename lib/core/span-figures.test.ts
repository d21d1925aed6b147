import { describe, expect, it } from 'vitest';
import { answeredShare, callbacksOkShare, partText, shareText } from './span-figures';

describe('the share of successful requests', () => {
  const rows = (completed: number, callbackFailed: number, failed: number) => ({
    completed,
    callbackFailed,
    failed,
  });

  it.each([
    // All were answered, and no callback was OK.
    [rows(0, 49, 0), 1, 0],
    [rows(0, 0, 8), 0, null],
    [rows(0, 0, 0), null, null],
    [rows(97, 2, 1), 0.99, 97 / 99],
    [rows(5, 0, 0), 1, 1],
  ])('of %j: answered %j, callbacks OK %j', (counts, answered, callbacksOk) => {
    expect([answeredShare(counts), callbacksOkShare(counts)]).toEqual([answered, callbacksOk]);
  });

  it.each([
    [0, '0%'],
    [0.0004, '<0.1%'],
    [0.013, '1.3%'],
    [0.5, '50.0%'],
    [0.993, '99.3%'],
    [0.99999, '99.9%'],
    [1, '100%'],
  ])('the share %d is %s', (share, text) => expect(shareText(share)).toBe(text));
});

it.each([
  [10, 22, '10 of 22 callbacks (45%)'],
  [22, 22, '22 of 22 callbacks (100%)'],
  [98, 99, '98 of 99 callbacks (99%)'],
  [1204, 3100, '1,204 of 3,100 callbacks (38.8%)'],
])('%i of %i: a share of few rows has no decimal', (part, of, expected) => {
  expect(partText(part, of, 'callbacks')).toBe(expected);
});
