import 'server-only';
import { type Problem, problem } from '@/lib/domain/problem';

/** Links of ours name each network, state or feed of a view once, and a view has 500 of one kind at most. */
const MOST_PARAMETERS = 600;

/** What anybody may ask for is given one or two. */
const FOR_ANYBODY = /^\/(api\/(health|metrics|session)$|sign-in$|icon\.svg$|_next\/)/;
const FEW_PARAMETERS = 20;

/**
 * Refuses a query with so many parameters that Next would take long over it: it goes through all of them once for each,
 * and 7,000 hold everybody up for more than a second.
 * @param rawQuery without its question mark
 * @returns the refusal; undefined when it may go on
 */
export function guardQuery(pathname: string, rawQuery: string): Problem | undefined {
  const most = FOR_ANYBODY.test(pathname) ? FEW_PARAMETERS : MOST_PARAMETERS;
  let found = 1;
  for (let at = rawQuery.indexOf('&'); at >= 0; at = rawQuery.indexOf('&', at + 1)) found += 1;
  return found <= most ? undefined : problem('bad-request', `A query has ${most} parameters at most here.`);
}
