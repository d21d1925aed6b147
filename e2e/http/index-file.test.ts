import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { type Dashboard, environment, freePort, startDashboard } from '@/e2e/dashboard';
import { test } from './server';
import { identityOf, untilAMinuteAgo, viewOf, wholeView } from './view';

let folder = '';
const running = new Set<Dashboard>();
const children = new Set<ChildProcess>();

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'keeperscope-index-')), 'data');
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await Promise.all([...running].map((dashboard) => dashboard.stop()));
  running.clear();
  rmSync(join(folder, '..'), { recursive: true, force: true });
});

function settingsOn(sandbox: string): Record<string, string> {
  return {
    LOGS_URL: `main=${sandbox}/logs/main,test=${sandbox}/logs/test`,
    LOGS_API_KEY: 'sandbox-key',
    LOGS_CALLS_PER_S: '1000',
    DATA_DIR: folder,
  };
}

async function start(settings: Record<string, string>): Promise<Dashboard> {
  const dashboard = await startDashboard(settings);
  running.add(dashboard);
  return dashboard;
}

async function ended(dashboard: Dashboard, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const exit = new Promise((resolve) => dashboard.process.once('exit', resolve));
  dashboard.process.kill(signal);
  await exit;
  running.delete(dashboard);
}

test('a new version beside the old one answers health, waits, and continues with all rows', async ({
  dashboard,
}) => {
  const settings = settingsOn(dashboard.sandbox);
  const old = await start(settings);
  const until = untilAMinuteAgo();
  const before = await wholeView(old.origin, until);
  expect(Number(before.total)).toBeGreaterThan(1000);
  const next = await start(settings);
  expect(next.stderr()).toContain(`${join(folder, 'index.duckdb')} is in use by process ${old.process.pid}`);
  expect((await fetch(`${old.origin}/requests`)).status).toBe(200);
  let isAnswered = false;
  const page = fetch(`${next.origin}/requests`).finally(() => {
    isAnswered = true;
  });
  const health = await fetch(`${next.origin}/api/health`);
  expect([health.status, (await health.json()).status]).toEqual([200, 'ok']);
  expect(isAnswered).toBe(false);
  await ended(old, 'SIGTERM');
  expect((await page).status).toBe(200);
  const after = await wholeView(next.origin, until);
  expect(after.total).toBe(before.total);
  expect(after.rows.map(identityOf)).toEqual(before.rows.map(identityOf));
});

test('a signal at once ends a dashboard that waits for the index, and its clients are notified', async ({
  dashboard,
}) => {
  const settings = settingsOn(dashboard.sandbox);
  await start(settings);
  const next = await start(settings);
  const page = fetch(`${next.origin}/requests`);
  // The file is locked, so the signal arrives while the dashboard waits.
  await expect.poll(() => next.stderr()).toContain('is in use by process');
  await fetch(`${next.origin}/api/health`);
  await ended(next, 'SIGTERM');
  expect(next.process.exitCode).toBe(143);
  const { status, kind } = await (await page).json();
  expect([status, kind]).toEqual([503, 'starting']);
});

test('after a kill pages show every row from the file, even with all services down', async () => {
  const services = await start({});
  const settings = settingsOn(services.sandbox);
  const first = await start(settings);
  const until = untilAMinuteAgo();
  const before = await wholeView(first.origin, until);
  const reader = (
    await fetch(`${first.origin}/api/view/requests/export?range=all&format=csv`)
  ).body?.getReader();
  expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
  await ended(first, 'SIGKILL');
  await reader?.cancel().catch(() => undefined);
  await ended(services, 'SIGTERM');
  const second = await start(settings);
  const after = await viewOf(second.origin, until);
  expect(after.total).toBe(before.total);
  expect(after.rows.map(identityOf)).toEqual(before.rows.map(identityOf));
  const html = await (await fetch(`${second.origin}/requests?${until}`)).text();
  expect(html).toContain(String(before.rows[0]?.row.sequence));
});

test('a file of a newer version ends the start with one line that names it', async () => {
  mkdirSync(folder);
  const path = join(folder, 'index.duckdb');
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  await connection.run('create table schema_version as select 99::integer as version');
  connection.closeSync();
  instance.closeSync();
  const env = environment({ ...settingsOn('http://127.0.0.1:9'), PORT: String(await freePort()) });
  const child = spawn(process.execPath, ['scripts/start.mjs'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  children.add(child);
  let text = '';
  child.stderr.on('data', (chunk) => (text += chunk));
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(1);
  expect(text).toMatch(
    new RegExp(`^The index ${path} is of version 99, and this program supports \\d+ at most.*\\n$`),
  );
});
