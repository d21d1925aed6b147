import { expect, test } from 'vitest';
import { markedTitle } from './page-title';

const NONE = { stuck: 0, hasUnseen: false };

test.each([
  ['Pending', { stuck: 41, hasUnseen: false }, '(41) Pending'],
  ['(41) Pending', { stuck: 3, hasUnseen: false }, '(3) Pending'],
  ['(41) Pending', NONE, 'Pending'],
  ['(41) Pending', { stuck: 41, hasUnseen: true }, '● (41) Pending'],
  ['● (41) Pending', { stuck: 0, hasUnseen: true }, '● Pending'],
  ['● Feeds', NONE, 'Feeds'],
  ['Request 5 (old) on Base', { stuck: 1, hasUnseen: false }, '(1) Request 5 (old) on Base'],
])('the title %j with %j is %j', (title, marks, marked) => {
  expect(markedTitle(title, marks)).toBe(marked);
});
