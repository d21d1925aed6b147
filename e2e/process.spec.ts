import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { environment, expect, freePort, startDashboard, test } from './dashboard';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const STREAMS = [`/api/feeds/stream?ids=${BTC}`, `/api/updates/v2/updates/price/stream?ids[]=${BTC}`];
/** Everything must have ended ten seconds after the signal. */
const ALL_ENDED = { timeout: 10_000 };
/** Only a start that never comes takes this long. */
const STARTED = { timeout: 50_000 };

/** By then a dashboard in the foreground has seen that its shell is gone: it looks every second. */
const LOST_SHELL_SEEN_MS = 3000;

/** What a test has started; one that fails must not leave it behind. */
const children = new Set<ChildProcess>();

test.afterEach(() => {
  for (const child of children) endGroup(child);
  children.clear();
});

/** Ends a command with all that it started; nothing is left to end when it went as it should. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

type Run = { child: ChildProcess; text: () => string; ended: Promise<number | null> };

/** Runs a command with a clean environment and collects what it says on standard error. */
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

/** Opens both kinds of stream and reads their first bytes. */
async function openStreams(origin: string): Promise<void> {
  for (const path of STREAMS) {
    const response = await fetch(origin + path);
    expect(response.status).toBe(200);
    await response.body?.getReader().read();
  }
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} ends the dashboard although streams are open`, async () => {
    const dashboard = await startDashboard();
    await openStreams(dashboard.origin);
    const ended = new Promise((resolve) => dashboard.process.once('exit', resolve));
    dashboard.process.kill(signal);
    await Promise.race([
      ended,
      new Promise((_, reject) => setTimeout(() => reject(new Error('still running')), 10_000)),
    ]);
    expect(await isFree(Number(new URL(dashboard.origin).port))).toBe(true);
    expect(await isFree(Number(new URL(dashboard.sandbox).port))).toBe(true);
  });
}

for (const [who, command, input] of [
  ['npm', 'exec npm start --silent', 'pipe'],
  ['the shell that runs npm', 'npm start --silent; true', 'pipe'],
  ['the shell that runs npm, with nothing to read', 'npm start --silent; true', 'ignore'],
] as const) {
  test(`SIGTERM to ${who} leaves no orphan behind`, async () => {
    const port = await freePort();
    const settings = { PORT: String(port), SANDBOX_PORT: String(await freePort()) };
    const shell = run('sh', ['-c', command], settings, { stdio: [input, 'ignore', 'pipe'] });
    await expect.poll(shell.text, STARTED).toContain(' is at http');
    await openStreams(`http://127.0.0.1:${port}`);
    shell.child.kill('SIGTERM');
    await shell.ended;
    await expect.poll(() => isFree(port), ALL_ENDED).toBe(true);
  });
}

test('a job in the background outlives its shell', async () => {
  const port = await freePort();
  const settings = { PORT: String(port), SANDBOX_PORT: String(await freePort()) };
  const shell = run('sh', ['-c', 'npm start --silent & sleep 60'], settings, {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await expect.poll(shell.text, STARTED).toContain(' is at http');
  shell.child.kill('SIGTERM');
  await shell.ended;
  const endedMs = Date.now();
  await expect(async () => {
    expect((await fetch(`http://127.0.0.1:${port}/api/health`)).status).toBe(200);
    expect(Date.now() - endedMs).toBeGreaterThan(LOST_SHELL_SEEN_MS);
  }).toPass();
});

test('an unprivileged user can start what root has built', async () => {
  const nobody = 65_534;
  test.skip(process.getuid?.() !== 0, 'only root can become another user');
  const port = await freePort();
  const settings = { PORT: String(port), SANDBOX_PORT: String(await freePort()), HOME: '/nonexistent' };
  const start = run(process.execPath, ['scripts/start.mjs'], settings, { uid: nobody, gid: nobody });
  await expect.poll(start.text, STARTED).toContain(' is at http');
  expect((await fetch(`http://127.0.0.1:${port}/requests`)).status).toBe(200);
  start.child.kill('SIGTERM');
  await start.ended;
});

/**
 * A shell command that runs another one where the checkout can't be written to: in a mount namespace of its own, as nobody
 * where we are root. Undefined where this machine has no such thing.
 */
function onReadOnlyMount(command: string): string[] | undefined {
  const isRoot = process.getuid?.() === 0;
  const mount = 'mount --bind . . && mount -o remount,bind,ro . && cd "$PWD" &&';
  const asNobody = isRoot ? 'setpriv --reuid=65534 --regid=65534 --clear-groups' : '';
  const args = (what: string) => [isRoot ? '-m' : '-rm', 'sh', '-c', `${mount} exec ${asNobody} ${what}`];
  // It must be one on which writing fails.
  const tried = spawnSync('unshare', args("sh -c 'test -r package.json && ! touch .next/written'"));
  return tried.status === 0 ? args(command) : undefined;
}

test('its disk is read-only and it is not root? It starts, shows its pages, and ends as ever', async () => {
  const args = onReadOnlyMount(`${process.execPath} scripts/start.mjs`);
  test.skip(args === undefined, 'this machine lets nobody make a read-only mount (unshare, setpriv)');
  const port = await freePort();
  const settings = { PORT: String(port), SANDBOX_PORT: String(await freePort()), HOME: '/nonexistent' };
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
  ['a sandbox beside a live service', { SANDBOX: 'on', LOGS_URL: 'https://logs.example' }, 'SANDBOX'],
  ['no service at all', { SANDBOX: 'off' }, 'SANDBOX'],
  ['a kind of access that there is not', { ACCESS: 'everybody 7731' }, 'ACCESS'],
  ['a password that is not set', { ACCESS: 'password' }, 'DASHBOARD_PASSWORD'],
  ['a malformed threshold', { PENDING_SLOW_S: '7731 s' }, 'PENDING_SLOW_S'],
  ['thresholds that contradict each other', { PENDING_STUCK_S: '5' }, 'PENDING_STUCK_S'],
  ['a host that others can reach', { HOST: '0.0.0.0' }, 'HOST'],
  [
    'a missing key file',
    { UPDATES_URL: 'https://updates.example', UPDATES_API_KEY_FILE: '/nonexistent/7731' },
    'UPDATES_API_KEY_FILE',
  ],
];

for (const [what, settings, name] of refusals) {
  test(`${what} refuses to start with one line that names ${name}`, async () => {
    const start = run(process.execPath, ['scripts/start.mjs'], {
      PORT: String(await freePort()),
      ...settings,
    });
    expect(await start.ended).not.toBe(0);
    expect(start.text()).toContain(name);
    expect(start.text().trimEnd().split('\n')).toHaveLength(1);
    expect(start.text()).not.toContain('7731');
  });
}

test('the log on standard output is JSON lines, and people read standard error', async ({ dashboard }) => {
  await fetch(`${dashboard.origin}/api/logs/v1/logs?query=zzz`);
  const lines = dashboard.stdout().split('\n').filter(Boolean);
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
  expect(dashboard.stderr()).toContain('sandbox');
});
