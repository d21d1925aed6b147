import 'server-only';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MINUTE_MS } from '@/lib/core/time';
import type { DuckDbOptions } from './duckdb/database';
import { brokenFiles, deleteLeftovers, folderFault, hasFreeSpace, moveAside } from './duckdb/disk';
import { DuckDbEngine } from './duckdb/engine';
import { engineFault } from './duckdb/faults';
import { IncidentStore } from './incident-store';
import { Cluster } from './postgres/cluster';
import { POSTGRES_SCHEMA, PostgresEngine } from './postgres/engine';
import { databaseAddress, isOfConnection } from './postgres/session';
import { INCIDENT_SCHEMA, NewerSchemaError } from './schema';
import { IndexStore, type StoreOptions } from './store';

export type OpenOptions = Omit<StoreOptions, 'storage' | 'notes' | 'shared'> & {
  /** If undefined, the index is in memory. */
  dataDir?: string | undefined;
  /** A PostgreSQL that holds the index for several processes. The URL contains a password. */
  storeUrl?: (() => string | undefined) | undefined;
  memoryMb: number;
  /** Receives lines for the operator. */
  say?: (line: string) => void;
  /** Called before waiting for another process that holds the file. */
  onWait?: () => void;
  /** Aborts waiting for another process. */
  signal?: AbortSignal;
  lockWaitMs?: number;
  retryMs?: number;
};

/** The index file cannot be used, and must not be replaced. The message is one line for the operator. */
export class IndexFileError extends Error {
  override readonly name = 'IndexFileError';
}

export const FILE = 'index.duckdb';
const EXPORT_FOLDER = 'exports';
export const INCIDENT_FILE = 'incidents.duckdb';
/** Memory of the incidents, enough for a few thousand rows of text. */
const INCIDENT_MEMORY_MB = 64;
const READ_ONLY = 'Existing rows are shown, no new rows are added. Retrying every 30 s.';
const LOCK_WAIT_MS = MINUTE_MS;
const LOCK_RETRY_MS = 250;
const POSTGRES_RETRY_MS = 1000;

/** @throws IndexFileError if another process holds the file for too long, or a newer version wrote it */
export async function openStore(options: OpenOptions): Promise<IndexStore> {
  const { dataDir, keepers, say = () => undefined } = options;
  // Others may be able to read the folder, so the files in it are made private.
  process.umask(0o077);
  const url = keepers.length === 0 ? undefined : options.storeUrl?.();
  if (url !== undefined) return openShared(url, options);
  if (dataDir === undefined || keepers.length === 0) return openInMemory(options);
  const folder = resolve(dataDir);
  const fault = (await folderFault(folder)) ?? (await openFile(folder, options));
  if (fault instanceof DuckDbEngine) {
    const temporaryFolder = await emptiedFolder(folder);
    const notes = () => [...writeNotes(folder, fault), ...notesOf(folder)];
    return IndexStore.open(fault, { ...options, storage: 'file', notes, temporaryFolder });
  }
  const note = `Nothing can be written to ${folder} (${fault}): the index is in memory, and lost at restart.`;
  say(`DATA_DIR: ${note}`);
  return openInMemory(options, [note]);
}

/** @throws IndexFileError if another process holds the file for too long, or a newer version wrote it */
export async function openIncidents(options: OpenOptions, index: IndexStore): Promise<IncidentStore> {
  const { storage, engine: ofIndex } = index;
  if (ofIndex.kind === 'postgres') return IncidentStore.open(ofIndex, index);
  const incidentOptions = { ...options, memoryMb: INCIDENT_MEMORY_MB, schema: INCIDENT_SCHEMA, backUp: true };
  const engine =
    storage === 'memory' || options.dataDir === undefined
      ? undefined
      : await openFile(resolve(options.dataDir), incidentOptions, INCIDENT_FILE);
  return IncidentStore.open(
    engine instanceof DuckDbEngine
      ? engine
      : await DuckDbEngine.open({ memoryMb: INCIDENT_MEMORY_MB, schema: INCIDENT_SCHEMA }),
  );
}

async function openInMemory(options: OpenOptions, notes: string[] = []): Promise<IndexStore> {
  const engine = await DuckDbEngine.open({ memoryMb: options.memoryMb });
  return IndexStore.open(engine, { ...options, storage: 'memory', notes: () => notes });
}

const STATUS_TEXT = {
  writable: 'is writable again.',
  'read-only': `is read-only, or its disk is full: existing rows are shown, no new rows are added. Retrying every second.`,
  slow: 'answers too slowly: locked, or overloaded. Existing rows are shown where it answers, no new rows are added.',
  away: 'does not answer. Retrying every second.',
} as const;

/** Waits for a server that does not answer. */
async function openShared(url: string, options: OpenOptions): Promise<IndexStore> {
  const where = databaseAddress(url);
  const open = async () => {
    const engine = await PostgresEngine.open({ url });
    const { connections } = engine;
    try {
      engine.onEvent(() => options.say?.(`STORE_URL: ${where} ${STATUS_TEXT[connections.status]}`));
      const notes = () =>
        connections.status === 'writable' ? [] : [`${engine.place} ${STATUS_TEXT[connections.status]}`];
      const shared = await Cluster.open(engine, POSTGRES_SCHEMA, options.now);
      // DATA_DIR may belong to another instance, so parts of exports go to the system's temporary folder.
      return await IndexStore.open(engine, { ...options, storage: 'postgres', notes, shared });
    } catch (error) {
      await engine.close();
      throw error;
    }
  };
  const isUnreachable = (error: unknown) =>
    isOfConnection(error) ? `STORE_URL: ${where} does not answer (${reasonOf(error)})` : undefined;
  return retryWhileBusy(open, isUnreachable, POSTGRES_RETRY_MS, options).catch((error) => {
    if (isAborted(error)) throw error;
    throw new IndexFileError(`STORE_URL: the index at ${where} can’t be used: ${reasonOf(error)}`);
  });
}

/** @param busy returns a text for an error that may be temporary; undefined for any other */
async function retryWhileBusy<T>(
  open: () => Promise<T>,
  busy: (error: unknown) => string | undefined,
  retryMs: number,
  { say, onWait, signal, lockWaitMs = LOCK_WAIT_MS }: OpenOptions,
): Promise<T> {
  const sinceMs = performance.now();
  for (let tries = 1; ; tries += 1) {
    try {
      return await open();
    } catch (error) {
      const why = busy(error);
      if (why === undefined || performance.now() - sinceMs >= lockWaitMs) throw error;
      if (tries === 1) {
        say?.(`${why}; waiting ${lockWaitMs / 1000} s at most.`);
        onWait?.();
      }
      await pause(retryMs, undefined, { signal });
    }
  }
}

const isAborted = (error: unknown) => error instanceof Error && error.name === 'AbortError';

function reasonOf(error: unknown): string {
  if (error instanceof NewerSchemaError) return `${error.message}. Start the newer program`;
  const { code, message } = error as { code?: string; message?: string };
  return message || code || String(error);
}

/** A killed process may have left parts of exports. @returns their folder, which is created on first use */
async function emptiedFolder(dataDir: string): Promise<string> {
  const folder = join(/* turbopackIgnore: true */ dataDir, EXPORT_FOLDER);
  await rm(folder, { force: true, recursive: true }).catch(() => undefined);
  return folder;
}

/** @returns the engine, or the reason why the file cannot be written */
async function openFile(
  folder: string,
  options: OpenOptions & Pick<DuckDbOptions, 'schema' | 'backUp'>,
  name = FILE,
): Promise<DuckDbEngine | string> {
  const { memoryMb, retryMs, schema, backUp, signal, say = () => undefined } = options;
  // This is the operator's data folder, which the bundler must not include in the build.
  const path = join(/* turbopackIgnore: true */ folder, name);
  const putAside = () => {
    moveAside(path);
    say(`${notesOf(folder)[0]} Starting a new one.`);
  };
  const moveOtherAside = () => say(`${replacedText(path)} It is kept as ${moveAside(path, 'other')}.`);
  const file = { path, memoryMb, schema, backUp, moveAside: putAside, moveOtherAside, retryMs, signal };
  const busy = (error: unknown) =>
    engineFault(error) === 'locked' ? `The index ${path} is in use by ${holderOf(error)}` : undefined;
  for (;;) {
    try {
      const engine = await retryWhileBusy(() => DuckDbEngine.open(file), busy, LOCK_RETRY_MS, options);
      await deleteLeftovers(path);
      engine.onEvent((event) => {
        if (event === 'read-only') say(`${readOnlyText(path, engine)} ${READ_ONLY}`);
        if (event === 'writable') say(`${path} is writable again.`);
      });
      return engine;
    } catch (error) {
      const fault = engineFault(error);
      if (fault === 'unwritable') {
        // On a full disk, existing rows can still be read.
        const toRead = () => DuckDbEngine.open(file, true).catch(() => undefined);
        return ((await hasFreeSpace(path)) ? undefined : await toRead()) ?? String(error);
      }
      if (fault !== 'broken')
        throw isAborted(error) || options.signal?.aborted === true
          ? error
          : new IndexFileError(faultText(path, error));
      putAside();
    }
  }
}

function holderOf(error: unknown): string {
  const pid = /\(PID (\d+)\)/.exec(String(error))?.[1];
  return pid === undefined ? 'another process' : `process ${pid}`;
}

function faultText(path: string, error: unknown): string {
  const newer = 'Start the newer program, or set another DATA_DIR.';
  if (error instanceof NewerSchemaError)
    return `The index ${path} is of version ${error.storedVersion}, and this program supports ${error.supported} at most. ${newer}`;
  const fault = engineFault(error);
  if (fault === 'newer') return `The index ${path} was written by a newer version of DuckDB. ${newer}`;
  return fault === 'locked'
    ? `The index ${path} is in use by ${holderOf(error)}. Stop that one, or set another DATA_DIR.`
    : `The index ${path} can’t be opened: ${String(error)}`;
}

function readOnlyText(path: string, { pathState }: Pick<DuckDbEngine, 'pathState'>): string {
  if (pathState === 'replaced') return replacedText(path);
  return pathState === 'missing'
    ? `${path} is gone, or its folder is.`
    : `${path} is not writable: is the disk full?`;
}

const replacedText = (path: string) => `Another file was put in the place of ${path}.`;

function writeNotes(folder: string, engine: DuckDbEngine): string[] {
  if (!existsSync(folder)) return [`The folder ${folder} is gone. ${READ_ONLY}`];
  if (engine.pathState === 'replaced') return [`${replacedText(join(folder, FILE))} ${READ_ONLY}`];
  return engine.isWritable ? [] : [`Nothing can be written to ${folder}: is the disk full? ${READ_ONLY}`];
}

/** Notes on broken files, which the operator may delete. */
function notesOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const [newest, ...others] = brokenFiles(folder);
  if (newest === undefined) return [];
  const more = others.length === 0 ? '' : ` (and ${others.length} earlier)`;
  return [`A broken index is kept as ${join(folder, newest)}${more}.`];
}
