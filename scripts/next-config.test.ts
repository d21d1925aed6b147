import { PHASE_PRODUCTION_SERVER } from 'next/constants.js';
import { expect, it } from 'vitest';
import config from '../next.config.mjs';

it('Next has no route that fetches what a parameter names', () => {
  expect(config(PHASE_PRODUCTION_SERVER).images).toEqual({ unoptimized: true });
});
