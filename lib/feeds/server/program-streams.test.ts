import { describe, expect, it } from 'vitest';
import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import { ManualTimers, settle } from '@/lib/core/timers-fixture';
import { ProgramStreams } from './program-streams';
import { ListSink, ScriptedStream, serviceDown } from './stream-fixtures';
import type { OpenStream } from './upstream-streams';

const here = new AbortController().signal;

function share(script: (Failure | 'stream' | 'hang')[] = []) {
  const timers = new ManualTimers();
  const opened: { query: string; stream: ScriptedStream; answer: (outcome: Outcome<OpenStream>) => void }[] =
    [];
  const shared = new ProgramStreams({
    timers,
    random: () => 0,
    reportError: (error) => {
      throw error;
    },
    open: (query) =>
      new Promise((resolve) => {
        const step = script.shift() ?? 'stream';
        const stream = new ScriptedStream();
        opened.push({ query, stream, answer: resolve });
        if (step === 'stream') resolve(ok(stream));
        else if (step !== 'hang') resolve(failed(step));
      }),
  });
  const join = async (query = 'ids[]=a', gone = here) => {
    const sink = new ListSink();
    const joined = await shared.subscribe(query, () => sink, gone);
    return { sink, joined, leave: () => joined.ok && joined.value() };
  };
  const last = () => opened[opened.length - 1]?.stream as ScriptedStream;
  return { shared, timers, opened, join, last };
}

describe('streams of client programs', () => {
  it('share one upstream stream per identical query', async () => {
    const { opened, join, last, shared } = share();
    const [a, b, other] = await Promise.all([join('ids[]=a'), join('ids[]=a'), join('ids[]=b')]);
    expect(opened.map(({ query }) => query)).toEqual(['ids[]=a', 'ids[]=b']);
    opened[0]?.stream.send('data: {"x":1}\n\n');
    last().send('data: {"y":2}\n\n');
    await settle();
    const bodies = ['data: {"x":1}\n\n', 'data: {"x":1}\n\n', 'data: {"y":2}\n\n'];
    expect([a, b, other].map(({ sink }) => sink.text)).toEqual(bodies);
    expect(shared.stats).toEqual({ readers: 3, upstreamStreams: 2, events: 2, losses: 0 });
  });

  it('pass on the text of the service unchanged, without comments', async () => {
    const { join, last } = share();
    const { sink } = await join();
    const odd = '{"parsed":[{"price":"18446744073709551616","new":1.0}],"e":"é😀"}';
    last().send(`:\n\n: c\r\n\r\ndata:${odd}\r\n\r\n`);
    // Except for our key, in any part of an event.
    last().send('event: for s3cret\nid: s3cret\ndata: s3cret\n\n');
    await settle();
    expect(sink.text).toBe(`data: ${odd}\n\nid: [key]\nevent: for [key]\ndata: [key]\n\n`);
  });

  it('lose no event that comes with the head of the stream', async () => {
    const { opened, join } = share(['hang']);
    const joining = join();
    const stream = new ScriptedStream();
    stream.send('data: 1\n\n');
    opened[0]?.answer(ok(stream));
    const { sink } = await joining;
    await settle();
    expect(sink.text).toBe('data: 1\n\n');
  });

  it('answer with the failure when the upstream stream cannot start, and try again for the next one', async () => {
    const { join, opened, timers } = share([serviceDown]);
    const [a, b] = await Promise.all([join(), join()]);
    expect([a.joined, b.joined]).toEqual([failed(serviceDown), failed(serviceDown)]);
    expect([a.sink.text, opened.length, timers.pending]).toEqual(['', 1, 0]);
    expect((await join()).joined.ok).toBe(true);
  });

  it('continue on the next upstream stream after a planned close, without an error event', async () => {
    const { join, last, timers, opened } = share();
    const { sink } = await join();
    last().send('data: 1\n\n');
    await timers.advance(5_000);
    last().send('event: error\ndata: Connection timeout reached (24h)\n\n');
    last().end();
    await timers.advance(3_000);
    last().send('data: 2\n\n');
    await settle();
    expect(sink.readEvents().map(({ name, data }) => [name, data])).toEqual([
      ['message', '1'],
      ['message', '2'],
    ]);
    expect(opened).toHaveLength(2);
  });

  it('pass on an error event of the service as it was sent and go on', async () => {
    const { join, last, timers } = share();
    const { sink } = await join();
    last().send('event: error\ndata: Slow consumer: disconnected\n\n');
    last().end();
    await timers.advance(3_000);
    last().send('data: 2\n\n');
    await settle();
    expect(sink.text).toBe('event: error\ndata: Slow consumer: disconnected\n\ndata: 2\n\n');
  });

  it('report an outage once per cause, not once per attempt, and go on after it', async () => {
    const { join, last, timers } = share(['stream', serviceDown, serviceDown, serviceDown, 'stream']);
    const { sink } = await join();
    last().break();
    await timers.advance(20_000);
    last().send('data: 2\n\n');
    await settle();
    expect(sink.readEvents().map(({ name, data }) => [name, data])).toEqual([
      ['error', 'The connection to the service broke.'],
      ['error', 'The service said 503.'],
      ['message', '2'],
    ]);
  });

  it('answer a new reader with the failure while the stream is down', async () => {
    const { join, last, timers } = share(['stream', serviceDown, serviceDown, serviceDown]);
    const first = await join();
    last().break();
    await timers.advance(600);
    expect((await join()).joined).toEqual(failed({ ...serviceDown, retryAfterS: 1 }));
    expect(first.sink.state).toBe('open');
  });

  it('end when the service refuses the query itself again and again', async () => {
    const missing: Failure = { kind: 'missing', detail: 'Price ids not found: 0xabc' };
    const { join, last, timers, opened } = share(['stream', ...Array<Failure>(9).fill(missing)]);
    const { sink } = await join();
    last().break();
    await timers.advance(60_000);
    expect(opened).toHaveLength(1 + 3);
    expect(sink.state).toBe('ended');
    expect(sink.readEvents().map(({ data }) => data)).toContain('Price ids not found: 0xabc');
  });

  it('close the upstream stream after the last reader', async () => {
    const { join, last, timers, shared } = share();
    const a = await join();
    const b = await join();
    a.leave();
    a.leave();
    await timers.advance(1_000);
    expect(last().closed).toBe(false);
    b.leave();
    await timers.advance(1_000);
    expect(last().closed).toBe(true);
    expect([shared.stats.upstreamStreams, timers.pending]).toEqual([0, 0]);
  });

  it('close an upstream stream whose only reader left while it was being opened', async () => {
    const { join, opened, timers } = share(['hang']);
    const gone = new AbortController();
    const joining = join('ids[]=a', gone.signal);
    gone.abort();
    const stream = new ScriptedStream();
    opened[0]?.answer(ok(stream));
    expect((await joining).joined.ok).toBe(false);
    await timers.advance(1_000);
    expect([stream.closed, timers.pending]).toEqual([true, 0]);
  });

  it('encode an event once for all readers', async () => {
    const { shared, last } = share();
    const written: Uint8Array[] = [];
    const sink = () => ({
      write: (bytes: Uint8Array) => written.push(bytes) > 0,
      onDrain: () => {},
      end: () => {},
      destroy: () => {},
    });
    for (let reader = 0; reader < 5; reader += 1) await shared.subscribe('q', sink, here);
    last().send('data: 1\n\n');
    await settle();
    expect(written).toHaveLength(5);
    expect(new Set(written).size).toBe(1);
  });

  it('are ended by stop, and none begins afterwards', async () => {
    const { shared, join, last, timers } = share();
    const { sink } = await join();
    shared.stop();
    expect([sink.state, last().closed, timers.pending]).toEqual(['ended', true, 0]);
    expect((await join()).joined.ok).toBe(false);
  });
});

describe('a program that reads slowly', () => {
  it('gets every event in order, and no heartbeat while it is full', async () => {
    const { join, last, shared } = share();
    const { sink } = await join();
    sink.stall();
    for (const text of ['a', 'b', 'c']) last().send(`data: ${text}\n\n`);
    await settle();
    shared.heartbeat();
    expect(sink.text).toBe('data: a\n\n');
    sink.drain();
    last().send('data: d\n\n');
    await settle();
    expect(sink.text).toBe('data: a\n\ndata: b\n\ndata: c\n\ndata: d\n\n');
  });

  it('is cut when its buffer is full, and the others go on', async () => {
    const { join, last } = share();
    const slow = await join();
    const other = await join();
    slow.sink.stall();
    last().send('data: a\n\n');
    for (let n = 0; n < 3; n += 1) last().send(`data: ${'x'.repeat(400_000)}\n\n`);
    await settle();
    expect([slow.sink.state, other.sink.state]).toEqual(['destroyed', 'open']);
    expect(other.sink.text.length).toBeGreaterThan(1_200_000);
  });
});
