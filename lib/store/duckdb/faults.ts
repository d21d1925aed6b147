import 'server-only';

/**
 * Faults of the database as a whole, as opposed to one statement. `locked`: another process has the file.
 * `unwritable`: disk full, quota, or read-only. `broken`: the file is corrupt. `newer`: written by a newer
 * DuckDB. `fatal`: the instance has stopped working.
 */
export type EngineFault = 'locked' | 'unwritable' | 'broken' | 'newer' | 'fatal';

/** Kinds of error that may concern the database. Others may quote a parameter, which can contain any text. */
const DATABASE_ERROR = /^(IO|FATAL|INTERNAL|TransactionContext|Serialization) Error/;

/** The first match counts, because a fatal error names its cause. */
const FAULTS: readonly (readonly [EngineFault, RegExp])[] = [
  ['locked', /Could not set lock on file/],
  [
    'unwritable',
    /No space left|File too large|quota exceeded|Read-only file system|Could not write|fsync failed|Permission denied|No such file or directory/i,
  ],
  ['newer', /Trying to read a database file with version number/],
  [
    'broken',
    /not a valid DuckDB database|Corrupt (database|WAL) file|Could not read enough bytes|replaying WAL file/,
  ],
  ['fatal', /database has been invalidated|^(FATAL|INTERNAL) Error/],
];

/**
 * Whether a statement needed more memory, or more spill space, than the engine has. Other statements are not affected.
 */
export const isOutOfMemory = (error: unknown) =>
  error instanceof Error && /^Out of Memory Error/.test(error.message);

/** The fault behind an error; undefined if the error concerns its statement only. */
export function faultOf(error: unknown): EngineFault | undefined {
  const message = error instanceof Error ? error.message : '';
  if (!DATABASE_ERROR.test(message)) return undefined;
  return FAULTS.find(([, pattern]) => pattern.test(message))?.[0];
}
