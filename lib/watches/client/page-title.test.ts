import { expect, test } from 'vitest';
import { markedTitle } from './page-title';

const NONE = { stuck: 0, hasNews: false };

test.each([
  ['Pending', { stuck: 41, hasNews: false }, '(41) Pending'],
  ['(41) Pending', { stuck: 3, hasNews: false }, '(3) Pending'],
  ['(41) Pending', NONE, 'Pending'],
  ['(41) Pending', { stuck: 41, hasNews: true }, '● (41) Pending'],
  ['● (41) Pending', { stuck: 0, hasNews: true }, '● Pending'],
  ['● Feeds', NONE, 'Feeds'],
  ['Request 5 (old) on Base', { stuck: 1, hasNews: false }, '(1) Request 5 (old) on Base'],
])('the title %j with %j is %j', (title, marks, marked) => {
  expect(markedTitle(title, marks)).toBe(marked);
});
