import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { POPOVER_PX, popoverPlace } from './popover-place';

const space = { width: 1440, height: 900 };

describe('popoverPlace', () => {
  it('stands below its button, at its left edge', () => {
    expect(popoverPlace({ left: 300, top: 100, bottom: 130 }, space)).toEqual({
      left: 300,
      top: 134,
      width: POPOVER_PX,
      maxHeight: 758,
    });
  });

  it('opens upwards when there is little room below and more above', () => {
    expect(popoverPlace({ left: 300, top: 700, bottom: 730 }, space)).toMatchObject({
      bottom: 204,
      maxHeight: 688,
    });
  });

  it('never leaves the window, whatever its size', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2000 }),
        fc.integer({ min: 0, max: 900 }),
        fc.integer({ min: 320, max: 2000 }),
        (left, top, width) => {
          const place = popoverPlace({ left, top, bottom: top + 30 }, { width, height: 960 });
          expect(place.left).toBeGreaterThanOrEqual(0);
          expect(place.left + place.width).toBeLessThanOrEqual(width);
          const edge = 'top' in place ? place.top + place.maxHeight : place.bottom + place.maxHeight;
          expect(edge).toBeLessThanOrEqual(960);
        },
      ),
    );
  });
});
