import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFeedReference } from '@/lib/core/feed';
import {
  BOARD_WINDOWS,
  type BoardWindow,
  boardChoices,
  type FeedsView,
  formatFeedsUrl,
  parseFeedsUrl,
} from './board-url';

const DEFAULT_STYLE = { sort: 'hand', window: '5m', size: undefined, find: '' } as const;
const BOARD_SIZES = ['list', 'm', 'l', undefined] as const;
const BOARD_SORTS = ['hand', 'symbol', 'change', 'confidence', 'age'] as const;

const ID = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';

const parse = (query: string) => parseFeedsUrl(new URLSearchParams(query));

describe('the address of a board', () => {
  it('reads ids and symbols, separated by commas or repeated, each once', () => {
    const { view, problems } = parse(
      `ids=0x${ID.toUpperCase()},Crypto.ETH/USD&ids=${ID}&ids=,crypto.eth/usd,`,
    );
    expect(view.feeds).toEqual([
      { kind: 'id', id: ID },
      { kind: 'symbol', symbol: 'Crypto.ETH/USD' },
    ]);
    expect(problems).toEqual([]);
  });

  it('is bare for the default board, and readable for a chosen one', () => {
    expect(formatFeedsUrl(DEFAULT_STYLE)).toBe('/feeds');
    expect(formatFeedsUrl({ ...DEFAULT_STYLE, feeds: [] })).toBe('/feeds?ids=');
    expect(formatFeedsUrl(parse('ids=Crypto.BTC/USD,FX.EUR/USD').view)).toBe(
      '/feeds?ids=Crypto.BTC/USD,FX.EUR/USD',
    );
  });

  it('reads back as the board it was made from', () => {
    const text = fc.string({ unit: 'binary', minLength: 1 });
    const references = fc.array(fc.oneof(text, fc.constantFrom(ID, 'Crypto.BTC/USD', 'a+b&c=d#e%')));
    const styles = fc.record({
      sort: fc.constantFrom(...BOARD_SORTS),
      window: fc.constantFrom(...(Object.keys(BOARD_WINDOWS) as BoardWindow[])),
      size: fc.constantFrom(...BOARD_SIZES),
      find: fc.string({ unit: 'binary', maxLength: 100 }),
    });
    fc.assert(
      fc.property(references, styles, (ids, style) => {
        const { feeds } = parseFeedsUrl(new URLSearchParams([['ids', ids.join()]])).view;
        const view: FeedsView = { feeds, ...style };
        const again = parseFeedsUrl(new URLSearchParams(formatFeedsUrl(view).split('?')[1] ?? ''));
        expect(again).toEqual({ view, problems: [] });
      }),
    );
  });

  it.each([ID.slice(1), `${ID}0`, '0xabc', 'a'.repeat(40)])(
    'reports %s, which was meant as an id',
    (text) => {
      const { view, problems } = parse(`ids=Crypto.BTC/USD,${text}`);
      expect(view.feeds).toHaveLength(1);
      expect(problems).toEqual([
        { param: 'ids', value: text, message: expect.stringContaining('64 hex digits') },
      ]);
    },
  );

  it('reads sort, window, size and search text, and reports values that are not among the choices', () => {
    const { view, problems } = parse('sort=age&window=15m&size=s&find=usd+x');
    // Old links with small tiles show the list.
    expect(view).toEqual({ sort: 'age', window: '15m', size: 'list', find: 'usd x' });
    expect(problems).toEqual([]);
    const odd = parse('sort=size&window=2h&size=XL');
    expect(odd.view).toEqual(DEFAULT_STYLE);
    expect(odd.problems.map(({ param }) => param)).toEqual(['sort', 'window', 'size']);
  });

  it('reports parameters that mean nothing here', () => {
    expect(parse('id=1').problems).toEqual([{ param: 'id', value: '1', message: 'No such parameter.' }]);
  });
});

it('the hours of an id that no list names may still come, until the lists are complete', () => {
  const reference = parseFeedReference(ID) ?? expect.fail();
  const areHoursPending = (isWhole: boolean) =>
    boardChoices([reference], [], isWhole)[0]?.feed?.areHoursPending;
  expect([areHoursPending(false), areHoursPending(true)]).toEqual([true, undefined]);
});

it('parseFeedReference reads short hex words as symbols', () => {
  expect(parseFeedReference(' ADA ')).toEqual({ kind: 'symbol', symbol: 'ADA' });
  expect(parseFeedReference('  ')).toBeUndefined();
});
