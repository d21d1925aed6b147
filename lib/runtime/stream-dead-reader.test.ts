import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { A, scriptedHub, updateBody } from '@/lib/feeds/server/stream-fixtures';
import type { Sink } from '@/lib/feeds/server/subscribers';
import { metrics } from '@/lib/platform/metrics';
import { openStream } from './stream-reader-harness';
import { beginStream } from './stream-response';

const STALL_MS = 30_000;

/** Fills the buffer of an unread socket after a few dozen events. */
const PADDING = Buffer.from(`: ${'x'.repeat(100_000)}\n\n`);

function padded(sink: Sink): Sink {
  return { ...sink, write: (bytes) => sink.write(Buffer.concat([bytes, PADDING])) };
}

let server: Server;
let port: number;
const scripted = scriptedHub();
const answers: ServerResponse[] = [];

beforeEach(async () => {
  server = createServer((_, res) => {
    const watched = scripted.hub.watch({ ids: [A], malformed: [], sink: padded(beginStream(res, 'feeds')) });
    if (watched.ok) res.once('close', watched.value);
    answers.push(res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const send = (n: number) => scripted.opened.at(-1)?.stream.send(`data: ${updateBody([A, n, n])}\n\n`);

it('a client that never reads costs one buffer and is cut, and other clients get each update at once', async () => {
  const good = await openStream(`http://127.0.0.1:${port}/`);
  const dead = connect(port, '127.0.0.1');
  await new Promise<void>((resolve) => {
    dead.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
    dead.once('readable', resolve);
  });
  await scripted.timers.advance(1_000);
  await good.next('snapshot');
  const deadAnswer = answers.at(-1) as ServerResponse;
  let last = 0;
  /** Waits until the other page has received the previous update, so nothing waits for the dead reader. */
  const publish = async () => {
    last += 1;
    send(last);
    const [feed] = JSON.parse((await good.next('update')).data).feeds;
    expect([feed.p, feed.t]).toEqual([String(last), last]);
  };
  while (!deadAnswer.writableNeedDrain) await publish();
  const bufferedBytes = deadAnswer.writableLength;
  for (let more = 0; more < 50; more += 1) await publish();
  // Nothing more is queued for the dead reader.
  expect(deadAnswer.writableLength).toBeLessThan(bufferedBytes + PADDING.length);
  expect(scripted.hub.stats.watchers).toBe(2);

  const closed = new Promise((resolve) => deadAnswer.once('close', resolve));
  await scripted.timers.advance(STALL_MS / 2);
  await publish();
  await scripted.timers.advance(STALL_MS / 2);
  await closed;
  expect([deadAnswer.destroyed, deadAnswer.socket?.destroyed ?? true]).toEqual([true, true]);
  expect(scripted.hub.stats.watchers).toBe(1);
  const { registry } = metrics();
  expect(await registry.getSingleMetricAsString('keeperscope_stream_cuts_total')).toContain(
    '{stream="feeds"} 1',
  );
  await publish();
  good.close();
  dead.destroy();
});
