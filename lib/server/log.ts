import 'server-only';
import pino, { type Logger } from 'pino';
import { currentSettings } from './current-settings';
import type { LogLevel } from './env';
import { allowedFields, clippedText, type LogFields } from './log-fields';
import { processWide } from './process-wide';
import { currentRequestId } from './request-id';
import { type LineSink, standardOutput } from './standard-output';

/** Writes a line: what it says, from the allow-list of fields, and a sentence of ours that holds no value. */
type Say = (fields: LogFields, message: string) => void;

/** The log, by how much a line matters. */
export type Log = Record<'debug' | 'info' | 'warn' | 'error', Say>;

const kept = processWide<Log>('log');

/** The log of this process: one JSON line per event on standard output. */
export function log(): Log {
  const made = kept.get() ?? createLog(currentSettings().logLevel, standardOutput());
  kept.set(made);
  return made;
}

/**
 * A log whose lines hold nothing but allowed fields (log-fields.ts), the id of the request that they are about, and printable
 * ASCII: whatever a stranger sends can neither end a line nor reach the terminal that shows it.
 */
export function createLog(level: LogLevel, destination: LineSink): Log {
  const formatters = { level: (label: string) => ({ level: label }) };
  const logger = pino(
    { level, base: { name: 'keeperscope' }, formatters, serializers: {} },
    { write: (line: string) => destination.write(printable(line)) },
  );
  return {
    debug: saying(logger, 'debug'),
    info: saying(logger, 'info'),
    warn: saying(logger, 'warn'),
    error: saying(logger, 'error'),
  };
}

function saying(logger: Logger, level: keyof Log): Say {
  return (fields, message) => {
    if (!logger.isLevelEnabled(level)) return;
    const requestId = fields.requestId ?? currentRequestId();
    logger[level](allowedFields({ ...fields, requestId }), clippedText(message));
  };
}

/** In JSON text every other character can only stand inside a string, where its escape means the same. */
const UNPRINTABLE = /[^\x20-\x7e\n]/g;

function printable(line: string): string {
  return line.replace(UNPRINTABLE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
