import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach } from 'vitest';
import { type HttpCall, HttpService, type HttpServiceOptions } from './http-service';

export type Fixture = { server: TestServer; http: HttpService; close(): Promise<void> };

async function serviceThat(answer: Answer, options: Partial<HttpServiceOptions> = {}): Promise<Fixture> {
  const server = await startTestServer(answer);
  const http = new HttpService({
    service: 'logs',
    label: 'logs:main',
    baseUrl: server.url,
    apiKey: () => 'test-key-1',
    callsPerSecond: 1000,
    ...options,
  });
  return {
    server,
    http,
    async close() {
      await http.close();
      await server.close();
    },
  };
}

/** A call with a unique query, so that it is not shared. */
export function callNumber(n: number): HttpCall {
  return { method: 'GET', path: '/v1/logs', query: `n=${n}`, priority: 'user' };
}

/** Services end after each test. */
export function serviceStarter(): typeof serviceThat {
  const open: Fixture[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((fixture) => fixture.close()));
  });
  return async (answer, options) => {
    const fixture = await serviceThat(answer, options);
    open.push(fixture);
    return fixture;
  };
}

export type TestServer = {
  url: string;
  requests: IncomingMessage[];
  connections: { accepted: number; open: Set<Socket> };
  /** Resolves when the nth request (counted from 1) has arrived. */
  request(n: number): Promise<IncomingMessage>;
  close(): Promise<void>;
};

export type Answer = (request: IncomingMessage, response: ServerResponse, n: number) => void;

/** @param answer is called with the number of the request, counted from 1 */
export async function startTestServer(answer: Answer): Promise<TestServer> {
  const requests: IncomingMessage[] = [];
  const connections = { accepted: 0, open: new Set<Socket>() };
  const waiting: { n: number; resolve: (request: IncomingMessage) => void }[] = [];
  const server = createServer((request, response) => {
    const n = requests.push(request);
    for (const waiter of waiting.filter((other) => other.n === n)) waiter.resolve(request);
    answer(request, response, n);
  });
  server.on('connection', (socket) => {
    connections.accepted += 1;
    connections.open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => connections.open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    connections,
    request(n) {
      const request = requests[n - 1];
      if (request) return Promise.resolve(request);
      return new Promise((resolve) => waiting.push({ n, resolve }));
    },
    async close() {
      for (const socket of connections.open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function sendJson(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(text);
}

/** Sends an error as plain text, as these services do. */
export function sendError(response: ServerResponse, status: number, text: string, headers = {}): void {
  response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(text);
}
