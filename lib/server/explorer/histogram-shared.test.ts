import { describe, expect, it } from 'vitest';
import { listOf, settled } from './counts-fakes';
import { type SharedLinesOptions, shareLines } from './histogram-shared';

const never = () => new AbortController().signal;

function shared(change: Partial<SharedLinesOptions<string>> = {}) {
  let nowMs = 0;
  const options = { now: () => nowMs, keptMs: 1000, mostKept: 2, isGood: (last: string) => last === 'end' };
  const lines = shareLines<string>({ ...options, ...change });
  return {
    lines,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

/** Work that gives its lines when it is told to, and notes that it was begun and called off. */
function scripted() {
  const pushed: (string | undefined)[] = [];
  let wake = () => {};
  const work = { begun: 0, calledOff: 0 };
  const begin = (signal: AbortSignal) => {
    work.begun += 1;
    signal.addEventListener('abort', () => {
      work.calledOff += 1;
      wake();
    });
    return (async function* () {
      for (let at = 0; ; ) {
        if (signal.aborted) throw signal.reason;
        if (at === pushed.length) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        const line = pushed[at];
        at += 1;
        if (line === undefined) return;
        yield line;
      }
    })();
  };
  const push = (...lines: (string | undefined)[]) => {
    pushed.push(...lines);
    wake();
  };
  return { work, begin, push };
}

describe('shared work', () => {
  it('is done once, and every reader gets all lines however late it comes', async () => {
    const { lines } = shared();
    const { work, begin, push } = scripted();
    const early = listOf(lines.open('a', begin, never()));
    await settled();
    push('one');
    await settled();
    const late = listOf(lines.open('a', begin, never()));
    push('end', undefined);
    expect(await early).toEqual(['one', 'end']);
    expect(await late).toEqual(['one', 'end']);
    expect(work).toEqual({ begun: 1, calledOff: 0 });
  });

  it('goes on while somebody reads, and is called off when the last reader leaves', async () => {
    const { lines } = shared();
    const { work, begin, push } = scripted();
    const [first, second] = [new AbortController(), new AbortController()];
    const one = listOf(lines.open('a', begin, first.signal));
    const two = listOf(lines.open('a', begin, second.signal));
    await settled();
    push('one');
    first.abort();
    await expect(one).rejects.toThrow();
    expect(work.calledOff).toBe(0);
    second.abort();
    await expect(two).rejects.toThrow();
    expect(work.calledOff).toBe(1);
    const again = scripted();
    again.push('end', undefined);
    expect(await listOf(lines.open('a', again.begin, never()))).toEqual(['end']);
  });

  it('is called off when a reader stops in the middle', async () => {
    const { lines } = shared();
    const { work, begin, push } = scripted();
    push('one', 'two');
    for await (const _line of lines.open('a', begin, never())) break;
    expect(work.calledOff).toBe(1);
  });

  it('is kept for a while when it ended well', async () => {
    const { lines, pass } = shared();
    const { work, begin, push } = scripted();
    push('end', undefined);
    await listOf(lines.open('a', begin, never()));
    pass(999);
    await listOf(lines.open('a', begin, never()));
    expect(work.begun).toBe(1);
    pass(1);
    await listOf(lines.open('a', begin, never()));
    expect(work.begun).toBe(2);
  });

  it('that ended in a problem is done anew', async () => {
    const { lines } = shared();
    const { work, begin, push } = scripted();
    push('problem', undefined);
    await listOf(lines.open('a', begin, never()));
    await listOf(lines.open('a', begin, never()));
    expect(work.begun).toBe(2);
  });

  it('is kept of the latest few only', async () => {
    const { lines } = shared();
    const { work, begin, push } = scripted();
    push('end', undefined);
    for (const key of ['a', 'b', 'c', 'b', 'c', 'a']) await listOf(lines.open(key, begin, never()));
    expect(work.begun).toBe(4);
  });

  it('passes a bug on to its readers', async () => {
    const { lines } = shared();
    const broken = async function* () {
      yield 'one';
      throw new Error('a bug');
    };
    await expect(listOf(lines.open('a', broken, never()))).rejects.toThrow('a bug');
  });
});
