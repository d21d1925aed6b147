import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** The oldest Node, as `engines` in package.json. */
const MIN_NODE = [20, 19];

/** Changes to the project's root, loads `.env.local` without overriding the environment, and refuses an old Node. */
export function enterProject() {
  process.chdir(ROOT);
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < MIN_NODE[0] || (major === MIN_NODE[0] && minor < MIN_NODE[1])) {
    fail(`Keeperscope needs Node ${MIN_NODE.join('.')} or newer; this is ${process.versions.node}.`);
  }
  const file = join(ROOT, '.env.local');
  if (existsSync(file)) process.loadEnvFile(file);
  process.env.NEXT_TELEMETRY_DISABLED = '1';
}

/** Standard output is reserved for the JSON log. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

export function fail(line) {
  say(line);
  process.exit(1);
}

export function installed(...parts) {
  return join(ROOT, 'node_modules', ...parts);
}

/** Exit codes of a shell for a process that ended by a signal. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 };
/** npm finishes its requests first, which can take half a minute. */
const EXIT_TIMEOUT_MS = 3000;

/**
 * Output goes to standard error. SIGINT and SIGTERM are passed on, and then end this process too. @returns
 * {Promise<number>}
 */
export function runCommand(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 2, 2], ...options });
    let received;
    const pass = (signal) => {
      received = signal;
      child.kill(signal);
      setTimeout(() => {
        child.kill('SIGKILL');
        process.exit(EXIT_CODES[signal]);
      }, EXIT_TIMEOUT_MS).unref();
    };
    for (const signal of Object.keys(EXIT_CODES)) process.on(signal, pass);
    const ended = (code) => {
      for (const signal of Object.keys(EXIT_CODES)) process.off(signal, pass);
      resolve(code);
    };
    child.on('error', (error) => {
      say(`${command} could not be started: ${error.message}`);
      ended(127);
    });
    child.on('exit', (code, signal) => {
      const ending = EXIT_CODES[received ?? signal];
      if (ending !== undefined) process.exit(ending);
      ended(code ?? 1);
    });
  });
}

/** Undefined for a program that does not start. */
export function versionOf(command) {
  const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8', timeout: 30_000 });
  return status === 0 ? stdout : undefined;
}

/** If `search` finds nothing, Debian packages are installed (as root); if that does not help, exits with the advice. */
export async function findOrInstall(search, what, packages, advice) {
  const present = await search();
  if (present) return present;
  if (process.getuid?.() === 0 && versionOf('apt-get')) {
    say(`Installing Debian’s ${what} …`);
    const apt = (...args) =>
      runCommand('apt-get', args, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
    await apt('update', '-qq');
    for (const names of packages) await apt('install', '-y', '-qq', '--no-install-recommends', ...names);
  }
  return (await search()) || fail(advice);
}
