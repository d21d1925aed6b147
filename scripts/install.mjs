import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fail, installed, runCommand, say } from './project.mjs';

const MARKER = installed('.keeperscope-installed');
/** Stands while packages are being installed. */
const UNFINISHED = installed('.keeperscope-installing');

/** What the installed packages depend on: the lists of packages, and the kind of machine their binaries are for. */
function wanted() {
  const hash = createHash('sha256');
  for (const file of ['package.json', 'package-lock.json']) hash.update(readFileSync(file));
  return `${hash.digest('hex')} ${process.platform}-${process.arch}\n`;
}

/**
 * Installs the packages of package-lock.json unless they are there already. `npm install`, not `npm ci`: a lock file
 * written on one system may lack the optional binaries of another.
 */
export async function ensureInstalled() {
  if (existsSync(MARKER) && readFileSync(MARKER, 'utf8') === wanted()) return;
  // npm takes a file that was cut off in the middle for an installed one, so an unfinished installation starts anew.
  if (existsSync(UNFINISHED)) rmSync(dirname(UNFINISHED), { recursive: true, force: true });
  mkdirSync(dirname(UNFINISHED), { recursive: true });
  writeFileSync(UNFINISHED, '');
  say('Installing packages (a minute or so, once) …');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['install', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const code = await runCommand(npm, args, { env: { ...process.env, NODE_ENV: '' } });
  if (code !== 0) fail(`npm install failed with exit code ${code}; its message stands above.`);
  writeFileSync(MARKER, wanted());
  rmSync(UNFINISHED);
}
