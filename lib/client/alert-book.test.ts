import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AlertBook,
  alertBookText,
  CHANGE_WINDOWS_S,
  conditionFromText,
  EMPTY_ALERTS,
  type FeedAlert,
  MOST_ALERTS,
  readAlertBook,
  withAlert,
  withoutAlert,
} from './alert-book';

const ID = 'ab'.repeat(32);

function above(id: string, mantissa: bigint): FeedAlert {
  return {
    id,
    feedId: ID,
    symbol: 'Crypto.BTC/USD',
    condition: { kind: 'above', price: { mantissa, expo: 0 } },
  };
}

/** Numbers as they come out of a text: without zeros at the end. */
const anyNumber = fc
  .record({ mantissa: fc.bigInt({ min: 1n, max: 2n ** 63n }), expo: fc.integer({ min: -18, max: 0 }) })
  .map((one) => conditionFromText('above', decimal(one), 0))
  .map((read) => ('condition' in read && read.condition.kind === 'above' ? read.condition.price : undefined))
  .filter((price) => price !== undefined);

function decimal({ mantissa, expo }: { mantissa: bigint; expo: number }): string {
  const digits = mantissa.toString().padStart(1 - expo, '0');
  const text = `${digits.slice(0, digits.length + expo)}.${digits.slice(digits.length + expo)}`;
  return text.replace(/\.?0*$/, '');
}

const anyCondition = fc.oneof(
  anyNumber.map((price) => ({ kind: 'above', price }) as const),
  anyNumber.map((price) => ({ kind: 'below', price }) as const),
  anyNumber.map((bps) => ({ kind: 'wide', bps }) as const),
  fc
    .tuple(anyNumber, fc.constantFrom(...CHANGE_WINDOWS_S))
    .map(([percent, windowS]) => ({ kind: 'change', percent, windowS }) as const),
  fc.constant({ kind: 'stale' } as const),
);

const anyBook = fc
  .record({
    conditions: fc.array(anyCondition, { maxLength: 8 }),
    sound: fc.constantFrom('yes' as const, 'no' as const),
    notify: fc.constantFrom('yes' as const, 'no' as const),
  })
  .map(({ conditions, sound, notify }) =>
    conditions.reduce<AlertBook>(
      (book, condition, at) => withAlert(book, { id: `a${at}`, feedId: ID, symbol: 'X', condition }),
      { alerts: [], sound, notify },
    ),
  );

describe('the alerts of a browser', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(anyBook, (book) => {
        expect(readAlertBook(alertBookText(book))).toEqual(book);
      }),
    );
  });

  it('are none where the text holds none', () => {
    for (const text of [null, '', '[]', '{', '"x"', '{"alerts":7}']) {
      expect(readAlertBook(text)).toEqual(EMPTY_ALERTS);
    }
    fc.assert(fc.property(fc.json(), (text) => void readAlertBook(text)));
  });

  it('lose only what can’t be read', () => {
    const good = { id: 'a', feed: ID, symbol: 'X', k: 'above', v: '1' };
    const bad = [
      { ...good, id: '' },
      { ...good, feed: 'x' },
      { ...good, v: '1e5' },
      { ...good, k: 'sideways' },
      { ...good, k: 'change', w: 7 },
      { ...good, k: 'wide', v: '-1' },
      { ...good },
      null,
    ];
    const { alerts } = readAlertBook(JSON.stringify({ alerts: [good, ...bad] }));
    expect(alerts.map(({ id }) => id)).toEqual(['a']);
  });

  it('hold each alert once, and a bounded number of them', () => {
    const one = withAlert(EMPTY_ALERTS, above('a', 1n));
    expect(withAlert(one, above('b', 1n))).toBe(one);
    let book = EMPTY_ALERTS;
    for (let at = 0; at < MOST_ALERTS + 5; at += 1) book = withAlert(book, above(`a${at}`, BigInt(at)));
    expect(book.alerts).toHaveLength(MOST_ALERTS);
    expect(withoutAlert(book, 'a3').alerts).toHaveLength(MOST_ALERTS - 1);
    expect(withoutAlert(book, 'none')).toBe(book);
  });

  it('say what is wrong with what was typed', () => {
    expect(conditionFromText('above', 'x', 0)).toHaveProperty('problem');
    expect(conditionFromText('wide', '0', 0)).toHaveProperty('problem');
    expect(conditionFromText('change', '1', 61)).toHaveProperty('problem');
    expect(conditionFromText('below', '-0.5', 0)).toHaveProperty('condition');
  });
});
