import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { ProblemDetails } from '@/lib/core/problem';
import type { Environment } from '@/lib/platform/secret';
import { readSettings } from '@/lib/platform/settings';
import { replaceSettings } from '@/lib/platform/settings-fixture';
import { closeServices, startServices } from '@/lib/services/services';
import { handleGateway } from './gateway';

type Call = { method: string; url: string; headers: IncomingMessage['headers']; body: string };
type Answer = (res: ServerResponse, call: Call) => void;

const UPDATE = '{"binary":{"encoding":"hex","data":[]},"parsed":[],"later":18446744073709551615}';
const LOGS = '{"requests":[],"total_results":0}';

export class FakeService {
  calls: Call[] = [];
  answer: Answer = () => {};
  origin = '';
  #server: Server | undefined;

  async start(): Promise<void> {
    const server = createServer(async (req, res) => {
      let body = '';
      for await (const chunk of req) body += chunk;
      const call = { method: req.method ?? '', url: req.url ?? '', headers: req.headers, body };
      this.calls.push(call);
      this.answer(res, call);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#server = server;
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  reset(): void {
    this.calls = [];
    this.answer = (res, { url }) => res.end(url.includes('/logs') ? LOGS : UPDATE);
  }

  stop(): void {
    this.#server?.close();
  }
}

/** The keys of the settings begin with `hush-`, so that `problemAt` can find them. */
export function withFakeService(): FakeService {
  const fake = new FakeService();
  beforeAll(() => fake.start());
  afterAll(() => fake.stop());
  beforeEach(async () => {
    fake.reset();
    await configure({
      LOGS_URL: `main=${fake.origin}/c/,test=${fake.origin}/t`,
      LOGS_API_KEY: 'hush-logs',
      UPDATES_URL: fake.origin,
      UPDATES_API_KEY: 'hush-updates',
      UPGRADED_UPDATES_URL: `${fake.origin}/hermes`,
      ROUTER_URL: `${fake.origin}/router`,
      ROUTER_API_KEY: 'hush-router',
      UPDATES_CALLS_PER_S: '1000',
    });
  });
  afterEach(closeServices);
  return fake;
}

export async function configure(env: Environment): Promise<void> {
  const settings = readSettings({ LOG_LEVEL: 'silent', ...env });
  replaceSettings(settings);
  await startServices(settings);
}

export function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { host: 'localhost:3000', ...(init.headers as Record<string, string>) };
  return handleGateway(new Request(`http://localhost:3000${path}`, { ...init, headers }));
}

export async function problemAt(
  path: string,
  init?: RequestInit,
): Promise<ProblemDetails & { headers: Headers }> {
  const response = await send(path, init);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const body: ProblemDetails = await response.json();
  expect(body.status).toBe(response.status);
  expect(body.type).toBe('about:blank');
  expect(JSON.stringify(body)).not.toMatch(/hush|<|stack| at /);
  return { ...body, headers: response.headers };
}
