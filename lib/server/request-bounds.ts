import 'server-only';
import type { IncomingMessage } from 'node:http';
import { type Problem, problem } from '@/lib/core/problem';

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

/** Whether a body comes, or is said to come, with a request. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Refuses a body whose length nobody knows. It may come in pieces of one byte, and each is an object to Node and to Next:
 * what is 64 kB to us took them 40 MB and a second. Browsers and programs that send what they have say how long it is.
 * @returns the refusal; undefined when it may go on
 */
export function guardTransfer({ headers }: IncomingMessage): Problem | undefined {
  if (headers['transfer-encoding'] === undefined) return undefined;
  return problem('bad-request', 'A body is taken with a Content-Length, and not in chunks.');
}
