import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { kinOf } from './parent-watch.mjs';
import { ROOT, say } from './project.mjs';

/** Stands while one process installs or builds in this checkout. A folder: a rename never replaces one that holds a file. */
const LOCK = join(ROOT, '.keeperscope-lock');
/** Where a lock is made before it is one, and unmade: whoever sees `LOCK` sees it whole. */
const ASIDE = `${LOCK}-${process.pid}`;
const HOLDER = 'holder.json';
/** How often somebody who waits looks again, in ms. */
const EVERY_MS = 300;

/**
 * Runs `work` while no other process of this checkout runs anything under the lock; waits for that as long as it takes,
 * and says once for whom. A lock whose process is dead is taken over. It is given back at the end, after a failure, and
 * when this process exits meanwhile.
 * @template T
 * @param {string} what names the work in the sentence "process 1 is … here"
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function alone(what, work) {
  let told;
  while (!claimed(what)) {
    const holder = readHolder(LOCK);
    if (!isAlive(holder)) {
      clear(holder);
      continue;
    }
    if (told !== holder.pid) say(`Process ${holder.pid} is ${holder.what} here; this one waits for it …`);
    told = holder.pid;
    await sleep(EVERY_MS);
  }
  process.on('exit', giveBack);
  try {
    return await work();
  } finally {
    process.off('exit', giveBack);
    giveBack();
  }
}

/** Makes the lock, with its holder in it, in one step. False where somebody else has it. */
function claimed(what) {
  mkdirSync(ASIDE, { recursive: true });
  const holder = { pid: process.pid, started: kinOf(process.pid)?.started, what };
  writeFileSync(join(ASIDE, HOLDER), JSON.stringify(holder));
  if (renamed(ASIDE, LOCK)) return true;
  rmSync(ASIDE, { recursive: true, force: true });
  return false;
}

function giveBack() {
  if (readHolder(LOCK)?.pid !== process.pid) return;
  if (renamed(LOCK, ASIDE)) rmSync(ASIDE, { recursive: true, force: true });
}

/** Removes the lock of a dead process; another's, made since it was read, is put back. */
function clear(dead) {
  if (!existsSync(LOCK) || !renamed(LOCK, ASIDE)) return;
  const taken = readHolder(ASIDE);
  if (taken?.pid !== dead?.pid && renamed(ASIDE, LOCK)) return;
  rmSync(ASIDE, { recursive: true, force: true });
}

/** False where the target is taken, or where there is nothing (any more) to rename. Windows says EPERM for the first. */
function renamed(from, to) {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (['EEXIST', 'ENOTEMPTY', 'ENOTDIR', 'EPERM', 'ENOENT'].includes(error.code)) return false;
    throw error;
  }
}

/** Undefined where there is no lock, or one that names nobody: none of ours, which are never seen half made. */
function readHolder(lock) {
  try {
    return JSON.parse(readFileSync(join(lock, HOLDER), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Numbers of processes are used again: where the system says when a process started, that has to agree too. */
function isAlive(holder) {
  if (!Number.isInteger(holder?.pid) || holder.pid === process.pid) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
  const kin = kinOf(holder.pid);
  if (kin === undefined) return true;
  return kin.state !== 'Z' && (holder.started === undefined || kin.started === holder.started);
}
