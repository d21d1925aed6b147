import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { linesReply } from './counts-reply';

async function* lines(): AsyncGenerator<string> {
  yield 'one';
  yield 'two';
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** How many of a hundred readers something still holds on to, by the signal of the work that was done for them. */
async function heldAfter(visit: (reply: (reader: AbortSignal) => Response) => Promise<unknown>) {
  const seen: WeakRef<AbortSignal>[] = [];
  const reply = (reader: AbortSignal) =>
    linesReply(new Request('http://localhost/', { signal: reader }), (signal) => {
      seen.push(new WeakRef(signal));
      return lines();
    });
  for (let n = 0; n < 100; n += 1) await visit(reply);
  expect(seen).toHaveLength(100);
  for (let n = 0; n < 3; n += 1) {
    await turn();
    collectGarbage();
  }
  return seen.filter((one) => one.deref() !== undefined).length;
}

it('holds nothing of a hundred readers who read to the end', async () => {
  const visit = async (reply: (reader: AbortSignal) => Response) =>
    expect(await reply(new AbortController().signal).text()).toBe('one\ntwo\n');
  expect(await heldAfter(visit)).toBeLessThan(10);
});

it('holds nothing of a hundred readers who left after the first line', async () => {
  const visit = async (reply: (reader: AbortSignal) => Response) => {
    const stop = new AbortController();
    await reply(stop.signal).body?.getReader().read();
    stop.abort();
  };
  expect(await heldAfter(visit)).toBeLessThan(10);
});

it('ends the work when the reader leaves between two lines', async () => {
  const stop = new AbortController();
  let seen: AbortSignal | undefined;
  let isOver = false;
  async function* work(signal: AbortSignal): AsyncGenerator<string> {
    seen = signal;
    try {
      yield 'one';
      yield 'two';
    } finally {
      isOver = true;
    }
  }
  const reply = linesReply(new Request('http://localhost/', { signal: stop.signal }), work);
  await reply.body?.getReader().read();
  stop.abort();
  await turn();
  expect([seen?.aborted, isOver]).toEqual([true, true]);
});

it('begins no work for a reader who left before', async () => {
  let signal: AbortSignal | undefined;
  const gone = new Request('http://localhost/', { signal: AbortSignal.abort() });
  const reply = linesReply(gone, (given) => {
    signal = given;
    return lines();
  });
  await reply.text();
  expect(signal?.aborted).toBe(true);
});
