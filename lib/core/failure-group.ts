import { decodeFailure } from './failure';
import type { RequestRecord } from './request-record';

/** Longest name of a group, in characters. */
const LONGEST = 120;

/**
 * The group of a failure: failures of the same reason have the same one. The decoded text without what differs from
 * request to request (hex values, addresses, numbers): `Not enough balance: # of #`.
 * @returns undefined for a request that did not fail, as far as the service says
 */
export function failureGroup(record: Pick<RequestRecord, 'state'>): string | undefined {
  const failure = decodeFailure(record);
  if (failure === undefined) return undefined;
  return failure.text
    .slice(0, 1000)
    .replace(/0x[0-9a-f]+|\d+(?:[.,_]\d+)*/gi, (found) => (/^0x/i.test(found) ? '0x…' : '#'))
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, LONGEST);
}
