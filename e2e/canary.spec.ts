import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { type Dashboard, expect, startDashboard, test } from './dashboard';

/** The same words as in scripts/canary.mjs, with which `npm test` also makes the build. */
const CANARY = 'canary-3f9c1d7be2a84550';
const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';

/** A service that takes the canary as its key and answers as the sandbox does; asked for an echo, it shouts the key. */
async function serviceThatEchoes(
  sandbox: string,
): Promise<{ server: Server; origin: string; sawKey: () => boolean }> {
  let saw = false;
  const server = createServer(async (request, response) => {
    const key = request.headers.authorization;
    saw ||= key === `Bearer ${CANARY}`;
    if (request.url?.includes('echo')) {
      response.writeHead(400, { 'content-type': 'text/plain', 'x-echo': key ?? '' });
      response.end(`you sent ${key} and once more ${CANARY}`);
      return;
    }
    const body = request.method === 'POST' ? Buffer.concat(await request.toArray()) : undefined;
    const headers = { authorization: 'Bearer sandbox-key', 'content-type': 'application/json' };
    const answer = await fetch(`${sandbox}${request.url}`, { method: request.method, headers, body });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    if (request.url?.includes('/stream')) {
      const reader = answer.body?.getReader();
      response.on('close', () => reader?.cancel());
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
        response.write(part.value);
      response.end();
    } else {
      response.end(Buffer.from(await answer.arrayBuffer()));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sawKey: () => saw };
}

const ROUTES = [
  '/api/logs/v1/logs?limit=20',
  '/api/logs/v1/logs?query=echo',
  '/api/logs/v1/logs?limit=5000',
  `/api/updates/v2/updates/price/latest?ids[]=${BTC}`,
  `/api/updates/v2/updates/price/latest?ids[]=${BTC}&x=echo`,
  `/api/updates/v2/updates/price/stream?ids[]=${BTC}&x=echo`,
  `/api/upgraded/v2/updates/price/latest?ids[]=${BTC}`,
  `/api/upgraded/v2/updates/price/1?ids[]=${BTC}`,
  '/api/updates/v2/price_feeds',
  '/api/router/v1/symbols',
  '/api/router/v1/symbols?query=echo',
  '/api/health',
  '/api/metrics',
  '/api/nowhere',
  '/nowhere',
];

/** Status line, headers and body of an answer as one text. */
async function all(response: Response): Promise<string> {
  return `${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`;
}

async function visit(page: Page, dashboard: Dashboard): Promise<string> {
  const seen: string[] = [];
  page.on('console', (message) => seen.push(message.text()));
  page.on('response', async (response) => {
    const body = response.headers()['content-type']?.includes('event-stream')
      ? ''
      : await response.text().catch(() => '');
    seen.push(`${response.url()} ${JSON.stringify(response.headers())} ${body}`);
  });
  for (const path of ['/', '/requests', '/requests?q=echo', '/feeds', '/nowhere']) {
    await page.goto(`${dashboard.origin}${path}`);
    await page.waitForLoadState('load');
    seen.push(await page.content());
  }
  await page.goto(`${dashboard.origin}/feeds`);
  await expect(page.getByRole('region').first()).toBeVisible();
  await page.goto(`${dashboard.origin}/requests`);
  await expect(page.getByRole('table', { name: 'Requests' })).toBeVisible();
  return seen.join('\n');
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test.describe('with a canary for a key', () => {
  let service: Awaited<ReturnType<typeof serviceThatEchoes>>;
  let live: Dashboard;

  test.beforeAll(async ({ dashboard }) => {
    service = await serviceThatEchoes(dashboard.sandbox);
    live = await startDashboard({
      LOGS_URL: `${service.origin}/logs/main`,
      LOGS_API_KEY: CANARY,
      UPDATES_URL: `${service.origin}/updates`,
      UPDATES_API_KEY: CANARY,
      UPGRADED_UPDATES_URL: `${service.origin}/upgraded/hermes`,
      ROUTER_URL: `${service.origin}/router`,
      ROUTER_API_KEY: CANARY,
      METRICS_TOKEN: CANARY,
      LOG_LEVEL: 'trace',
      UPDATES_CALLS_PER_S: '100',
    });
  });

  test.afterAll(async () => {
    await live.stop();
    service.server.closeAllConnections();
    service.server.close();
  });

  test('the key reaches the service and nothing else: no route, page, script, log line', async ({ page }) => {
    const answers = await Promise.all(ROUTES.map(async (route) => all(await fetch(live.origin + route))));
    const pages = await visit(page, live);
    expect(service.sawKey()).toBe(true);
    expect(answers.filter((text) => text.includes(CANARY))).toEqual([]);
    expect(answers[1]).toContain('you sent');
    expect(pages).not.toContain(CANARY);
    expect(live.stdout()).not.toContain(CANARY);
    expect(live.stderr()).not.toContain(CANARY);
  });

  test('the key is in no file of the build, and no source map is served', async ({ page }) => {
    const scripts: string[] = [];
    page.on('response', (response) => {
      if (response.url().endsWith('.js')) scripts.push(response.url());
    });
    await page.goto(`${live.origin}/requests`);
    await page.waitForLoadState('load');
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts) expect((await fetch(`${script}.map`)).status).toBe(404);
    const files = filesUnder('.next');
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter((file) => readFileSync(file).includes(CANARY))).toEqual([]);
  });
});
