import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, expect, it } from 'vitest';
import { RenderedAt, serverTime, setServerTime } from './clock';
import { useRelative } from './time-style';

afterEach(() => setServerTime(undefined));

const Since = () => useRelative(1_000_000);

it('a part that hydrates after an update of the server shows the ages of its HTML', () => {
  setServerTime({ nowMs: 1_390_000, receivedAtMs: 1_300_000 });
  const since = createElement(RenderedAt, { value: 1_300_000 }, createElement(Since));
  expect(renderToStaticMarkup(since)).toBe('5 min ago');
});

it('the server’s time continues from its last update, whatever the clock of the browser shows', () => {
  const [NOON, BEHIND] = [1_795_000_000_000, 540_000];
  const update = { nowMs: NOON, receivedAtMs: NOON - BEHIND };
  expect(serverTime(NOON - BEHIND + 3000, update)).toBe(NOON + 3000);
  // A clock that is set back does not set back the server’s time.
  expect(serverTime(NOON - BEHIND - 60_000, update)).toBe(NOON);
  expect(serverTime(NOON - BEHIND)).toBe(NOON - BEHIND);
});
