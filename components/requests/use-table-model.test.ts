import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LAYOUT, shownColumns, withWidths } from '@/lib/client/column-layout';
import {
  COLUMN_IDS,
  type ColumnId,
  type ColumnLayout,
  MAX_COLUMN_PX,
  MIN_COLUMN_PX,
} from '@/lib/requests/columns';
import type { Sort } from '@/lib/requests/view';
import { modelOf } from './table-model-fixture';
import { headersOf } from './use-table-model';

const anyColumns: fc.Arbitrary<ColumnLayout['columns']> = fc.uniqueArray(
  fc.record(
    {
      id: fc.constantFrom(...COLUMN_IDS),
      width: fc.integer({ min: MIN_COLUMN_PX, max: MAX_COLUMN_PX }),
      pinned: fc.constant(true as const),
    },
    { requiredKeys: ['id'] },
  ),
  { selector: (column) => column.id, minLength: 1 },
);

const columnOf = (id: ColumnId, change: Parameters<typeof modelOf>[1] = {}) => {
  const header = headersOf(modelOf([{ id: 'created' }, { id }], change)).find(
    ({ column }) => column.id === id,
  );
  if (header === undefined) throw new Error(`${id} is not shown`);
  return header.column;
};

describe('the model of the table', () => {
  it('shows the columns of the layout, pinned ones first, with their widths', () => {
    fc.assert(
      fc.property(anyColumns, (columns) => {
        const headers = headersOf(modelOf(columns));
        const shown = shownColumns({ columns, density: 'normal' });
        expect(headers.map(({ column }) => column.id)).toEqual(shown.map(({ id }) => id));
        shown.forEach(({ width, pinned }, place) => {
          const column = headers[place]?.column;
          if (width !== undefined) expect(column?.getSize()).toBe(width);
          expect(column?.getIsPinned()).toBe(pinned === true ? 'start' : false);
        });
      }),
    );
  });

  it.each([
    ['gas-limit', 'created.desc', 'gas-limit.desc'],
    ['gas-limit', 'gas-limit.desc', 'gas-limit.asc'],
    ['gas-limit', 'gas-limit.asc', 'gas-limit.desc'],
    ['network', 'created.desc', 'network.asc'],
  ] as const)('at a click on %s, sorted by %s, sorts by %s', (id, sort, next) => {
    const asked: Sort[] = [];
    columnOf(id, { sort, onSort: (order) => asked.push(order) }).toggleSorting();
    expect(asked).toEqual([next]);
  });

  it('hands a new width to the layout, and the usual one back', () => {
    const layouts: ColumnLayout[] = [];
    const layout = withWidths(DEFAULT_LAYOUT, { state: 300 });
    const column = columnOf('state', { layout, onLayout: (next) => layouts.push(next) });
    column.table.setColumnSizing((widths) => ({ ...widths, sender: 99_999 }));
    column.resetSize();
    expect(layouts).toEqual([
      withWidths(DEFAULT_LAYOUT, { state: 300, sender: MAX_COLUMN_PX }),
      DEFAULT_LAYOUT,
    ]);
  });
});
