import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { controlOf } from '@/e2e/control';
import { environment, freePort } from '@/e2e/dashboard';
import { fetchRaw as fetchOnce } from '@/e2e/every-route';
import { withDashboard } from './server';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const STREAM = `/api/feeds/stream?ids=${BTC}`;

/** The limit of open files and sockets includes the sandbox. */
async function startWithLimit(
  descriptors: number,
  settings: Record<string, string> = {},
): Promise<{ port: number; child: ChildProcess }> {
  const port = await freePort();
  const env = environment({ PORT: String(port), SANDBOX_PORT: '0', ...settings });
  const command = `ulimit -n ${descriptors}; exec '${process.execPath}' scripts/start.mjs`;
  const child = spawn('sh', ['-c', command], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  await new Promise<void>((resolve, reject) => {
    let text = '';
    child.stderr.on('data', (chunk) => {
      text += chunk;
      if (text.includes(' is at http')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${text}`)));
  });
  return { port, child };
}

/** Requests a stream, and counts its updates. */
function reader(port: number): { socket: Socket; updates(): number; text(): string } {
  let updates = 0;
  let text = '';
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    text = (text + bytes).slice(0, 2000);
    updates += String(bytes).split('event: update').length - 1;
  });
  socket.write(`GET ${STREAM} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  return { socket, updates: () => updates, text: () => text };
}

test('of 256 file descriptors some are reserved for health and the index, whatever streams are opened', async () => {
  const { port, child } = await startWithLimit(256, { MAX_STREAMS_PER_CLIENT: '1000' });
  const crowd: { socket: Socket; text(): string }[] = [];
  const health = async () => (await fetch(`http://127.0.0.1:${port}/api/health`)).status;
  try {
    await vi.waitFor(async () => expect(await health()).toBe(200), { timeout: 30_000 });
    for (let n = 0; n < 400; n += 1) {
      crowd.push(reader(port));
      if (n % 20 === 19) expect(await health()).toBe(200);
    }
    const isRefused = ({ socket, text }: (typeof crowd)[number]) =>
      socket.destroyed || text().includes('event: refused');
    await expect.poll(() => crowd.filter(isRefused).length, { timeout: 30_000 }).toBeGreaterThan(250);
    const refusal = crowd.find(({ text }) => text().includes('event: refused'))?.text();
    expect(refusal).toContain('This dashboard has 112 open streams, the limit.');
    expect(await health()).toBe(200);
    // The descriptors left suffice for files and new connections, although the keepers are polled all the while.
    if (existsSync(`/proc/${child.pid}/fd`))
      await expect.poll(() => readdirSync(`/proc/${child.pid}/fd`).length).toBeLessThan(200);
    const syncedAtMs = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/view/requests?range=1h`);
      return (await answer.json()).index[0].syncedAtMs;
    };
    const before = await syncedAtMs();
    await expect.poll(syncedAtMs, { timeout: 30_000 }).toBeGreaterThan(before);
  } finally {
    for (const { socket } of crowd) socket.destroy();
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }
}, 120_000);

test('with 64 file descriptors taken by a crowd, the dashboard reports the shortage and recovers', async () => {
  const { port, child } = await startWithLimit(64);
  // While no other connection can be opened, an established one is the only way in.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = (path: string) =>
    new Promise<{ status?: number; text: string }>((resolve, reject) => {
      get({ host: '127.0.0.1', port, path, agent }, (answer) => {
        let text = '';
        answer.on('data', (chunk) => (text += chunk));
        answer.on('end', () => resolve({ status: answer.statusCode, text }));
      }).on('error', reject);
    });
  try {
    // Loading its pages, the process has no descriptors to spare.
    let first = reader(port);
    const opened = async () => {
      expect((await send('/api/health')).status).toBe(200);
      if (first.socket.destroyed || first.updates() === 0) {
        first.socket.destroy();
        first = reader(port);
      }
      await expect.poll(first.updates, { timeout: 3_000 }).toBeGreaterThan(1);
    };
    await vi.waitFor(opened, { timeout: 30_000 });
    const crowd = Array.from({ length: 100 }, () => reader(port).socket);
    const turnedAway = async () => {
      // Polled, because the connection would otherwise be closed as idle.
      expect((await send('/api/health')).status).toBe(200);
      return crowd.filter(({ destroyed }) => destroyed).length;
    };
    await expect.poll(turnedAway, { timeout: 30_000 }).toBeGreaterThan(20);

    const symbols = () => send('/api/router/v1/symbols');
    // The index sometimes releases a connection, which the next client takes over.
    const isRefused = async () => {
      crowd.push(reader(port).socket);
      const hosts = ['upgraded', 'updates'].map((host) => `/api/${host}/v2/price_feeds`);
      const answers = [];
      for (const path of hosts) answers.push(await send(path));
      answers.push(await symbols());
      const refused = answers.find(({ status }) => status !== 200);
      const { kind, detail } = JSON.parse(refused?.text ?? '{}');
      return [refused?.status, kind, /no file descriptor left/.test(detail)];
    };
    await expect.poll(isRefused, { timeout: 30_000 }).toEqual([502, 'unreachable', true]);
    expect((await send('/api/health')).status).toBe(200);
    const before = first.updates();
    await expect.poll(first.updates).toBeGreaterThan(before + 2);

    for (const socket of crowd) socket.destroy();
    await expect.poll(async () => (await symbols()).status, { timeout: 20_000 }).toBe(200);
    expect(child.exitCode).toBeNull();
    first.socket.destroy();
  } finally {
    agent.destroy();
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }
});

test('missing headers time out after 10 s, and a body at a byte a second after 15 s', () =>
  withDashboard({}, async ({ origin, sandbox }) => {
    const control = controlOf(sandbox);
    await control.fault({ service: 'logs:main', fault: { kind: 'hang' } });
    await control.fault({ service: 'logs:test', fault: { kind: 'trickle' } });
    const since = Date.now();
    const answerOf = async (keeper: string) => {
      const { status, body } = await fetchOnce(origin, `/api/logs/v1/logs?limit=9&keeper=${keeper}`);
      return [status, JSON.parse(body).kind, Math.floor((Date.now() - since) / 5_000) * 5];
    };
    expect(await Promise.all(['main', 'test'].map(answerOf))).toEqual([
      [504, 'timeout', 10],
      [504, 'timeout', 15],
    ]);
  }));

test('a view of 330 senders opens, reloads, counts, exports and updates live', async () => {
  await withDashboard({}, async ({ origin }) => {
    const senders = Array.from({ length: 330 }, (_, at) => `sender=0x${String(at).padStart(40, '0')}`);
    const query = senders.join('&');
    expect(query.length).toBeGreaterThan(16_000);
    const headers = { referer: `${origin}/requests?${query}` };
    for (const path of [
      '/requests',
      '/api/view/requests',
      '/api/view/requests/summary',
      '/api/view/requests/export',
    ]) {
      const answer = await fetch(`${origin}${path}?${query}`, { headers });
      expect([path, answer.status]).toEqual([path, 200]);
      await answer.body?.cancel();
    }
    for (const times of [32_001, 300_000]) {
      const answer = await fetch(`${origin}/api/view/requests?q=${'a'.repeat(times)}`);
      expect([answer.status, await answer.json()]).toMatchObject([414, { kind: 'too-long' }]);
    }
  });
});
