import type { Failure } from '@/lib/core/outcome';
import { isProblemKind } from '@/lib/core/problem';
import { failureOfProblem, readProblem } from './problem';

/** The object of one NDJSON line; undefined for anything else. */
export function lineObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** What a line of ours says of a failure: as our problems do, it keeps the service's own status to itself. */
export function problemMember({ kind, service, detail, retryAfterS }: Failure) {
  return { kind, detail, service, retryAfterS };
}

/** A failure as a line of ours carries it: `{kind, detail}`, and the service and the wait where they are known. */
export function failureMember(value: unknown): Failure | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, detail } = value as Record<string, unknown>;
  if (!isProblemKind(kind) || typeof detail !== 'string') return undefined;
  return failureOfProblem(readProblem(JSON.stringify(value)));
}
