import 'server-only';
import { type Problem, problem } from '@/lib/domain/problem';

/** Links of ours name each network, state or feed of a view once, and a view has 500 of one kind at most. */
const MOST_PARAMETERS = 600;

/**
 * Refuses a query with so many parameters that Next would take long over it: it goes through all of them once for each,
 * and 7,000 hold everybody up for more than a second.
 * @param rawQuery without its question mark
 * @returns the refusal; undefined when it may go on
 */
export function guardQuery(rawQuery: string): Problem | undefined {
  let found = 1;
  for (let at = rawQuery.indexOf('&'); at >= 0; at = rawQuery.indexOf('&', at + 1)) found += 1;
  if (found <= MOST_PARAMETERS) return undefined;
  return problem('bad-request', `A query has ${MOST_PARAMETERS} parameters at most.`);
}
