import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A service that repeats the key of a call in every way a careless one might. */
export type EchoingService = {
  origin: string;
  keys: ReadonlySet<string>;
  close(): void;
};

/** The forms in which debug output shows a key: in full, with the end masked, and in encodings. */
function echo(key: string): string {
  const bytes = Buffer.from(key);
  return [
    `you sent Bearer ${key}`,
    `incorrect key ${key.slice(0, 12)}****, again ${key.slice(-10)}`,
    JSON.stringify({ authorization: `Bearer ${key}` }),
    Buffer.from(`Bearer ${key}`).toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    encodeURIComponent(key),
  ].join(' | ');
}

/**
 * Proxies the `sandbox` and accepts any key. The word `echo` is refused with an echo, `shout` succeeds with the key
 * in its answer.
 */
export async function startEchoingService(sandbox: string): Promise<EchoingService> {
  const keys = new Set<string>();
  const server = createServer((request, response) => {
    const ofUrl = /[?&]key=(\w+)/.exec(request.url ?? '')?.[1];
    const key = ofUrl ?? (request.headers.authorization ?? '').replace(/^Bearer /, '');
    if (ofUrl === undefined) keys.add(key);
    if (request.url?.includes('echo')) {
      response.writeHead(400, { 'content-type': 'text/plain', 'x-echo': key }).end(echo(key));
    } else {
      void answerLike(sandbox, request, response, key).catch(() => response.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answerLike(sandbox: string, request: IncomingMessage, response: ServerResponse, key: string) {
  const body = request.method === 'POST' ? Buffer.concat(await request.toArray()) : undefined;
  const headers = { authorization: 'Bearer sandbox-key', 'content-type': 'application/json' };
  const left = new AbortController();
  response.once('close', () => left.abort());
  const received = { method: request.method, headers, body, signal: left.signal };
  const answer = await fetch(`${sandbox}${request.url}`, received);
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
  const isShouting = request.url?.includes('shout');
  if (request.url?.includes('/stream')) {
    if (isShouting) response.write(`: Bearer ${key}\ndata: {"key": ${JSON.stringify(key)}}\n\n`);
    for await (const part of answer.body ?? []) response.write(part);
    response.end();
  } else {
    const text = await answer.text();
    response.end(isShouting ? text.replace(/^\{/, `{"caller": ${JSON.stringify(`Bearer ${key}`)},`) : text);
  }
}
