import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { controlOf } from './control';

/** The production build in its own process, by default on its own sandbox with live requests. */
export type Dashboard = {
  origin: string;
  /** Meaningless when the settings use other services. */
  sandbox: string;
  process: ChildProcess;
  /** JSON log lines and text for people. */
  stdout(): string;
  stderr(): string;
  stop(): Promise<void>;
};

/** A developer's environment or .env.local may contain these; an empty value counts as unset. */
const SETTINGS =
  `HOST LOGS_URL LOGS_API_KEY UPDATES_URL UPDATES_API_KEY UPGRADED_UPDATES_URL UPGRADED_UPDATES_API_KEY
  ROUTER_URL ROUTER_API_KEY SYMBOLS_URL LOGS_CALLS_PER_S UPDATES_CALLS_PER_S ROUTER_CALLS_PER_S RPC_URLS
  RPC_CALLS_PER_S SANDBOX SANDBOX_SEED
  FEEDS NETWORKS_FILE FEED_LATE_S FEED_STALE_S MAX_STREAMS MAX_STREAMS_PER_CLIENT ACCESS DASHBOARD_PASSWORD
  SESSION_SECRET PROXY_USER_HEADER PROXY_SECRET_HEADER PROXY_SECRET ALLOWED_HOSTS METRICS_TOKEN LOG_LEVEL HISTORY_DAYS
  STORE_MEMORY_MB STORE_URL PENDING_SLOW_S PENDING_RETRY_S PENDING_STUCK_S ALERT_WEBHOOK_URL
  ALERT_WEBHOOK_FORMAT`.split(/\s+/);

const DATA = mkdtempSync(join(tmpdir(), 'keeperscope-data-'));
process.once('exit', () => rmSync(DATA, { recursive: true, force: true }));

/** Environment with only the settings of the test. */
export function environment(settings: Record<string, string>): NodeJS.ProcessEnv {
  const clean = Object.fromEntries(SETTINGS.map((name) => [name, '']));
  const defaults = { DATA_DIR: join(DATA, randomUUID()), SANDBOX_RECORDS: '2500' };
  return { ...process.env, ...clean, ...defaults, ...settings };
}

/** Ephemeral ports begin at 32,768, so none of these is taken meanwhile. */
let lastPort = 11_000 + ((process.pid * 997) % 18_000);

/** A different port each time; processes start at different ones. */
export async function freePort(): Promise<number> {
  for (;;) {
    // Claimed before the probe, so that concurrent callers get other ports.
    lastPort += 1;
    const port = lastPort;
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

/** Waits until the dashboard prints its address; throws its output when it ends instead. */
export async function startDashboard(
  settings: Record<string, string> = {},
  folder = '.',
): Promise<Dashboard> {
  const port = await freePort();
  const ports = { PORT: String(port), SANDBOX_PORT: '0', MALLOC_ARENA_MAX: '2' };
  const env = environment({ ...ports, ...settings });
  const child = spawn(process.execPath, ['--max-semi-space-size=16', join(folder, 'scripts/start.mjs')], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const killed = () => child.kill('SIGKILL');
  process.once('exit', killed);
  child.once('exit', () => process.off('exit', killed));
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (text.stdout += chunk));
  const ready = new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      text.stderr += chunk;
      if (text.stderr.includes(' is at http')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`the dashboard ended with ${code}: ${text.stderr}`)));
  });
  await ready;
  const sandbox = text.stderr.match(/The sandbox answers at (http:\/\/[^/\s]+)/)?.[1] ?? '';
  if (sandbox !== '') await controlOf(sandbox).live();
  return {
    origin: `http://127.0.0.1:${port}`,
    sandbox,
    process: child,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    stop: () => stop(child),
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
