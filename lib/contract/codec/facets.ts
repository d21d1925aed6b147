import type { Failure } from '@/lib/domain/outcome';
import { failureMember, lineObject, problemMember } from './facets-line';

/** What can be counted by value. */
export const FACETS = ['network', 'state', 'keeper'] as const;
export type FacetOf = (typeof FACETS)[number];

/** The value of the state facet that stands for all states without a word of ours. */
export const UNKNOWN_STATE = 'unknown';

/**
 * One line of the answer, a line per value as it is known. A `refused` value can't be asked for (the keeper does not serve
 * the network). The last line is `complete`, or `problem` when counting had to end.
 */
export type FacetLine =
  | { kind: 'count'; value: string; total: string }
  | { kind: 'refused'; value: string; failure: Failure }
  | { kind: 'complete' }
  | { kind: 'problem'; failure: Failure };

export function isFacetOf(text: string | null | undefined): text is FacetOf {
  return FACETS.some((facet) => facet === text);
}

/** The line as JSON text, without its line break. */
export function writeFacetLine(line: FacetLine): string {
  switch (line.kind) {
    case 'count':
      return JSON.stringify({ value: line.value, total: line.total });
    case 'refused':
      return JSON.stringify({ value: line.value, problem: problemMember(line.failure) });
    case 'complete':
      return JSON.stringify({ complete: true });
    case 'problem':
      return JSON.stringify({ problem: problemMember(line.failure) });
  }
}

/** Undefined for a line that is not one of ours. */
export function readFacetLine(text: string): FacetLine | undefined {
  const line = lineObject(text);
  if (line === undefined) return undefined;
  if (line.complete === true) return { kind: 'complete' };
  const { value, total } = line;
  const failure = failureMember(line.problem);
  if (typeof value !== 'string') return failure === undefined ? undefined : { kind: 'problem', failure };
  if (failure !== undefined) return { kind: 'refused', value, failure };
  return typeof total === 'string' && /^\d+$/.test(total) ? { kind: 'count', value, total } : undefined;
}
