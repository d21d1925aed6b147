import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFeedId } from '@/lib/domain/feed';
import { boardChoiceOf, boardUrl, choiceKey } from './feed-choice';
import type { FeedName } from './feed-directory';

function idOf(digit: string) {
  const id = parseFeedId(digit.repeat(64));
  if (id === undefined) {
    throw new Error('not an id');
  }
  return id;
}

const BTC: FeedName = { id: idOf('a'), symbol: 'Crypto.BTC/USD', assetType: 'crypto' };
const EUR: FeedName = { id: idOf('b'), symbol: 'FX.EUR/USD', assetType: 'fx' };
const names = [BTC, EUR];
const defaults = [{ kind: 'symbol', symbol: 'Crypto.BTC/USD' }] as const;

const choose = (query: string) => boardChoiceOf(new URLSearchParams(query), names, defaults);
const keys = (query: string) => choose(query).choices.map(choiceKey);

describe('the board of a URL', () => {
  it('is the default board without ids, and an empty one with empty ids', () => {
    expect(keys('')).toEqual([BTC.id]);
    expect(keys('ids=')).toEqual([]);
  });

  it('reads ids and symbols, in their order, each feed once', () => {
    expect(keys(`ids=FX.EUR/USD,0x${'A'.repeat(64)},Crypto.BTC/USD&ids=${EUR.id}`)).toEqual([EUR.id, BTC.id]);
  });

  it('keeps an id without a name under its id, and a text that names nothing as it is', () => {
    const { choices } = choose(`ids=${idOf('c')},Crypto.NOPE/USD`);
    expect(choices).toEqual([
      { kind: 'feed', feed: { id: idOf('c'), symbol: idOf('c'), assetType: '' } },
      { kind: 'unnamed', text: 'Crypto.NOPE/USD' },
    ]);
  });

  it('reports what can’t be read, and shows the rest', () => {
    const { choices, problems } = choose(`ids=0x12,${BTC.id}`);
    expect(choices.map(choiceKey)).toEqual([BTC.id]);
    expect(problems).toMatchObject([{ param: 'ids', value: '0x12' }]);
  });

  it('shows no more feeds than one stream carries, and says so', () => {
    const ids = Array.from({ length: 103 }, (_, index) => index.toString(16).padStart(64, '0'));
    const { choices, problems } = choose(`ids=${ids.join(',')}`);
    expect(choices).toHaveLength(100);
    expect(problems.at(-1)?.message).toContain('3 more are left out');
  });

  it('survives the way into a URL and back', () => {
    const anyChoice = fc.constantFrom(BTC.id, EUR.id, idOf('c'), 'Crypto.NOPE/USD', 'Sandbox.A-B+C/USD');
    fc.assert(
      fc.property(fc.uniqueArray(anyChoice), (texts) => {
        const { choices, look } = choose(
          new URLSearchParams({ ids: texts.join(','), sort: 'age' }).toString(),
        );
        const again = choose(boardUrl(choices, look).split('?')[1] ?? '');
        expect(again).toEqual({ choices, look, problems: [] });
      }),
    );
  });
});
