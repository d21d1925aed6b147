import 'server-only';
import pino, { type Logger } from 'pino';
import { currentSettings } from './current-settings';
import { processWide } from './process-wide';

const kept = processWide<Logger>('log');

/**
 * The log: one JSON line per event on standard output. Values are members, never parts of the message, so that a line
 * break or a terminal code in a query stays escaped inside its JSON text. Keys and header values are never logged.
 */
export function log(): Logger {
  const logger = kept.get() ?? pino({ level: currentSettings().logLevel, base: { name: 'keeperscope' } });
  kept.set(logger);
  return logger;
}
