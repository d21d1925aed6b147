import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { environment, expect, freePort, startDashboard, test } from './dashboard';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const STREAMS = [`/api/feeds/stream?ids=${BTC}`, `/api/updates/v2/updates/price/stream?ids[]=${BTC}`];
/** Everything must have ended ten seconds after the signal. */
const ALL_ENDED = { timeout: 10_000 };

type Run = { child: ChildProcess; text: () => string; ended: Promise<number | null> };

/** Runs a command with a clean environment and collects what it says on standard error. */
function run(command: string, args: string[], settings: Record<string, string>, options = {}): Run {
  const child = spawn(command, args, {
    env: environment(settings),
    stdio: ['pipe', 'ignore', 'pipe'],
    ...options,
  });
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

for (const [who, command] of [
  ['npm', 'exec npm start --silent'],
  ['the shell that runs npm', 'npm start --silent; true'],
] as const) {
  test(`SIGTERM to ${who} leaves no orphan behind`, async () => {
    const port = await freePort();
    const shell = run('sh', ['-c', command], { PORT: String(port), SANDBOX_PORT: String(await freePort()) });
    await expect.poll(shell.text, { timeout: 30_000 }).toContain(' is at http');
    await openStreams(`http://127.0.0.1:${port}`);
    shell.child.kill('SIGTERM');
    await shell.ended;
    await expect.poll(() => isFree(port), ALL_ENDED).toBe(true);
  });
}

test('an unprivileged user can start what root has built', async () => {
  const nobody = 65_534;
  test.skip(process.getuid?.() !== 0, 'only root can become another user');
  const port = await freePort();
  const settings = { PORT: String(port), SANDBOX_PORT: String(await freePort()), HOME: '/nonexistent' };
  const start = run(process.execPath, ['scripts/start.mjs'], settings, { uid: nobody, gid: nobody });
  await expect.poll(start.text, { timeout: 30_000 }).toContain(' is at http');
  expect((await fetch(`http://127.0.0.1:${port}/requests`)).status).toBe(200);
  start.child.kill('SIGTERM');
  await start.ended;
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
  ['a setting that is not honoured yet', { ACCESS: 'password' }, 'ACCESS'],
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
