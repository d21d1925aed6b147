import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the checkout. Every script works from here, wherever it was called. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** The oldest Node the dashboard supports (engines in package.json). */
const OLDEST_NODE = [20, 19];

/** Goes to the project's root, takes `.env.local` for what the environment does not say, and refuses an old Node. */
export function enterProject() {
  process.chdir(ROOT);
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
    fail(`Keeperscope needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}.`);
  }
  const file = join(ROOT, '.env.local');
  if (existsSync(file)) process.loadEnvFile(file);
  process.env.NEXT_TELEMETRY_DISABLED = '1';
}

/** Says one line to the person at the terminal. Standard output is kept for the JSON log. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** Ends with one line and a non-zero exit. */
export function fail(line) {
  say(line);
  process.exit(1);
}

/** Path of a file inside an installed package. */
export function installed(...parts) {
  return join(ROOT, 'node_modules', ...parts);
}
