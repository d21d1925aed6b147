import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, installed, runCommand, say } from './project.mjs';

export const MARKER = join('.next', 'keeperscope-sources');
/** A release has no sources. */
export const RELEASED = 'release';
/** Tests and docs are not inputs, so changing them needs no new build. */
const SOURCES = ['app', 'components', 'data', 'lib', 'pages', 'public', 'sandbox'];
const FILES = [
  'instrumentation.ts',
  'next.config.mjs',
  'package-lock.json',
  'package.json',
  'proxy.ts',
  'tsconfig.json',
];

function filesUnder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/(\.test|-(fixtures?|harness))\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Hash of names and bytes of the sources, and of the Node version. */
function fingerprint() {
  const hash = createHash('sha256').update(process.versions.node);
  const files = [...FILES, ...SOURCES.flatMap(filesUnder)].filter(existsSync).sort();
  for (const file of files) hash.update(file).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

const marker = () => (existsSync(MARKER) ? readFileSync(MARKER, 'utf8') : '');

/** Built, with only the packages that it needs at run time. */
export const isRelease = () => marker() === RELEASED;

export function isBuilt() {
  return isRelease() || marker() === fingerprint();
}

/** Builds unless the existing build matches the sources. @param {Record<string, string>} [environment] */
export async function ensureBuilt(environment = {}) {
  if (isBuilt()) return;
  say('Building (half a minute or so, when the sources changed) …');
  const made = fingerprint();
  rmSync(MARKER, { force: true });
  // Generated types of deleted pages would fail the build.
  rmSync(join('.next', 'dev'), { recursive: true, force: true });
  const code = await runCommand(process.execPath, [installed('next', 'dist', 'bin', 'next'), 'build'], {
    env: { ...process.env, NODE_ENV: 'production', ...environment },
  });
  if (code !== 0) fail(`The build failed with exit code ${code}; its message stands above.`);
  writeFileSync(MARKER, made);
}
