import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startDashboard } from '@/e2e/dashboard';
import { startPostgres } from '@/e2e/postgres-harness';

it('a release starts where it is unpacked, without npm and without a compiler, with PostgreSQL too', async () => {
  const quickly = { ...process.env, GZIP: '-1' };
  execFileSync(process.execPath, ['scripts/release.mjs'], { env: quickly, stdio: 'ignore' });
  const archive = readdirSync('release').find((name) => name.endsWith('.tar.gz')) ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'keeperscope-release-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync('tar', ['-xzf', join('release', archive), '-C', folder, '--strip-components=1']);
  expect(existsSync(join(folder, 'node_modules/typescript'))).toBe(false);
  const dashboard = await startDashboard({ PATH: '' }, folder);
  onTestFinished(() => dashboard.stop());
  for (const path of ['/api/health', '/requests', '/feeds', '/prices', '/services']) {
    expect(`${path} ${(await fetch(dashboard.origin + path)).status}`).toBe(`${path} 200`);
  }
  expect(dashboard.stderr()).not.toMatch(/Installing|Building/);

  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const logs = { LOGS_URL: `main=${dashboard.sandbox}/logs/main`, LOGS_API_KEY: 'sandbox-key' };
  const shared = await startDashboard({ PATH: '', STORE_URL: server.url, ...logs }, folder);
  onTestFinished(() => shared.stop());
  const health = async () => (await fetch(`${shared.origin}/api/health`)).json();
  expect(await health()).toMatchObject({ source: 'live', storage: 'postgres' });
  expect((await fetch(`${shared.origin}/requests`)).status).toBe(200);
  const env = { ...process.env, STORE_URL: server.url };
  execFileSync(process.execPath, [join(folder, 'scripts/forget.mjs'), 'nobody'], { env, stdio: 'ignore' });
}, 180_000);
