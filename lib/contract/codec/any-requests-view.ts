import fc from 'fast-check';
import { PAGE_SIZES } from './requests-params';
import type { RequestsView } from './requests-url';

/** Times as people write them, for property tests. */
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
const oneOrNone = <T>(values: fc.Arbitrary<T>) => fc.array(values, { maxLength: 1 });

/** Every view that the page can have, for property tests. */
export const anyView: fc.Arbitrary<RequestsView> = fc
  .record({
    networks: oneOrNone(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String)),
    states: oneOrNone(
      fc.oneof(
        fc.constantFrom('pending', 'completed', 'callback-failed', 'failed', 'Revealing'),
        someText.filter((text) => !['Pending', 'Completed', 'CallbackErrored', 'Failed'].includes(text)),
      ),
    ),
    keepers: oneOrNone(someText),
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
    sort: fc.constant('created.desc' as const),
    asof: fc.option(isoText, { nil: undefined }),
    open: fc.option(someText, { nil: undefined }),
  })
  .map(({ asof, open, ...rest }) => ({
    ...rest,
    ...(asof === undefined ? {} : { asof }),
    ...(open === undefined ? {} : { open }),
  }));
