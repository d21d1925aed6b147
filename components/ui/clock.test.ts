import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, expect, it } from 'vitest';
import { RenderedAt, setServerAhead } from './clock';
import { useRelative } from './time-style';

afterEach(() => setServerAhead(0));

const Since = () => useRelative(1_000_000);

it('what hydrates after an update of the server shows the ages of its HTML', () => {
  setServerAhead(90_000);
  const since = createElement(RenderedAt, { value: 1_300_000 }, createElement(Since));
  expect(renderToStaticMarkup(since)).toBe('5 min ago');
});
