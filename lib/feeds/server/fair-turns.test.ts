import { describe, expect, it } from 'vitest';
import { type EndTurn, FairTurns } from './fair-turns';

const settled = () => new Promise((resolve) => setImmediate(resolve));
const never = new AbortController().signal;

/** Takes turns for several readers and notes who got one, in the order in which they did. */
function taker(turns: FairTurns) {
  const got: string[] = [];
  const ends: EndTurn[] = [];
  const readers = new Map<string, object>();
  const take = (name: string, signal = never) => {
    const reader = readers.get(name) ?? {};
    readers.set(name, reader);
    void turns.take(reader, signal).then((end) => {
      got.push(end === undefined ? `${name} left` : name);
      if (end !== undefined) ends.push(end);
    });
  };
  const endOne = async () => {
    ends.shift()?.();
    await settled();
  };
  return { got, take, endOne };
}

describe('turns', () => {
  it('go round among the readers, however many one of them waits for', async () => {
    const { got, take, endOne } = taker(new FairTurns(1));
    for (const name of ['a', 'a', 'a', 'b', 'c']) take(name);
    await settled();
    expect(got).toEqual(['a']);
    for (let count = 0; count < 4; count += 1) await endOne();
    expect(got).toEqual(['a', 'a', 'b', 'c', 'a']);
  });

  it('are no more than so many at once', async () => {
    const { got, take } = taker(new FairTurns(2));
    for (const name of ['a', 'b', 'c']) take(name);
    await settled();
    expect(got).toEqual(['a', 'b']);
  });

  it('pass over a reader who has left', async () => {
    const { got, take, endOne } = taker(new FairTurns(1));
    const gone = new AbortController();
    take('a');
    take('b', gone.signal);
    take('c');
    gone.abort();
    take('d', gone.signal);
    await settled();
    await endOne();
    expect(got).toEqual(['a', 'b left', 'd left', 'c']);
  });
});
