import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  conditionFromText,
  type FeedAlert,
  WATCH_LIST_FORM,
  type Watched,
  type WatchList,
  withAlert,
  withWatched,
} from './watch-list';

const EMPTY: WatchList = { alerts: [], watched: [], sound: 'no', notify: 'no' };
const NOW = Date.UTC(2026, 10, 20, 12);
const read = (text: string | null, older: Record<string, string> = {}) =>
  WATCH_LIST_FORM.read(text, (key) => older[key] ?? null);

const request = (sequence: number): Watched => ({
  kind: 'request',
  id: `main/8453/0xab/${sequence}/0xcd`,
  keeper: 'main',
  networkId: '8453',
  sinceMs: NOW,
  state: 'pending',
});

const ID = 'ab'.repeat(32);

function above(id: string, mantissa: bigint): FeedAlert {
  return {
    id,
    feedId: ID,
    symbol: 'Crypto.BTC/USD',
    condition: { kind: 'above', price: { mantissa, expo: 0 } },
  };
}

/** A number as it is read from text: without trailing zeros. */
const anyNumber = fc
  .record({ mantissa: fc.bigInt({ min: 1n, max: 2n ** 63n }), expo: fc.integer({ min: -18, max: 0 }) })
  .map((price) => conditionFromText('above', decimal(price), 0))
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
    .tuple(anyNumber, fc.constantFrom(60, 300, 900, 1800))
    .map(([percent, windowS]) => ({ kind: 'change', percent, windowS }) as const),
  fc.constant({ kind: 'stale' } as const),
);

const anyList = fc
  .record({
    conditions: fc.array(anyCondition, { maxLength: 8 }),
    watched: fc.uniqueArray(fc.nat(1000), { maxLength: 8 }),
    sound: fc.constantFrom('yes' as const, 'no' as const),
    notify: fc.constantFrom('yes' as const, 'no' as const),
  })
  .map(({ conditions, watched, sound, notify }) => {
    const list: WatchList = { ...EMPTY, sound, notify };
    const alerted = conditions.reduce(
      (book, condition, at) => withAlert(book, { id: `a${at}`, feedId: ID, symbol: 'X', condition }),
      list,
    );
    return watched.reduce((book, sequence) => withWatched(book, request(sequence)), alerted);
  });

describe('the watch list', () => {
  it('reads back as written', () => {
    fc.assert(
      fc.property(anyList, (list) => {
        expect(read(WATCH_LIST_FORM.write(list))).toEqual(list);
      }),
    );
  });

  it('takes over the separate lists of earlier versions until it is written itself', () => {
    const alert = { id: 'a', feed: ID, symbol: 'X', k: 'above', v: '1' };
    const was = { state: 'failed', atMs: NOW };
    const older = {
      'ks-alerts': JSON.stringify({ alerts: [alert], sound: 'yes', notify: 'no' }),
      'ks-watch': JSON.stringify({
        watched: [{ ...request(1), was }, request(2)],
        notify: 'yes',
        journal: [],
      }),
    };
    const list = read(null, older);
    expect(list).toMatchObject({ sound: 'yes', notify: 'yes', watched: [{ was }, request(2)] });
    expect(list.alerts.map(({ id }) => id)).toEqual(['a']);
    expect(read(WATCH_LIST_FORM.write(EMPTY), older)).toEqual(EMPTY);
  });

  it('is empty for an invalid text, and loses only invalid entries', () => {
    for (const text of [null, '', '[]', '{', '"x"', '{"alerts":7,"watched":{}}'])
      expect(read(text)).toEqual(EMPTY);
    fc.assert(fc.property(fc.json(), (text) => void read(text)));
    const good = { id: 'a', feed: ID, symbol: 'X', k: 'above', v: '1' };
    const alerts = [
      good,
      { ...good, id: '' },
      { ...good, feed: 'x' },
      { ...good, v: '1e5' },
      { ...good, k: 'sideways' },
      { ...good, k: 'change', w: 7 },
      { ...good, k: 'wide', v: '-1' },
      { ...good },
      null,
    ];
    const watched = [
      request(1),
      request(1),
      null,
      7,
      { ...request(2), id: 'main/unreadable/1' },
      { ...request(3), keeper: 'other' },
      { ...request(4), networkId: 'base' },
      { ...request(5), sinceMs: Number.MAX_VALUE },
      { ...request(6), state: 'x'.repeat(61) },
      { ...request(7), kind: 'page' },
      { ...request(8), was: { state: 'failed', atMs: '12:00' } },
    ];
    const list = read(JSON.stringify({ alerts, watched }));
    expect(list.alerts.map(({ id }) => id)).toEqual(['a']);
    expect(list.watched).toEqual([request(1), request(8)]);
  });

  it('holds each entry once, and at most as many as allowed', () => {
    const withOne = withAlert(EMPTY, above('a', 1n));
    expect(withAlert(withOne, above('b', 1n))).toBe(withOne);
    let list = EMPTY;
    for (let index = 0; index < 60; index += 1) {
      list = withWatched(withAlert(list, above(`a${index}`, BigInt(index))), request(index));
    }
    expect([list.alerts.length, list.watched.length]).toEqual([50, 50]);
    expect(withWatched(list, request(49))).toBe(list);
  });

  it('names the problem with a typed condition', () => {
    expect(conditionFromText('above', 'x', 0)).toHaveProperty('problem');
    expect(conditionFromText('wide', '0', 0)).toHaveProperty('problem');
    expect(conditionFromText('change', '1', 61)).toHaveProperty('problem');
    for (const windowS of [60, 300, 900, 1800])
      expect(conditionFromText('change', '1', windowS)).toMatchObject({ condition: { windowS } });
    expect(conditionFromText('below', '-0.5', 0)).toHaveProperty('condition');
  });
});
