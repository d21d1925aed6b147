import 'server-only';
import type { IncomingMessage } from 'node:http';
import { type Problem, problem } from '@/lib/core/problem';
import { guardedOf, guardPage } from './guard';

/** The one page that is posted to: its form may be sent before its script has come. */
export const SIGN_IN = '/sign-in';

/**
 * Refuses what is more than reading a page, before Next does: Next would keep up to 10 MB of a body, and wait for all of
 * it, before our proxy is asked who sends it, and write to standard error what breaks off or names an action of a page.
 * No page has one. Whoever sends the form of the sign-in page is shown that page again: the request becomes a GET in place.
 * @param pathname where it leads, as the gate left it (request-gate.ts)
 * @returns the refusal; undefined when it may go on
 */
export function guardPageMethod(request: IncomingMessage, pathname: string): Problem | undefined {
  const { method = '', headers } = request;
  if (method === 'GET' || method === 'HEAD' || pathname.startsWith('/api/')) return undefined;
  const refusal = guardPage({
    ...guardedOf(headers),
    method,
    secFetchMode: headers['sec-fetch-mode']?.toString(),
    secFetchDest: headers['sec-fetch-dest']?.toString(),
  });
  if (refusal) return refusal;
  if (method !== 'POST' || pathname !== SIGN_IN) return problem('method', 'A page answers GET, HEAD.');
  request.method = 'GET';
  return undefined;
}
