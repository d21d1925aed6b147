import { expect, it } from 'vitest';
import { clientLimits, descriptorLimit } from './descriptors';

const LIMITS = `Limit                     Soft Limit           Hard Limit           Units
Max processes             31344                31344                processes
Max open files            256                  1048576              files
Max locked memory         8388608              8388608              bytes`;

it('reads the soft limit of open files, and none where it is unknown', () => {
  expect(descriptorLimit(() => LIMITS)).toBe(256);
  expect(descriptorLimit(() => LIMITS.replace('256 ', 'unlimited'))).toBeUndefined();
  const missing = () => {
    throw new Error('ENOENT');
  };
  expect(descriptorLimit(missing)).toBeUndefined();
});

it.each([
  [64, undefined],
  [256, { connections: 144, streams: 112 }],
  [1024, { connections: 912, streams: 880 }],
  [16384, { connections: 16272, streams: 16240 }],
])('with %s descriptors clients get %j', (limit, limits) => {
  expect(clientLimits(limit)).toEqual(limits);
});
