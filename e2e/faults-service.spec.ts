import { readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { controlOf } from './control';
import { type Dashboard, expect, startDashboard, test } from './dashboard';
import { openRequests, records } from './requests-page';

const MB = 1024 * 1024;
const alerts = (page: Page) => page.getByRole('alert').filter({ hasText: /\S/ });

/** Runs with a dashboard of its own: what a service told it would stay with the shared one. */
async function withDashboard(settings: Record<string, string>, use: (own: Dashboard) => Promise<void>) {
  const own = await startDashboard(settings);
  try {
    await use(own);
  } finally {
    await own.stop();
  }
}

/** A log service that answers every call by this, written for one test. */
async function withService(
  answer: (response: ServerResponse, url: string) => void,
  use: (url: string) => Promise<void>,
) {
  const server: Server = createServer(({ url = '' }, response) => answer(response, url));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('the service rejects our key? It says so and which setting to check, without a sign-in, and asks no more for a minute', async ({
  page,
}) => {
  await withDashboard({}, async ({ origin, sandbox }) => {
    const control = controlOf(sandbox);
    let asked = 0;
    const newCalls = async () => {
      const before = asked;
      asked = (await control.calls('logs:main')).total;
      return asked - before;
    };
    const calm = () => expect.poll(newCalls, { intervals: [1000], timeout: 20_000 }).toBe(0);
    await openRequests(page, `${origin}/requests?range=all&keeper=main`);
    await expect(records(page)).toHaveCount(50);
    await calm();
    await control.fault({ service: 'logs:main', fault: { kind: 'status', status: 401 } });
    await page.getByRole('button', { name: /refresh/i }).click();
    await expect(alerts(page).first()).toContainText(/rejected our key \(401\)\. Check LOGS_API_KEY/);
    await expect(alerts(page).first()).toContainText('stale since');
    await expect(records(page)).toHaveCount(50);
    // What went out together with the first refused call still arrives there.
    await calm();
    for (let n = 0; n < 3; n++) await page.request.get(`${origin}/api/logs/v1/logs?limit=${n + 1}`);
    await page.goto(`${origin}/requests?range=1h&keeper=main`);
    await expect(alerts(page).first()).toContainText('rejected our key');
    await expect(page).toHaveURL(/\/requests\?range=1h/);
    expect(await newCalls()).toBeLessThanOrEqual(1);
  });
});

for (const [what, retryAfter] of [
  ['in seconds', () => '20'],
  ['as a date', () => new Date(Date.now() + 20_000).toUTCString()],
  ['not at all', () => undefined],
] as const) {
  test(`the service limits our calls and says until when ${what}? A countdown, and not one call before it ends`, async ({
    page,
  }) => {
    await withDashboard({}, async ({ origin, sandbox }) => {
      const control = controlOf(sandbox);
      await openRequests(page, `${origin}/requests?range=all&keeper=main`);
      await control.fault({
        service: 'logs:main',
        fault: { kind: 'status', status: 429, retryAfter: retryAfter() },
      });
      await page.getByRole('button', { name: /refresh/i }).click();
      await expect(alerts(page).first()).toContainText('limits our calls (429)');
      await expect(alerts(page).first()).toContainText('stale since');
      const countdown = page.getByText(/Next try in \d+ s/).first();
      const first = Number(/\d+/.exec(String(await countdown.textContent()))?.[0]);
      // The index of a sandbox has a client of its own; the gateway's hears it too.
      await page.request.get(`${origin}/api/logs/v1/logs?limit=2`);
      await control.forgetCalls();
      const answer = await page.request.get(`${origin}/api/logs/v1/logs?limit=3`);
      expect(answer.status()).toBe(503);
      expect(Number(answer.headers()['retry-after'])).toBeGreaterThan(0);
      await expect
        .poll(async () => Number(/\d+/.exec(String(await countdown.textContent()))?.[0]))
        .toBeLessThan(first);
      await expect(records(page)).toHaveCount(50);
      expect((await control.calls('logs:main')).total).toBe(0);
    });
  });
}

test('nobody listens, or nobody has that name? Each log service says that it cannot be reached, and no page is empty', async ({
  page,
}) => {
  const LOGS_URL = 'main=http://127.0.0.1:9,test=http://no-such-host.invalid';
  await withDashboard({ LOGS_URL }, async ({ origin }) => {
    for (const keeper of ['main', 'test']) {
      await page.goto(`${origin}/requests?range=all&keeper=${keeper}`);
      await expect(alerts(page).first()).toContainText(/request log service.*(reach|connect|found|refus)/i, {
        timeout: 20_000,
      });
      await expect(alerts(page).first()).toContainText('LOGS_URL');
      await expect(page.getByText(/no requests match/i)).toHaveCount(0);
    }
  });
});

/** Resident memory of a process, bytes. */
function residentBytes({ process: { pid } }: Dashboard): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}

const JSON_HEAD = { 'content-type': 'application/json' };

function sendNothing(response: ServerResponse): void {
  response.writeHead(200, JSON_HEAD).end('{"requests":[],"total_results":0}');
}

function sendHundredMegabytes(response: ServerResponse): void {
  const piece = `{"requests":[${'{"sequence":1},'.repeat(60_000)}`;
  let left = 100 * MB;
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left -= piece.length;
      if (!response.write(piece)) return;
    }
    response.end();
  };
  response.writeHead(200, JSON_HEAD).on('drain', more);
  more();
}

function sendBomb(response: ServerResponse): void {
  response.writeHead(200, { ...JSON_HEAD, 'content-encoding': 'gzip' }).end(BOMB);
}

/** 200 MB in 200 kB. */
const BOMB = gzipSync(Buffer.alloc(200 * MB, 0x20));

for (const [what, answer] of [
  ['a hundred megabytes of JSON', sendHundredMegabytes],
  ['a gzip bomb', sendBomb],
] as const) {
  test(`the service sends ${what}? It is cut at the cap, said to be so, and takes less than 100 MB of memory`, async ({
    page,
  }) => {
    test.skip(process.platform !== 'linux', 'the memory of another process is read from /proc');
    let isBroken = (url: string) => url.includes('x=large');
    await withService(
      (response, url) => (isBroken(url) ? answer(response) : sendNothing(response)),
      async (LOGS_URL) => {
        await withDashboard({ LOGS_URL }, async (own) => {
          // What the first pages of a process take has nothing to do with that answer.
          for (const path of ['/requests?range=all', '/requests?range=7d']) {
            await page.goto(own.origin + path);
            await expect(page.getByText(/no requests/i).first()).toBeVisible();
          }
          const before = residentBytes(own);
          const cut = await page.request.get(`${own.origin}/api/logs/v1/logs?limit=1&x=large`);
          expect([cut.status(), (await cut.json()).kind]).toEqual([502, 'malformed']);
          expect(residentBytes(own) - before).toBeLessThan(100 * MB);
          isBroken = () => true;
          await page.goto(`${own.origin}/requests?range=24h`);
          await expect(alerts(page).first()).toContainText('an answer over the byte cap', {
            timeout: 30_000,
          });
          expect((await page.request.get(`${own.origin}/api/health`)).status()).toBe(200);
        });
      },
    );
  });
}
