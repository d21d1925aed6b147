import { readFileSync } from 'node:fs';
import { fail, installed, runCommand, say } from './project.mjs';

/** Whether packages are installed, by npm's own record. Optional packages depend on the system. */
function isInstalled() {
  try {
    const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;
    const present = packagesOf(installed('.package-lock.json'));
    return Object.entries(packagesOf('package-lock.json')).every(
      ([path, { version, optional }]) => path === '' || optional || present[path]?.version === version,
    );
  } catch {
    return false;
  }
}

/**
 * Installs packages, not by `npm ci`, because a lock file from one system may lack the optional binaries of another.
 */
export async function ensureInstalled() {
  if (isInstalled()) return;
  say('Installing packages (a minute or so, once) …');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['install', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const code = await runCommand(npm, args, { env: { ...process.env, NODE_ENV: '' } });
  if (code !== 0) fail(`npm install failed with exit code ${code}; its message stands above.`);
}
