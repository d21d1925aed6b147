import 'server-only';
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { access, constants, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export const RETRY_MS = 30_000;
/** Free space that must exist, because less would soon be used up. */
const PROBE_BYTES = 8 * 1024 * 1024;

export async function hasFreeSpace(path: string): Promise<boolean> {
  const probe = probePath(path);
  try {
    await writeFile(probe, Buffer.alloc(PROBE_BYTES), { mode: 0o600, flush: true });
    return true;
  } catch {
    return false;
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
}

/** A killed process may have left these files. Only the process that holds the lock may call this. */
export async function deleteLeftovers(path: string): Promise<void> {
  await rm(probePath(path), { force: true });
  for (const copy of ['new', 'new.part']) await rm(`${path}.${copy}`, { force: true });
  await rm(`${path}.tmp`, { force: true, recursive: true });
}

/** Creates a folder for its user only. @returns an error code such as `EACCES` if it is not writable */
export async function folderFault(folder: string): Promise<string | undefined> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

const ASIDE = /^\w+\.broken-.*\.duckdb$/;

/** `other`: a file that has replaced the open one. @returns the new path */
export function moveAside(path: string, what: 'broken' | 'other' = 'broken', now = new Date()): string {
  const time = now.toISOString().replace(/[:.]/g, '-');
  const aside = join(dirname(path), `${basename(path, '.duckdb')}.${what}-${time}.duckdb`);
  renameSync(path, aside);
  if (existsSync(`${path}.wal`)) renameSync(`${path}.wal`, `${aside}.wal`);
  return aside;
}

/** Newest first. */
export function brokenFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => ASIDE.test(name))
    .sort((a, b) => (timeAside(a) < timeAside(b) ? 1 : -1));
}

const timeAside = (name: string) => name.split('.broken-')[1] ?? '';
const probePath = (path: string) => `${path}.room`;
