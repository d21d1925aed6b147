import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLayout } from './any-view-fixture';
import {
  COLUMN_IDS,
  type ColumnId,
  type ColumnLayout,
  DEFAULT_LAYOUT,
  LAYOUT_COOKIE,
  layoutCookie,
  moveColumn,
  pinColumn,
  readLayoutCookie,
  toggleColumn,
  withFailures,
  withWidth,
} from './columns';

const anyId = fc.constantFrom(...COLUMN_IDS);

const idsOf = (layout: ColumnLayout): ColumnId[] => layout.columns.map(({ id }) => id);
const cookieValue = (cookie: string) => /^ks-table=([^;]*); /.exec(cookie)?.[1];
const layoutOf = (...ids: ColumnId[]): ColumnLayout => {
  return { columns: ids.map((id) => ({ id })), density: 'normal' };
};

describe('the order of columns', () => {
  it('has the pinned ones at the left edge', () => {
    const pinned = pinColumn(layoutOf('network', 'state', 'sender'), 'sender');
    expect(idsOf(pinned)).toEqual(['sender', 'network', 'state']);
  });

  it('is changed by a move, which stops at the edges', () => {
    const layout = layoutOf('network', 'state', 'sender');
    expect(idsOf(moveColumn(layout, 'sender', 0))).toEqual(['sender', 'network', 'state']);
    expect(idsOf(moveColumn(layout, 'network', 99))).toEqual(['state', 'sender', 'network']);
    expect(idsOf(moveColumn(layout, 'network', -1))).toEqual(['network', 'state', 'sender']);
  });

  it('never has a loose column left of a pinned one', () => {
    expect(idsOf(moveColumn(DEFAULT_LAYOUT, 'failure', 0)).slice(0, 2)).toEqual(['network', 'failure']);
  });

  it('keeps every column through any move, pin and resize', () => {
    fc.assert(
      fc.property(anyLayout, anyId, fc.integer({ min: -3, max: 25 }), (layout, id, place) => {
        const before = idsOf(layout).toSorted();
        const moved = moveColumn(layout, id, place);
        const pinned = pinColumn(layout, id);
        for (const after of [moved, pinned, withWidth(layout, id, place * 50)])
          expect(idsOf(after).toSorted()).toEqual(before);
      }),
    );
  });
});

it('with only failures shown, the reason of the failure follows the state', () => {
  const layout = layoutOf('network', 'state', 'sender');
  const idsFor = (...states: string[]) => idsOf(withFailures(layout, { states, failures: [] }));
  expect(idsFor('failed', 'callback-failed')).toEqual(['network', 'state', 'failure', 'sender']);
  expect(idsFor('failed', 'pending')).toEqual(['network', 'state', 'sender']);
  expect(idsFor()).toEqual(['network', 'state', 'sender']);
});

describe('showing and hiding', () => {
  it('inserts a column after the one that precedes it in the menu', () => {
    const toggled = toggleColumn(layoutOf('network', 'sequence', 'state'), 'created');
    expect(idsOf(toggled)).toEqual(['network', 'sequence', 'created', 'state']);
  });

  it('keeps the last column', () => {
    const layout = layoutOf('state');
    expect(toggleColumn(layout, 'state')).toBe(layout);
  });

  it('unpins a pinned column', () => {
    const pinned = pinColumn(layoutOf('network', 'state'), 'network');
    expect(pinned.columns[0]).toEqual({ id: 'network', pinned: true });
    expect(pinColumn(pinned, 'network').columns[0]).toEqual({ id: 'network' });
  });
});

it('widths stay within the limits of a column, and can be reset to the default', () => {
  const wide = withWidth(DEFAULT_LAYOUT, 'state', 99_999);
  expect(wide.columns.find((column) => column.id === 'state')?.width).toBe(2000);
  const narrow = withWidth(DEFAULT_LAYOUT, 'state', 1);
  expect(narrow.columns.find((column) => column.id === 'state')?.width).toBe(40);
  expect(withWidth(wide, 'state')).toEqual(DEFAULT_LAYOUT);
});

describe('the cookie', () => {
  it('reads back any layout, is small, and has only characters that a cookie can hold', () => {
    fc.assert(
      fc.property(anyLayout, (layout) => {
        const value = cookieValue(layoutCookie(layout)) ?? '';
        expect(value).toMatch(/^[a-z0-9.:*~-]+$/);
        expect(value.length + LAYOUT_COOKIE.length).toBeLessThanOrEqual(2048);
        expect(readLayoutCookie(value)).toEqual(layout);
      }),
    );
  });

  const odd = [
    undefined,
    '',
    'normal',
    'normal:',
    'cosy:network',
    'normal:network.nothing',
    'a'.repeat(5000),
  ];
  it('of an older version reads `compact` as `normal`, which looks the same', () => {
    expect(readLayoutCookie('compact:network')).toEqual({ columns: [{ id: 'network' }], density: 'normal' });
  });

  it.each(odd)('with %j is no layout', (text) => {
    expect(readLayoutCookie(text)).toBe(DEFAULT_LAYOUT);
  });
});
