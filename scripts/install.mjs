import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { alone } from './lock.mjs';
import { fail, installed, say } from './project.mjs';
import { runCommand } from './run-command.mjs';

const MARKER = installed('.keeperscope-installed');
/** Stands while packages are being installed. */
const UNFINISHED = installed('.keeperscope-installing');

/** What the installed packages depend on: the lists of packages, and the kind of machine their binaries are for. */
function wanted() {
  const hash = createHash('sha256');
  for (const file of ['package.json', 'package-lock.json']) hash.update(readFileSync(file));
  return `${hash.digest('hex')} ${process.platform}-${process.arch}\n`;
}

function isInstalled() {
  return existsSync(MARKER) && readFileSync(MARKER, 'utf8') === wanted();
}

/** Installs the packages of package-lock.json unless they are there already; of several at once one does, the others wait. */
export async function ensureInstalled() {
  if (isInstalled()) return;
  await alone('installing packages', async () => {
    if (!isInstalled()) await install();
  });
}

/** `npm install`, not `npm ci`: a lock file written on one system may lack the optional binaries of another. */
async function install() {
  // npm takes a file that was cut off in the middle for an installed one, so an unfinished installation starts anew.
  if (existsSync(UNFINISHED)) rmSync(dirname(UNFINISHED), { recursive: true, force: true });
  mkdirSync(dirname(UNFINISHED), { recursive: true });
  writeFileSync(UNFINISHED, '');
  say('Installing packages (a minute or so, once) …');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const code = await runCommand(
    npm,
    ['install', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      env: { ...process.env, NODE_ENV: '' },
    },
  );
  if (code !== 0) fail(`npm install failed with exit code ${code}; its message stands above.`);
  writeFileSync(MARKER, wanted());
  rmSync(UNFINISHED);
}
