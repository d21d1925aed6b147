import { expect, it } from 'vitest';
import config from '../next.config.mjs';

it('Next has no route that fetches an address from a parameter', () => {
  expect(config.images).toEqual({ unoptimized: true });
});
