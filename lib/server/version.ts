import 'server-only';
import { readFileSync } from 'node:fs';

/** Version of the dashboard, from the package file of the folder that Next serves. */
export function readVersion(readText: () => string = () => readFileSync('package.json', 'utf8')): string {
  try {
    const { version }: { version?: unknown } = JSON.parse(readText());
    return typeof version === 'string' ? version : 'unknown';
  } catch {
    return 'unknown';
  }
}
