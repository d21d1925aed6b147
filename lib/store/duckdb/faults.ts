import 'server-only';

/** `unwritable`: the disk is full, over quota or read-only. `newer`: a newer DuckDB wrote the file. */
export type EngineFault = 'locked' | 'unwritable' | 'broken' | 'newer' | 'fatal';

/** Errors of other kinds may quote a parameter, which can contain any text. */
const DATABASE_ERROR = /^(IO|FATAL|INTERNAL|TransactionContext|Serialization) Error/;

/** The first match applies, because a fatal error names its cause. */
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

/** The statement needed more memory, or disk space for overflow, than the engine has. Others are not affected. */
export const isOutOfMemory = (error: unknown) =>
  error instanceof Error && /^Out of Memory Error/.test(error.message);

/** Undefined if the error concerns only its statement. */
export function engineFault(error: unknown): EngineFault | undefined {
  const message = error instanceof Error ? error.message : '';
  if (!DATABASE_ERROR.test(message)) return undefined;
  return FAULTS.find(([, pattern]) => pattern.test(message))?.[0];
}
