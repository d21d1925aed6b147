import { afterEach } from 'vitest';
import { createHttpService, type HttpCall, type HttpService, type HttpServiceOptions } from './http-service';
import { type Answer, startTestServer, type TestServer } from './test-server';

/** A hand-written service and our side of it. */
export type Fixture = { server: TestServer; http: HttpService; close(): Promise<void> };

/** Starts a service that answers so, and a client of it with a key and a wide budget. */
async function serviceThat(answer: Answer, options: Partial<HttpServiceOptions> = {}): Promise<Fixture> {
  const server = await startTestServer(answer);
  const http = createHttpService({
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

/** A call that differs from all others by its query, so that it is not shared. */
export function callNumber(n: number): HttpCall {
  return { method: 'GET', path: '/v1/logs', query: `n=${n}`, priority: 'user' };
}

/** Starts services for the tests of a file and ends them after each test. */
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
