import 'server-only';
import { readFileSync } from 'node:fs';

/** Descriptors for calls to services, the index, and the process's own files. */
const RESERVED = 112;
/** Connections for requests that are not streams: health, metrics and pages. */
const RESERVED_CONNECTIONS = 32;

const readLimits = () => readFileSync('/proc/self/limits', 'utf8');

/** Limit of open files and sockets; undefined without one. Known only on Linux. */
export function descriptorLimit(read = readLimits): number | undefined {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(read()) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

const limit = descriptorLimit();

/** Limits for clients; undefined if the open limit is too low to reserve any. */
export function clientLimits(open = limit): { connections: number; streams: number } | undefined {
  if (open === undefined || open < 2 * RESERVED) return undefined;
  return { connections: open - RESERVED, streams: open - RESERVED - RESERVED_CONNECTIONS };
}
