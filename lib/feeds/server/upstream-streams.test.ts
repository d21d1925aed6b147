import { describe, expect, it } from 'vitest';
import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import { ManualTimers, settle } from '@/lib/core/timers-fixture';
import { ScriptedStream, serviceDown } from './stream-fixtures';
import { Connection, type OpenStream } from './upstream-streams';

/** @param script results of the attempts, in order */
function connect(script: (Failure | 'stream' | 'hang' | 'throw')[] = []) {
  const timers = new ManualTimers();
  const streams: ScriptedStream[] = [];
  const calls: string[] = [];
  const attempts: { atMs: number; signal: AbortSignal; answer: (outcome: Outcome<OpenStream>) => void }[] =
    [];
  const startMs = timers.now();
  const open = (signal: AbortSignal): Promise<Outcome<OpenStream>> => {
    const step = script.shift() ?? 'stream';
    return new Promise((resolve, reject) => {
      attempts.push({ atMs: timers.now() - startMs, signal, answer: resolve });
      if (step === 'throw') reject(new Error('a bug'));
      else if (step === 'stream') {
        const stream = new ScriptedStream();
        streams.push(stream);
        resolve(ok(stream));
      } else if (step !== 'hang') resolve(failed(step));
    });
  };
  const connection: Connection = new Connection(
    open,
    {
      event: ({ data }) => {
        if (data === 'throw') throw new Error('a bug');
        calls.push(`event ${data}`);
        return data !== 'bad';
      },
      serviceError: (text) => calls.push(`error ${text}`),
      opened: (cause) => calls.push(`opened ${cause}`),
      ended: (failure) => calls.push(failure === undefined ? 'ended' : `ended ${failure.kind}`),
      attemptFailed: (failure) => calls.push(`attempt failed ${failure.kind}`),
      stateChanged: () => {
        const { state, failure } = connection.state;
        calls.push(failure ? `${state} ${failure.kind}` : state);
      },
    },
    { timers, random: () => 0, reportError: () => calls.push('bug') },
  );
  const last = () => streams[streams.length - 1] as ScriptedStream;
  const say = async (...lines: string[]) => {
    last().send(`${lines.join('\n\n')}\n\n`);
    await settle();
  };
  return { connection, timers, streams, calls, attempts, last, say };
}

async function connected(script?: Parameters<typeof connect>[0]) {
  const scripted = connect(script);
  await scripted.connection.start();
  return scripted;
}

describe('an upstream connection', () => {
  it('is quiet when it opens and live with the first update', async () => {
    const { connection, calls, say } = connect();
    expect(connection.state.state).toBe('connecting');
    expect(await connection.start()).toEqual(ok(true));
    await say('data: 1');
    expect(calls).toEqual(['quiet', 'opened first', 'event 1', 'live']);
  });

  it('passes on no text in which the service repeats our key', async () => {
    const { connection, calls, last } = await connected();
    last().send('data: {"s3cret":1}\n\nevent: error\ndata: bad token s3cret\n\n');
    last().end();
    await settle();
    expect(calls.slice(2)).toEqual([
      'event {"[key]":1}',
      'live',
      'error bad token [key]',
      'reconnecting failing',
      'ended failing',
    ]);
    expect(connection.state.failure?.detail).toBe('bad token [key]');
  });

  it('is lost after an empty error event too', async () => {
    const { calls, last } = await connected();
    last().send('event: error\ndata:\n\n');
    last().end();
    await settle();
    expect(calls.slice(2)).toEqual(['error ', 'reconnecting failing', 'ended failing']);
  });

  it('reports a service that closes each stream at once as failing from the second time on', async () => {
    const { connection, timers, calls, streams } = await connected();
    streams[0]?.send('data: 1\n\n');
    streams[0]?.end();
    await timers.advance(1_000);
    expect(calls.at(-1)).toBe('opened again');
    streams[1]?.send('data: 2\n\n');
    streams[1]?.end();
    await settle();
    expect(calls.slice(-2)).toEqual(['reconnecting failing', 'ended failing']);
    expect(connection.state.state).toBe('reconnecting');
  });

  it('reopens within 3 s after the planned close after 24 hours, without a failure', async () => {
    const { timers, calls, last, attempts, say } = await connected();
    last().send('data: 1\n\n');
    await timers.advance(5_000);
    last().send('event: error\ndata: Connection timeout reached (24h)\n\n');
    last().end();
    await timers.advance(3_000);
    await say('data: 2');
    expect(calls).toEqual(['quiet', 'opened first', 'event 1', 'live', 'ended', 'opened again', 'event 2']);
    expect(attempts).toHaveLength(2);
  });

  it('reports a reset, an announced error and a failed attempt, each with its kind', async () => {
    const { connection, timers, calls, last } = await connected(['stream', serviceDown, 'stream']);
    last().send('event: error\ndata: Slow consumer: disconnected\n\n');
    last().end();
    await timers.advance(500);
    expect(calls.slice(2)).toEqual([
      'error Slow consumer: disconnected',
      'reconnecting failing',
      'ended failing',
      'failed failing',
      'attempt failed failing',
    ]);
    const failing = { kind: 'failing', detail: 'The service said 503.', retryAfterS: 1 };
    expect(connection.state.failure).toEqual(failing);
    await timers.advance(1_000);
    expect(calls.slice(-2)).toEqual(['quiet', 'opened again']);
    last().break();
    await settle();
    expect(calls.slice(-2)).toEqual(['reconnecting unreachable', 'ended unreachable']);
  });

  it('detects a half-open connection and opens a new one within 45 s', async () => {
    const { timers, calls, streams } = await connected();
    streams[0]?.send('data: 1\n\n');
    await timers.advance(20_000);
    streams[0]?.send(':\n\n');
    await timers.advance(40_000 - 1);
    expect(streams).toHaveLength(1);
    await timers.advance(45_000 - 40_000);
    expect(streams).toHaveLength(2);
    expect(streams[0]?.closed).toBe(true);
    expect(calls).toContain('ended timeout');
  });

  it('does not count single bytes of an endless line as a sign of life', async () => {
    const { timers, streams } = await connected();
    for (let second = 0; second < 42; second += 1) {
      streams[0]?.send('x');
      await timers.advance(1_000);
    }
    expect(streams).toHaveLength(2);
  });

  it('reconnects at the cap of a line without end', async () => {
    const { connection, timers, calls, streams } = await connected();
    for (let sent = 0; sent <= 4_000_000; sent += 1_000_000) streams[0]?.send('x'.repeat(1_000_000));
    await timers.advance(1_000);
    expect(calls).toContain('ended malformed');
    expect(streams).toHaveLength(2);
    connection.stop();
  });

  it('retries with backoff, one attempt at a time, however long the outage', async () => {
    const { connection, timers, attempts } = await connected([
      'stream',
      ...Array<Failure>(40).fill(serviceDown),
    ]);
    attempts.length = 0;
    connection.renew();
    await timers.advance(600_000);
    const gaps = attempts.slice(1).map(({ atMs }, i) => atMs - (attempts[i]?.atMs ?? 0));
    expect(gaps.slice(0, 6)).toEqual([500, 1000, 2000, 4000, 8000, 16000]);
    expect(Math.max(...gaps)).toBe(30_000);
    expect(attempts.length).toBeLessThan(30);
  });

  it('does not connect again before the wait that the stream names', async () => {
    const { timers, attempts, last, say } = await connected(['stream', serviceDown, 'stream']);
    await say('retry: 20000', 'data: 1');
    last().end();
    await timers.advance(19_999);
    expect(attempts).toHaveLength(1);
    await timers.advance(1);
    expect(attempts).toHaveLength(2);
    await timers.advance(20_000);
    expect(attempts).toHaveLength(3);
  });

  it('does not attempt again before Retry-After, and counts it down', async () => {
    const limited: Failure = { kind: 'rate-limited', detail: 'Too many.', retryAfterS: 60 };
    const { connection, timers, attempts } = connect([limited]);
    expect(await connection.start()).toEqual(failed(limited));
    expect(connection.state.failure?.retryAfterS).toBe(60);
    await timers.advance(30_000);
    expect(connection.state.failure?.retryAfterS).toBe(30);
    await timers.advance(29_999);
    expect(attempts).toHaveLength(1);
    await timers.advance(1);
    expect(attempts).toHaveLength(2);
    expect(connection.state.state).toBe('quiet');
  });

  it('replaces the stream before it drops the old one when it is renewed', async () => {
    const { connection, calls, attempts, streams, say } = await connected(['stream', 'hang']);
    await say('data: 1');
    connection.renew();
    await settle();
    expect(streams[0]?.closed).toBe(false);
    const next = new ScriptedStream();
    attempts[1]?.answer(ok(next));
    await settle();
    expect(streams[0]?.closed).toBe(true);
    next.send('data: 2\n\n');
    await settle();
    expect(calls.slice(2)).toEqual(['event 1', 'live', 'opened renewed', 'event 2']);
  });

  it('keeps the old stream when a renewal fails, and tries again', async () => {
    const { connection, timers, calls, streams, say } = await connected(['stream', serviceDown, 'stream']);
    await say('data: 1');
    connection.renew();
    await settle();
    expect([connection.state.state, connection.renewalState?.state]).toEqual(['live', 'failed']);
    expect(streams[0]?.closed).toBe(false);
    await timers.advance(1_000);
    expect(streams[0]?.closed).toBe(true);
    expect(connection.renewalState).toBeUndefined();
    expect(calls.slice(-4)).toEqual(['live', 'attempt failed failing', 'opened renewed', 'live']);
  });

  it('ends an attempt that a newer renewal replaces', async () => {
    const { connection, attempts, streams } = await connected(['stream', 'hang', 'stream']);
    connection.renew();
    connection.renew();
    await settle();
    const late = new ScriptedStream();
    attempts[1]?.answer(ok(late));
    await settle();
    expect(attempts[1]?.signal.aborted).toBe(true);
    expect(late.closed).toBe(true);
    expect(streams[1]?.closed).toBe(false);
  });

  it('leaves no stream, timer or event behind when it is stopped', async () => {
    const { connection, timers, calls, attempts, streams, say } = await connected(['stream', 'hang']);
    connection.renew();
    connection.stop();
    const late = new ScriptedStream();
    attempts[1]?.answer(ok(late));
    await say('data: 1');
    expect(late.closed && streams[0]?.closed).toBe(true);
    expect(timers.pending).toBe(0);
    expect(calls).toEqual(['quiet', 'opened first']);
  });

  it('survives an exception of ours in an event and in opening', async () => {
    const { timers, calls, say } = await connected(['throw', 'stream']);
    await timers.advance(1_000);
    await say('data: throw\n\ndata: 1');
    expect(calls).toEqual([
      'bug',
      'failed failing',
      'attempt failed failing',
      'quiet',
      'opened again',
      'bug',
      'event 1',
      'live',
    ]);
  });
});

describe('a connection without updates', () => {
  it('turns quiet when only comments come for a while', async () => {
    const { connection, timers, last, say } = await connected();
    last().send('data: 1\n\n');
    await timers.advance(9_999);
    await say(':');
    expect(connection.state.state).toBe('live');
    await timers.advance(1);
    await say(':');
    expect(connection.state.state).toBe('quiet');
  });

  it('is not called live when nothing arrives, and reports since when', async () => {
    const { connection, timers, say } = await connected();
    await say('data: 1');
    const lastUpdateMs = timers.now();
    await timers.advance(19_999);
    expect(connection.state.state).toBe('live');
    await timers.advance(1);
    const quiet = { state: 'quiet', sinceMs: lastUpdateMs, failure: { kind: 'timeout' } };
    expect(connection.state).toMatchObject(quiet);
    await say(':');
    expect(connection.state).toEqual({ state: 'quiet', sinceMs: lastUpdateMs });
    await say('data: 2');
    expect(connection.state.state).toBe('live');
    connection.stop();
    expect(timers.pending).toBe(0);
  });
});
