import { describe, expect, it } from 'vitest';
import { rowHeights } from './row-height';

describe('the height of a card', () => {
  it('grows by a line per column that is not in its first line', () => {
    const head = [{ id: 'network' as const }, { id: 'sequence' as const }, { id: 'state' as const }];
    const { cardPx, linePx } = rowHeights(head, 'normal');
    expect(rowHeights([...head, { id: 'sender' }, { id: 'block' }], 'normal').cardPx).toBe(
      cardPx + 2 * linePx,
    );
  });

  it('has no first line where none of its columns is shown', () => {
    expect(rowHeights([{ id: 'sender' }], 'normal').cardPx).toBeLessThan(
      rowHeights([{ id: 'network' }, { id: 'sender' }], 'normal').cardPx,
    );
  });
});
