import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const SCRIPTS = ['install.mjs', 'lock.mjs', 'parent-watch.mjs', 'project.mjs', 'run-command.mjs'];

/** An npm that notes its start, waits until it is told how to end, and leaves a package behind. */
const NPM = `#!/usr/bin/env node
const { appendFileSync, existsSync, mkdirSync, readFileSync } = require('node:fs');
appendFileSync('npm-runs', process.pid + '\\n');
const timer = setInterval(() => {
  if (!existsSync('npm-ends')) return;
  mkdirSync('node_modules/a-package', { recursive: true });
  clearInterval(timer);
  process.exitCode = Number(readFileSync('npm-ends', 'utf8'));
}, 20);
`;

let folder: string;
let running: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keeperscope-install-'));
  running = [];
  mkdirSync(join(folder, 'bin'));
  for (const name of SCRIPTS) cpSync(join('scripts', name), join(folder, 'scripts', name));
  write('package.json', '{}');
  write('package-lock.json', '{}');
  write('start.mjs', "import { ensureInstalled } from './scripts/install.mjs';\nawait ensureInstalled();\n");
  write('bin/npm', NPM);
  chmodSync(join(folder, 'bin/npm'), 0o755);
});
afterEach(async () => {
  // An npm whose parent was killed ends by itself.
  write('npm-ends', '0');
  for (const child of running) if (child.exitCode === null) child.kill('SIGKILL');
  await vi.waitFor(() => expect(runs().filter(isThere)).toEqual([]), PATIENCE);
  rmSync(folder, { recursive: true, force: true });
});

const PATIENCE = { timeout: 15_000, interval: 20 };
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const has = (name: string) => existsSync(join(folder, name));
const runs = () =>
  has('npm-runs') ? readFileSync(join(folder, 'npm-runs'), 'utf8').trim().split('\n').map(Number) : [];

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A start in the folder; `ended` is its exit code, once all is said; `gone` comes although its npm goes on. */
function start() {
  const path = `${join(folder, 'bin')}${delimiter}${process.env.PATH}`;
  const child = spawn(process.execPath, ['start.mjs'], { cwd: folder, env: { ...process.env, PATH: path } });
  running.push(child);
  let said = '';
  child.stderr.on('data', (text) => (said += text));
  const gone = once(child, 'exit');
  const ended = once(child, 'close').then(([code]) => code);
  return {
    pid: child.pid ?? 0,
    said: () => said,
    gone,
    ended,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
  };
}

const npmRuns = (times: number) => vi.waitFor(() => expect(runs()).toHaveLength(times), PATIENCE);

/** A start whose npm runs, and a second one that says that it waits. */
async function twoStarts() {
  const first = start();
  await npmRuns(1);
  const second = start();
  await vi.waitFor(() => expect(second.said()).toContain('waits'), PATIENCE);
  return { first, second };
}

it('of two starts at once one installs; the other waits, says so in a line, and finds everything there', async () => {
  const { first, second } = await twoStarts();
  expect(second.said()).toBe(`Process ${first.pid} is installing packages here; this one waits for it …\n`);
  write('npm-ends', '0');
  expect(await Promise.all([first.ended, second.ended])).toEqual([0, 0]);
  expect(runs()).toHaveLength(1);
  expect(second.said().split('\n')).toHaveLength(2);
  expect(has('node_modules/.keeperscope-installed')).toBe(true);
  expect(has('.keeperscope-lock')).toBe(false);
});

it('one that waits installs by itself when the other fails', async () => {
  const { first, second } = await twoStarts();
  write('npm-ends', '7');
  expect(await first.ended).toBe(1);
  expect(await second.ended).toBe(1);
  expect(runs()).toHaveLength(2);
  expect(has('.keeperscope-lock')).toBe(false);
});

it('a signal during an installation gives the lock back', async () => {
  const one = start();
  await npmRuns(1);
  expect(has('.keeperscope-lock')).toBe(true);
  one.kill('SIGTERM');
  expect(await one.ended).toBe(143);
  expect(has('.keeperscope-lock')).toBe(false);
});

it('the lock of a process that was killed is taken over, and what it left unfinished begins anew', async () => {
  const killed = start();
  await npmRuns(1);
  killed.kill('SIGKILL');
  await killed.gone;
  expect(has('.keeperscope-lock')).toBe(true);
  write('node_modules/half-a-package', '');
  const next = start();
  await npmRuns(2);
  expect(has('node_modules/half-a-package')).toBe(false);
  write('npm-ends', '0');
  expect(await next.ended).toBe(0);
  expect(next.said()).not.toContain('waits');
  expect(has('.keeperscope-lock')).toBe(false);
});

it.each([
  ['names nobody', '{}'],
  ['is of a process whose number another one has by now', JSON.stringify({ pid: process.pid, started: '1' })],
])('a lock that %s holds nobody up', async (_, holder) => {
  mkdirSync(join(folder, '.keeperscope-lock'));
  write('.keeperscope-lock/holder.json', holder);
  write('npm-ends', '0');
  const one = start();
  expect(await one.ended).toBe(0);
  expect(one.said()).not.toContain('waits');
  expect(runs()).toHaveLength(1);
});
