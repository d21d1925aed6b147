import fc from 'fast-check';
import { COLUMN_IDS, type ColumnLayout, MAX_COLUMN_PX, MIN_COLUMN_PX } from './columns';
import { canonicalCell } from './filters';
import { type Bounds, type Cell, PAGE_SIZES, type RangeMember, type RequestsView, type Sort } from './view';

const MAX_LIVE_S = 30;

export const isoText = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .chain((date) =>
    fc.constantFrom(
      date.toISOString(),
      date.toISOString().slice(0, 16),
      `${date.toISOString().slice(0, 19)}+02:00`,
    ),
  );
export const someText = fc.string({ unit: 'binary', minLength: 1 });

const few = (values: fc.Arbitrary<string>) => fc.uniqueArray(values, { maxLength: 4 });
const digits = fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String);
const anyColumn = fc.constantFrom(...COLUMN_IDS);

const hex = someText.map((text) => (/^0x[0-9a-f]+$/i.test(text) ? text.toLowerCase() : text));

const anyCells: fc.Arbitrary<Cell[]> = fc.uniqueArray(
  fc
    .record({ column: anyColumn.filter((column) => column !== 'network'), value: hex })
    .map((cell) => canonicalCell(cell) ?? cell),
  { maxLength: 3, selector: ({ column, value }) => `${column}:${value}` },
);

/** Bounds with min ≤ max, and at least one of them. */
function boundsOf(values: fc.Arbitrary<number>): fc.Arbitrary<Bounds> {
  return fc.oneof(
    values.map((min) => ({ min: String(min) })),
    values.map((max) => ({ max: String(max) })),
    fc.tuple(values, values).map((pair) => {
      const [min = 0, max = 0] = pair.sort((a, b) => a - b);
      return { min: String(min), max: String(max) };
    }),
  );
}
const anyBounds = boundsOf(fc.nat());

/** A layout with at least one column, each once, pinned columns first. */
export const anyLayout: fc.Arbitrary<ColumnLayout> = fc.record({
  columns: fc
    .uniqueArray(
      fc.record(
        {
          id: anyColumn,
          width: fc.integer({ min: MIN_COLUMN_PX, max: MAX_COLUMN_PX }),
          pinned: fc.constant(true as const),
        },
        { requiredKeys: ['id'] },
      ),
      { minLength: 1, selector: ({ id }) => id },
    )
    .map((columns) => [
      ...columns.filter(({ pinned }) => pinned),
      ...columns.filter(({ pinned }) => !pinned),
    ]),
  density: fc.constantFrom('normal', 'roomy'),
});

const anySort: fc.Arbitrary<Sort> = fc
  .tuple(anyColumn, fc.constantFrom('asc' as const, 'desc' as const))
  .map(([column, direction]): Sort => `${column}.${direction}`);

const ANY_RANGES: Record<RangeMember, fc.Arbitrary<Bounds>> = {
  duration: boundsOf(fc.nat().map((thousandths) => thousandths / 1000)),
  gasLimit: anyBounds,
  gasUsed: anyBounds,
  block: anyBounds,
};

export const anyView: fc.Arbitrary<RequestsView> = fc.record(
  {
    networks: few(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String)),
    states: few(
      fc.oneof(
        fc.constantFrom('pending', 'completed', 'callback-failed', 'failed', 'Revealing'),
        someText.filter((text) => !['Pending', 'Completed', 'CallbackErrored', 'Failed'].includes(text)),
      ),
    ),
    keepers: few(someText),
    q: someText.map((text) => text.trim()),
    time: fc.oneof(
      fc.record({
        kind: fc.constant('last' as const),
        range: fc.constantFrom('30s', '45m', '1h', '24h', '2d', '36500d'),
      }),
      fc.constant({ kind: 'all' as const }),
      fc.record({ kind: fc.constant('between' as const), from: isoText }),
      fc.record({ kind: fc.constant('between' as const), to: isoText }),
      fc.record({ kind: fc.constant('between' as const), from: fc.constant('1960-01-01'), to: isoText }),
    ),
    page: fc.integer({ min: 1, max: 999_999_999 }),
    size: fc.constantFrom(...PAGE_SIZES),
    sort: anySort,
    senders: few(hex),
    providers: few(hex),
    failures: few(someText),
    ...ANY_RANGES,
    not: anyCells,
    asof: isoText,
    open: someText,
    live: fc.integer({ min: 1, max: MAX_LIVE_S }),
    columns: anyLayout,
    zone: fc.constantFrom('utc', 'local', 'relative'),
    expected: digits,
  },
  {
    requiredKeys: [
      'networks',
      'states',
      'keepers',
      'q',
      'time',
      'page',
      'size',
      'sort',
      'senders',
      'providers',
      'failures',
      'not',
    ],
  },
);
