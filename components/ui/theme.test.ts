import { MantineProvider } from '@mantine/core';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { theme } from './theme';

/** One declaration per line. */
function stylesOfLibrary(): string {
  const html = renderToStaticMarkup(createElement(MantineProvider, { theme, getStyleNonce: () => '' }));
  const styles = html.replaceAll(/<\/?style[^>]*>/g, '').replaceAll(/(?<=[{};])\s*/g, '\n');
  return `/* Written by components/ui/theme.test.ts. */\n${styles}`;
}

// After a change of the theme, `npx vitest run --project unit components/ui/theme.test.ts -u` rewrites the
// file.
it('the style sheet of the theme equals what the library would write into every page', async () => {
  await expect(stylesOfLibrary()).toMatchFileSnapshot('../../app/mantine-theme.css');
});
