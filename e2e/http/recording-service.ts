import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call as it was received; nothing is decoded. */
export type WireCall = { method: string; url: string; headers: IncomingMessage['headers']; body: string };

const UPDATE = '{"binary":{"encoding":"hex","data":[]},"parsed":[]}';

/** Stands for every host and does not judge its calls. */
export type RecordingService = {
  readonly origin: string;
  calls(prefix: string): WireCall[];
  forget(): void;
  stop(): Promise<void>;
};

export async function startRecordingService(): Promise<RecordingService> {
  let calls: WireCall[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    calls.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
    answer(request.url ?? '', response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: (prefix) => calls.filter(({ url }) => url.startsWith(prefix)),
    forget: () => {
      calls = [];
    },
    stop: () => stopped(server),
  };
}

function stopped(server: Server): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  return ended;
}

/** Answers with nothing, in the form of the contract; a stream stays open. */
function answer(url: string, response: ServerResponse): void {
  const path = url.split('?')[0] ?? '';
  if (path.endsWith('/stream')) {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${UPDATE}\n\n`);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(bodyOf(path));
}

function bodyOf(path: string): string {
  if (path.endsWith('/v1/logs')) return '{"requests":[],"total_results":0}';
  if (path.endsWith('/get_price_feed')) return '{"id":"ab","price":{},"ema_price":{}}';
  if (path.endsWith('/price_feeds') || path.endsWith('/symbols')) return '[]';
  return path.includes('/router/') ? '{"parsed":{"timestampUs":"1","priceFeeds":[]}}' : UPDATE;
}
