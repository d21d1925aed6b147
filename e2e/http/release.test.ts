import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startDashboard } from '@/e2e/dashboard';

// It packs and unpacks some hundred megabytes.
it('a release starts where it is unpacked, without npm and without a compiler', async () => {
  execFileSync(process.execPath, ['scripts/release.mjs'], { stdio: 'ignore' });
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
}, 180_000);
