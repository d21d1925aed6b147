import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { Agent, get } from 'node:http';
import { createServer } from 'node:net';
import { afterEach, expect } from 'vitest';
import { environment, freePort, startDashboard } from '@/e2e/dashboard';
import { test } from './server';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const STREAMS = [`/api/feeds/stream?ids=${BTC}`, `/api/updates/v2/updates/price/stream?ids[]=${BTC}`];
const ALL_ENDED = { timeout: 10_000 };
/** Timeout that only a failed start reaches. */
const STARTED = { timeout: 50_000 };

/** Processes to be killed after a failure. */
const children = new Set<ChildProcess>();

afterEach(() => {
  for (const child of children) endGroup(child);
  children.clear();
});

/** Ends a process with all descendants. Does nothing if the command ended as expected. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

type Run = { child: ChildProcess; text: () => string; ended: Promise<number | null> };

/** Runs the program in a clean environment and collects its standard error. */
function run(
  command: string,
  args: string[],
  settings: Record<string, string>,
  options: SpawnOptions = {},
): Run {
  const child = spawn(command, args, {
    env: environment(settings),
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
    ...options,
  });
  children.add(child);
  let text = '';
  child.stderr?.on('data', (chunk) => (text += chunk));
  return { child, text: () => text, ended: new Promise((resolve) => child.once('exit', resolve)) };
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/** Opens both kinds of stream, up to their first bytes. */
async function openStreams(origin: string): Promise<void> {
  for (const path of STREAMS) {
    const response = await fetch(origin + path);
    expect(response.status).toBe(200);
    await response.body?.getReader().read();
  }
}

test('Ctrl-C ends the dashboard and its sandbox although streams are open', async () => {
  const dashboard = await startDashboard();
  await openStreams(dashboard.origin);
  const ended = new Promise((resolve) => dashboard.process.once('exit', resolve));
  const signalledMs = Date.now();
  dashboard.process.kill('SIGINT');
  await ended;
  expect(Date.now() - signalledMs).toBeLessThan(10_000);
  for (const { port } of [new URL(dashboard.origin), new URL(dashboard.sandbox)])
    expect(await isFree(Number(port))).toBe(true);
});

/** Reads an answer to its end, over a kept connection. */
function read(url: string, agent: Agent, onFirst = () => {}): Promise<{ status?: number; text: string }> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (answer) => {
      let text = '';
      answer.once('data', onFirst);
      answer.on('data', (chunk) => (text += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode, text }));
      answer.on('error', reject);
    }).on('error', reject);
  });
}

test('on SIGTERM requests under way are answered, streams get a retry delay, and new connections are refused', async ({
  dashboard: { sandbox },
  control,
}) => {
  const live = await startDashboard({
    LOGS_URL: `${sandbox}/logs/main`,
    LOGS_API_KEY: 'sandbox-key',
    UPDATES_URL: `${sandbox}/updates`,
    UPDATES_API_KEY: 'sandbox-key',
  });
  const agent = new Agent({ keepAlive: true });
  try {
    await control.fault({ service: 'logs:main', fault: { kind: 'delay', ms: 2_500 } });
    await control.forgetCalls();
    const under = [3, 4].map((limit) => read(`${live.origin}/api/logs/v1/logs?limit=${limit}`, agent));
    let begun = 0;
    const streams = STREAMS.map((path) => read(live.origin + path, agent, () => begun++));
    const isRequested = (limit: number) => async () =>
      (await control.calls('logs:main')).calls.some(({ query }) => query === `limit=${limit}`);
    for (const limit of [3, 4]) await expect.poll(isRequested(limit)).toBe(true);
    await expect.poll(() => begun).toBe(STREAMS.length);
    const ended = new Promise((resolve) => live.process.once('exit', resolve));
    const signalledMs = Date.now();
    live.process.kill('SIGTERM');
    await expect.poll(() => isFree(Number(new URL(live.origin).port)), { interval: 50 }).toBe(true);
    for (const { status, text } of await Promise.all(streams)) {
      expect(status).toBe(200);
      expect(Number(/retry: (\d+)\n/.exec(text)?.[1])).toBeLessThan(1_500);
    }
    for (const { status, text } of await Promise.all(under)) {
      expect(status).toBe(200);
      expect(text).toContain('sequence');
    }
    expect(await ended).toBe(143);
    expect(Date.now() - signalledMs).toBeLessThan(10_000);
  } finally {
    await live.stop();
  }
});

test('SIGTERM to npm ends the dashboard', async () => {
  const port = await freePort();
  const npm = run('npm', ['start', '--silent'], { PORT: String(port), SANDBOX_PORT: '0' });
  await expect.poll(npm.text, STARTED).toContain(' is at http');
  await openStreams(`http://127.0.0.1:${port}`);
  npm.child.kill('SIGTERM');
  await npm.ended;
  await expect.poll(() => isFree(port), ALL_ENDED).toBe(true);
});

test('an unprivileged user can start what root has built', async ({ skip }) => {
  const nobody = 65_534;
  skip(process.getuid?.() !== 0, 'only root can become another user');
  const port = await freePort();
  const settings = { PORT: String(port), SANDBOX_PORT: '0', HOME: '/nonexistent' };
  const start = run(process.execPath, ['scripts/start.mjs'], settings, { uid: nobody, gid: nobody });
  await expect.poll(start.text, STARTED).toContain(' is at http');
  expect((await fetch(`http://127.0.0.1:${port}/requests`)).status).toBe(200);
  start.child.kill('SIGTERM');
  await start.ended;
});

/**
 * Arguments of `unshare` for a read-only checkout, as nobody if started by root. Undefined if this machine lacks
 * support.
 */
function onReadOnlyMount(command: string): string[] | undefined {
  const isRoot = process.getuid?.() === 0;
  const mount = 'mount --bind . . && mount -o remount,bind,ro . && cd "$PWD" &&';
  const asNobody = isRoot ? 'setpriv --reuid=65534 --regid=65534 --clear-groups' : '';
  const args = (what: string) => [isRoot ? '-m' : '-rm', 'sh', '-c', `${mount} exec ${asNobody} ${what}`];
  const tried = spawnSync('unshare', args("sh -c 'test -r package.json && ! touch .next/written'"));
  return tried.status === 0 ? args(command) : undefined;
}

test('on a read-only disk and without root it starts, shows its pages, and ends normally', async ({
  skip,
}) => {
  const args = onReadOnlyMount(`${process.execPath} scripts/start.mjs`);
  skip(args === undefined, 'this machine lets nobody make a read-only mount (unshare, setpriv)');
  const port = await freePort();
  const settings = { PORT: String(port), SANDBOX_PORT: '0', HOME: '/nonexistent' };
  const start = run('unshare', args ?? [], settings);
  await expect.poll(start.text, STARTED).toContain(' is at http');
  const origin = `http://127.0.0.1:${port}`;
  for (const path of ['/', '/requests', '/feeds', '/icon.svg', '/api/logs/v1/logs?limit=1']) {
    expect([path, (await fetch(origin + path)).status]).toEqual([path, 200]);
  }
  await openStreams(origin);
  start.child.kill('SIGTERM');
  expect(await start.ended).toBe(143);
  expect(start.text()).not.toMatch(/EROFS|EACCES/);
});

test('a taken port ends the start with one line', async ({ dashboard }) => {
  const port = new URL(dashboard.origin).port;
  const start = run(process.execPath, ['scripts/start.mjs'], { PORT: port });
  expect(await start.ended).not.toBe(0);
  expect(start.text()).toMatch(new RegExp(`^Port ${port} .* is taken.*\\n$`));
});

const refusals: [string, Record<string, string>, string][] = [
  ['a malformed URL', { LOGS_URL: 'not a url 7731' }, 'LOGS_URL'],
  ['no service at all', { SANDBOX: 'off' }, 'SANDBOX'],
  [
    'a missing key file',
    { UPDATES_URL: 'https://updates.example', UPDATES_API_KEY_FILE: '/nonexistent/7731' },
    'UPDATES_API_KEY_FILE',
  ],
];

test('an invalid setting refuses to start with one line that names it and not its value', async () => {
  for (const [what, settings, name] of refusals) {
    const start = run(process.execPath, ['scripts/start.mjs'], {
      PORT: String(await freePort()),
      ...settings,
    });
    expect([what, await start.ended]).not.toEqual([what, 0]);
    expect(start.text()).toContain(name);
    expect(start.text().trimEnd().split('\n')).toHaveLength(1);
    expect(start.text()).not.toContain('7731');
  }
});
