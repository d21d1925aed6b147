import { requestOfKey } from '@/lib/contract/codec/triage';
import { clipped } from './foreign-text';
import { groupDigitsBriefly } from './human-number';
import { askedPath, type RequestPath } from './request-path';

/** The page of the request with this key, and its number for people. Undefined for a row that has no page. */
export function linkOfKey(key: string): { href: RequestPath; label: string } | undefined {
  const request = requestOfKey(key);
  if (request === undefined || request.sequence.startsWith('-')) return undefined;
  const { keeper, networkId, sequence, provider, tx } = request;
  const href = askedPath({ networkId, sequence, keepers: [keeper], provider, tx });
  return { href, label: clipped(groupDigitsBriefly(sequence), 40) };
}
