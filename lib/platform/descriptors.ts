import 'server-only';
import { readFileSync } from 'node:fs';

/** Files and sockets kept for calls to services, the index, and what the process itself has open. */
const RESERVED = 112;
/** Connections kept for what is no stream: health, metrics and pages. */
const RESERVED_CONNECTIONS = 32;

const readLimits = () => readFileSync('/proc/self/limits', 'utf8');

/** How many files and sockets the process may open; undefined without a limit, and where that is not told: only Linux does. */
export function descriptorLimit(read = readLimits): number | undefined {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(read()) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

const limit = descriptorLimit();

/** How many connections, and streams among them, clients may have; undefined where so few may be opened that none is spared. */
export function clientLimits(open = limit): { connections: number; streams: number } | undefined {
  if (open === undefined || open < 2 * RESERVED) return undefined;
  return { connections: open - RESERVED, streams: open - RESERVED - RESERVED_CONNECTIONS };
}
