import { expect, it } from 'vitest';
import { failed, ok } from '@/lib/core/outcome';
import type { OpenStream } from '@/lib/feeds/server/upstream-streams';
import { timedStream } from './stream-response';

async function* pieces(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('one');
  yield Buffer.from('two');
}

function streamOf(body: AsyncIterable<Uint8Array>): OpenStream {
  return { body, close: () => {}, withoutKey: (text) => text };
}

it('tells how long each piece took until the next one was wanted', async () => {
  let nowMs = 0;
  const told: number[] = [];
  const timed = timedStream(
    ok(streamOf(pieces())),
    (ms) => told.push(ms),
    () => nowMs,
  );
  const seen: string[] = [];
  for await (const piece of timed.ok ? timed.value.body : []) {
    seen.push(Buffer.from(piece).toString());
    nowMs += seen.length * 5;
  }
  expect([seen, told]).toEqual([
    ['one', 'two'],
    [5, 10],
  ]);
});

it('ends the stream of the service when its reader ends, and throws what that throws', async () => {
  let ended = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield Buffer.from('x');
    } finally {
      ended = true;
    }
  }
  const timed = timedStream(ok(streamOf(endless())), () => {});
  for await (const _ of timed.ok ? timed.value.body : []) break;
  expect(ended).toBe(true);
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('x');
    throw new Error('reset');
  }
  const failing = timedStream(ok(streamOf(broken())), () => {});
  const read = async () => {
    for await (const _ of failing.ok ? failing.value.body : []);
  };
  await expect(read()).rejects.toThrow('reset');
});

it('leaves alone what could not be opened, and what nobody measures', () => {
  const failure = failed<OpenStream>({ kind: 'timeout', detail: 'late' });
  expect(timedStream(failure, () => {})).toBe(failure);
  const opened = ok(streamOf(pieces()));
  expect(timedStream(opened, undefined)).toBe(opened);
});
