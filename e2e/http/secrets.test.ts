import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type Dashboard, environment, freePort, startDashboard } from '@/e2e/dashboard';
import { type Answer, everyRoute, fetchRaw } from '@/e2e/every-route';
import { type EchoingService, startEchoingService } from './echoing-service';
import { searchFor } from './secret-search';
import { test, withDashboard } from './server';

/** Unique values. `npm test` also builds with them. */
const CANARIES: Record<string, string> = JSON.parse(readFileSync('scripts/canary.json', 'utf8'));
const search = searchFor(CANARIES);

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const PASSWORD = CANARIES.DASHBOARD_PASSWORD ?? '';
const BASIC = { authorization: `Basic ${Buffer.from(`anyone:${PASSWORD}`).toString('base64')}` };

/** Errors that repeat the key, and successes that contain it. */
const ECHOES = [
  '/api/logs/v1/logs?query=echo',
  '/api/logs/v1/logs?limit=5&x=shout',
  `/api/updates/v2/updates/price/latest?ids[]=${BTC}&x=echo`,
  `/api/updates/v2/updates/price/latest?ids[]=${BTC}&x=shout`,
  `/api/updates/v2/updates/price/stream?ids[]=${BTC}&x=echo`,
  `/api/updates/v2/updates/price/stream?ids[]=${BTC}&x=shout`,
  `/api/upgraded/v2/updates/price/latest?ids[]=${BTC}&x=echo`,
  '/api/router/v1/symbols?query=echo',
  '/api/view/requests?q=echo',
  '/requests?q=echo',
];

const REFUSED = [
  '/api/logs/v1/logs?limit=x',
  `/api/upgraded/v2/updates/price/1?ids[]=${BTC}`,
  '/api/logs/%2e%2e/v1/logs',
  '/%00',
  `/${'x'.repeat(5000)}`,
];

/** Secrets of the first two services come from the environment, the others from files. */
function settingsFor(service: EchoingService, folder: string): Record<string, string> {
  const fromFile = (name: string, before = '') => {
    const file = join(folder, name);
    writeFileSync(file, `${before}${CANARIES[name]}\n`, { mode: 0o600 });
    return { [`${name}_FILE`]: file };
  };
  const fromEnvironment = (name: string) => ({ [name]: CANARIES[name] ?? '' });
  return {
    LOGS_URL: `${service.origin}/logs/main`,
    UPDATES_URL: `${service.origin}/updates`,
    UPGRADED_UPDATES_URL: `${service.origin}/upgraded/hermes`,
    ROUTER_URL: `${service.origin}/router`,
    ACCESS: 'password',
    ...fromEnvironment('LOGS_API_KEY'),
    ...fromEnvironment('UPDATES_API_KEY'),
    ...fromEnvironment('DASHBOARD_PASSWORD'),
    ...fromFile('UPGRADED_UPDATES_API_KEY'),
    ...fromFile('ROUTER_API_KEY'),
    ...fromFile('SESSION_SECRET'),
    ...fromFile('METRICS_TOKEN'),
    // No listener; the address must not be revealed.
    ...fromFile('ALERT_WEBHOOK_URL', 'http://127.0.0.1:9/'),
    // Refuses every call, and repeats the key in the refusal.
    ...fromFile('RPC_URLS', `42161=${service.origin}/rpc/42161?echo&key=`),
    LOG_LEVEL: 'trace',
    LOGS_CALLS_PER_S: '1000',
    UPDATES_CALLS_PER_S: '1000',
    ROUTER_CALLS_PER_S: '1000',
  };
}

const textOf = ({ status, headers, body }: Answer) => `${status} ${JSON.stringify(headers)} ${body}`;

/** `PATH: NAME in hex`. */
async function leaksOf(origin: string, paths: string[], headers: Record<string, string>): Promise<string[]> {
  const leaks: string[] = [];
  // In batches, to stay below the limits.
  for (let at = 0; at < paths.length; at += 8) {
    const answers = await Promise.all(
      paths.slice(at, at + 8).map((path) => fetchRaw(origin, path, { headers })),
    );
    leaks.push(...answers.flatMap((answer) => search(textOf(answer)).map((hit) => `${answer.path}: ${hit}`)));
  }
  return leaks;
}

/** Path of the chain’s answer about a request whose network has a node that is called with a key. */
async function onchainPath(origin: string): Promise<string> {
  const { body } = await fetchRaw(origin, '/api/logs/v1/logs?network_id=42161&limit=1', { headers: BASIC });
  const [{ sequence, provider, request_tx_hash: tx }] = JSON.parse(body).requests;
  return `/api/view/requests/onchain?${new URLSearchParams({ network: '42161', sequence, provider, tx })}`;
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Ids of child processes and their children, as Linux lists them. A thread that has ended has none. */
function descendants(pid: number): number[] {
  const children = (task: string) => `/proc/${pid}/task/${task}/children`;
  const below = readdirSync(`/proc/${pid}/task`)
    .filter((task) => existsSync(children(task)))
    .flatMap((task) => readFileSync(children(task), 'utf8').split(' ').filter(Boolean).map(Number));
  return below.flatMap((child) => [child, ...descendants(child)]);
}

describe('with a canary for every secret', () => {
  let folder: string;
  let service: EchoingService;
  let behind: Dashboard;
  let live: Dashboard;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'keeperscope-canary-'));
    behind = await startDashboard();
    service = await startEchoingService(behind.sandbox);
    live = await startDashboard(settingsFor(service, folder));
  });

  afterAll(async () => {
    await Promise.all([live.stop(), behind.stop()]);
    service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('the search finds a canary in every form, and none where there is none', () => {
    const [[name = '', secret = ''] = []] = Object.entries(CANARIES);
    const hex = Buffer.from(secret).toString('hex');
    for (const text of [secret, secret.slice(5, 13), encodeURIComponent(secret), JSON.stringify(secret)]) {
      expect(search(`before ${text} after`)).toEqual([name]);
    }
    for (const before of ['', 'a', 'ab']) {
      const text = Buffer.from(`${before}${secret.slice(2, 12)}xyz`).toString('base64');
      expect(search(text)).toEqual([`${name} in base64`]);
    }
    expect(search(hex.slice(6, 22))).toEqual([`${name} in hex`]);
    expect(search([...secret].reverse().join(''))).toEqual([`${name} reversed`]);
    expect(search(hex.replace(/../g, '%$&'))).toEqual([`${name} percent-encoded`]);
    expect(search(`${secret.slice(0, 7)} ${readFileSync('package-lock.json', 'utf8')}`)).toEqual([]);
  });

  test('no route, page, RSC payload or error holds one, signed in or out, and no line of the log', async () => {
    const json = { 'content-type': 'application/json' };
    const body = JSON.stringify({ password: PASSWORD });
    const signedIn = await fetchRaw(live.origin, '/api/session', { method: 'POST', headers: json, body });
    expect([signedIn.status, search(textOf(signedIn))]).toEqual([200, []]);
    const reply = await fetchRaw(live.origin, '/api/view/alerts/test', { method: 'POST', headers: BASIC });
    expect([JSON.parse(reply.body).state, search(textOf(reply))]).toEqual(['given-up', []]);
    const onchain = await onchainPath(live.origin);
    const paths = [...everyRoute(), ...ECHOES, ...REFUSED, onchain];
    expect((await fetchRaw(live.origin, onchain, { headers: BASIC })).body).toContain(
      'you sent Bearer [key]',
    );
    const echo = await fetchRaw(live.origin, ECHOES[0] ?? '', { headers: BASIC });
    expect(echo.body).toContain('you sent Bearer [key]');
    const shout = await fetchRaw(live.origin, ECHOES[1] ?? '', { headers: BASIC });
    expect(JSON.parse(shout.body)).toMatchObject({ caller: 'Bearer [key]' });
    const rsc = { ...BASIC, rsc: '1' };
    const bearer = { authorization: `Bearer ${CANARIES.METRICS_TOKEN}` };
    for (const headers of [BASIC, rsc, {}]) expect(await leaksOf(live.origin, paths, headers)).toEqual([]);
    expect(await leaksOf(live.origin, ['/api/metrics', '/api/health', '/'], bearer)).toEqual([]);
    const keys = ['LOGS_API_KEY', 'UPDATES_API_KEY', 'UPGRADED_UPDATES_API_KEY', 'ROUTER_API_KEY'];
    expect([...service.keys].sort()).toEqual(keys.map((name) => CANARIES[name]).sort());
    await expect.poll(() => live.stdout()).toContain('"route":"/requests"');
    expect(search(live.stdout() + live.stderr())).toEqual([]);
  });

  test('no process shows one in its title, arguments or environment of children', ({ skip }) => {
    skip(process.platform !== 'linux', 'read from /proc');
    const pid = live.process.pid ?? 0;
    for (const processId of [pid, ...descendants(pid)]) {
      for (const file of ['cmdline', 'comm', 'status']) {
        expect([file, search(readFileSync(`/proc/${processId}/${file}`))]).toEqual([file, []]);
      }
    }
    for (const child of descendants(pid)) expect(search(readFileSync(`/proc/${child}/environ`))).toEqual([]);
    const environ = search(readFileSync(`/proc/${pid}/environ`));
    expect(environ).toEqual(['DASHBOARD_PASSWORD', 'LOGS_API_KEY', 'UPDATES_API_KEY']);
  });

  test('no file of the build holds one, and no source map is served', async () => {
    const { body } = await fetchRaw(live.origin, '/sign-in');
    const scripts = new Set(body.match(/\/_next\/static\/[^"\\]+\.js/g));
    expect(scripts.size).toBeGreaterThan(0);
    for (const script of scripts) expect((await fetchRaw(live.origin, `${script}.map`)).status).toBe(404);
    // Internal files of the builder contain nothing that its results do not.
    const files = filesUnder('.next').filter((file) => !file.startsWith(join('.next', 'cache')));
    expect(files.length).toBeGreaterThan(100);
    const leaks = files.flatMap((file) => search(readFileSync(file)).map((hit) => `${file}: ${hit}`));
    expect(leaks).toEqual([]);
  });
});

test('behind a proxy no answer and no line of the log holds its secret', () => {
  const settings = { ACCESS: 'proxy', PROXY_SECRET: CANARIES.PROXY_SECRET ?? '', LOG_LEVEL: 'trace' };
  return withDashboard(settings, async ({ origin, stdout, stderr }) => {
    const headers = { 'x-forwarded-user': 'someone', 'x-proxy-secret': settings.PROXY_SECRET };
    expect((await fetchRaw(origin, '/', { headers })).status).toBe(200);
    expect((await fetchRaw(origin, '/sign-in?next=%2Frequests')).body).toContain('handled by a proxy');
    for (const variant of [headers, { ...headers, rsc: '1' }])
      expect(await leaksOf(origin, everyRoute(), variant)).toEqual([]);
    await expect.poll(stdout).toContain('"route":"/requests"');
    expect(search(stdout() + stderr())).toEqual([]);
  });
});

test('an unusable secret is refused without repeating any of it', async () => {
  const port = String(await freePort());
  for (const name of ['LOGS_API_KEY', 'DASHBOARD_PASSWORD']) {
    const settings = { PORT: port, LOGS_URL: 'http://127.0.0.1:9', [name]: `${CANARIES[name]} and a space` };
    const child = spawn(process.execPath, ['scripts/start.mjs'], { env: environment(settings) });
    let output = '';
    child.stdout.on('data', (part) => (output += part));
    child.stderr.on('data', (part) => (output += part));
    expect(await new Promise((resolve) => child.once('exit', resolve))).not.toBe(0);
    expect([name, search(output)]).toEqual([name, []]);
    expect(output).toContain(name);
  }
});
