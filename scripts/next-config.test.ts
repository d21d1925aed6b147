import { expect, it } from 'vitest';
import config from '../next.config.mjs';

it('Next has no route that fetches what a parameter names', () => {
  expect(config.images).toEqual({ unoptimized: true });
});
