import 'server-only';

/**
 * What an error of DuckDB says about the database as a whole, and not about one statement.
 * `locked`: another process has the file. `unwritable`: no room, a quota, or the disk takes nothing. `broken`: what is in
 * the file is not what was written. `newer`: the file was written by a newer DuckDB. `fatal`: the instance works no more.
 */
export type EngineFault = 'locked' | 'unwritable' | 'broken' | 'newer' | 'fatal';

/** Kinds of error that may be about the database. The others may quote a parameter, which can hold any words. */
const DATABASE_ERROR = /^(IO|FATAL|INTERNAL|TransactionContext|Serialization) Error/;

/** The first that fits counts: a fatal error names what was behind it. */
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

/** Whether a statement needed more memory, or more room to spill to, than the engine gets. Other statements go on. */
export const isOutOfMemory = (error: unknown) =>
  error instanceof Error && /^Out of Memory Error/.test(error.message);

/** Undefined for an error that is the statement's own. */
export function faultOf(error: unknown): EngineFault | undefined {
  const message = error instanceof Error ? error.message : '';
  if (!DATABASE_ERROR.test(message)) return undefined;
  return FAULTS.find(([, pattern]) => pattern.test(message))?.[0];
}
