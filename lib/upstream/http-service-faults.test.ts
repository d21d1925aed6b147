import type { Socket } from 'node:net';
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { HttpServiceOptions } from './http-service';
import { type Answer, callNumber, sendJson, serviceStarter } from './service-fixture';

const MB = 1024 * 1024;
const start = serviceStarter();

/** The pool takes a connection back in the turn of the event loop after its answer. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function outcomeOf(answer: Answer, options: Partial<HttpServiceOptions> = {}) {
  const { http } = await start(answer, options);
  return http.call(callNumber(1));
}

async function connectionsGone(sockets: Set<Socket>) {
  const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));
  await Promise.all([...sockets].map((socket) => socket.destroyed || closed(socket)));
}

const raw = (text: string): Answer => {
  return (_, response) => void response.socket?.end(text);
};
const encoded = (encoding: string, body: string | Buffer): Answer => {
  return (_, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(body);
};
/** An incomplete answer. */
const begun = (headers: Record<string, string>, cut: (socket: Socket) => void): Answer => {
  return (_, response) => {
    response.writeHead(200, headers).write('[1,2');
    setImmediate(() => response.socket && cut(response.socket));
  };
};
const endless = (piece: string | Buffer, status = 200): Answer => {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'text/plain' });
    const more = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', more);
    more();
  };
};

describe('an invalid answer', () => {
  test.each<[string, Answer]>([
    ['is shorter than promised', begun({ 'content-length': '100' }, (socket) => socket.end())],
    ['promises two lengths', raw('HTTP/1.1 200 OK\r\nContent-Length: 10\r\nContent-Length: 2\r\n\r\n{}')],
    ['breaks off between its chunks', begun({}, (socket) => socket.destroy())],
    ['is compressed and broken off', encoded('gzip', zlib.gzipSync('[1,2,3]').subarray(0, 15))],
    ['is compressed and damaged', encoded('gzip', 'not gzip at all')],
    ['is compressed in a way we did not ask for', encoded('zstd', 'xyz')],
    ['is no HTTP', raw('hello there\r\n\r\n')],
  ])('is malformed when it %s', async (_, answer) => {
    expect(await outcomeOf(answer)).toMatchObject({ failure: { kind: 'malformed', service: 'logs' } });
  });

  test('is unreachable when the connection is closed without an answer, and is not retried', async () => {
    const { http, server } = await start((request) => request.socket.destroy());
    expect(await http.call(callNumber(1))).toMatchObject({ failure: { kind: 'unreachable' } });
    expect(server.requests).toHaveLength(1);
  });

  test('is unreachable if nobody listens or the name is unknown', async () => {
    const { server } = await start(() => {});
    await server.close();
    for (const baseUrl of [server.url, 'http://no-such-host.invalid']) {
      const { http } = await start(() => {}, { baseUrl });
      expect(await http.call(callNumber(1))).toMatchObject({ failure: { kind: 'unreachable' } });
    }
  });
});

describe('the byte cap', () => {
  test('ends an endless body and its connection', async () => {
    const { http, server } = await start(endless(Buffer.alloc(MB, 0x20)));
    const before = process.memoryUsage.rss();
    expect(await http.call(callNumber(1))).toMatchObject({ failure: { kind: 'malformed' } });
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * MB);
    await connectionsGone(server.connections.open);
  });

  test('reads only the beginning of an endless error text', async () => {
    const { http, server } = await start(endless('no '.repeat(30_000), 400));
    const outcome = await http.call(callNumber(1));
    expect(outcome).toMatchObject({ failure: { kind: 'rejected', detail: expect.stringMatching(/^no no/) } });
    await connectionsGone(server.connections.open);
  });

  test('rejects a body whose announced length is too long, without reading it', async () => {
    const { http, server } = await start((_, response) => {
      response.writeHead(200, { 'content-length': String(100 * MB) }).flushHeaders();
    });
    expect(await http.call(callNumber(1))).toMatchObject({ failure: { kind: 'malformed' } });
    await connectionsGone(server.connections.open);
  });

  test('holds after decompression', async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(150 * MB, 0x20));
    const { http } = await start(encoded('gzip', bomb));
    const before = process.memoryUsage.rss();
    expect(await http.call(callNumber(1))).toMatchObject({ failure: { kind: 'malformed' } });
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * MB);
  });

  test('accepts a body that just fits', async () => {
    const { http } = await start((_, response) => response.end('x'.repeat(1000)));
    expect(await http.call({ ...callNumber(1), maxBytes: 1000 })).toMatchObject({ ok: true });
    const shorter = await http.call({ ...callNumber(1), maxBytes: 999 });
    expect(shorter).toMatchObject({ failure: { kind: 'malformed' } });
  });
});

describe('a connection that dies between two calls', () => {
  test('costs one invisible retry over a new connection', async () => {
    const { http, server } = await start((request, response, n) => {
      if (n === 2) request.socket.destroy();
      else sendJson(response, `[${n}]`);
    });
    await http.call(callNumber(1));
    await turn();
    expect(await http.call(callNumber(2))).toMatchObject({ ok: true, value: { text: '[3]' } });
    expect(server.connections.accepted).toBe(2);
  });

  test('is noticed after a reset too, and for a POST', async () => {
    const { http } = await start((request, response, n) => {
      if (n === 2) request.socket.resetAndDestroy();
      else sendJson(response, `[${n}]`);
    });
    await http.call(callNumber(1));
    await turn();
    const post = { method: 'POST', path: '/v1/price', body: '{}', priority: 'user' } as const;
    expect(await http.call(post)).toMatchObject({ ok: true, value: { text: '[3]' } });
  });

  test('costs no second retry', async () => {
    const { http, server } = await start((request, response, n) => {
      if (n > 1) request.socket.destroy();
      else sendJson(response, '[1]');
    });
    await http.call(callNumber(1));
    await turn();
    expect(await http.call(callNumber(2))).toMatchObject({ failure: { kind: 'unreachable' } });
    expect(server.requests).toHaveLength(3);
  });
});
