import { parseFeedId } from '@/lib/core/feed';
import { parseIsoTime } from '@/lib/core/time';
import { isWireObject, member, numberToken, readWireDocument } from '@/lib/core/wire-json';

/** Returns what a value should be, if it is not valid. */
type Check = (text: string) => string | undefined;
export type Checks = Readonly<Record<string, Check>>;

const MAX_INT64 = 2n ** 63n - 1n;
const MAX_U64 = 2n ** 64n - 1n;

const integer =
  (max: bigint): Check =>
  (text) =>
    isInteger(text, max) ? undefined : `an integer from 0 to ${max}.`;

function isInteger(text: string, max: bigint): boolean {
  // The length is checked first, so that a long run of digits never becomes a bigint.
  return /^0*\d{1,20}$/.test(text) && BigInt(text) <= max;
}

const isoTime: Check = (text) => {
  // A space in place of the T is common, but it is not ISO 8601.
  if (!text.includes(' ') && parseIsoTime(text) !== undefined) return undefined;
  // A plus sign in a query means a space.
  const hint = / \d\d:?\d\d$/.test(text) ? ' A + in a query is written %2B.' : '';
  return `an ISO 8601 time, such as 2026-11-20T08:00:00Z.${hint}`;
};

const feedId: Check = (text) =>
  parseFeedId(text) === undefined ? 'a feed id of 64 hex digits, with or without 0x.' : undefined;

export const logsChecks = (keepers: readonly string[]): Checks => ({
  keeper: (text) => (keepers.includes(text) ? undefined : `one of ${keepers.join(', ')}.`),
  min_timestamp: isoTime,
  max_timestamp: isoTime,
  network_id: integer(MAX_INT64),
  // The limit of the interface contract.
  limit: integer(1000n),
  offset: integer(MAX_INT64),
});
export const PUBLISH_TIME: Checks = { publish_time: integer(MAX_INT64) };
export const UPDATES_QUERY: Checks = { 'ids[]': feedId };
export const DEPRECATED_QUERY: Checks = { id: feedId, ...PUBLISH_TIME };

/** The reason for a refusal: only if no service of the contract could answer. Only `ids[]` may be repeated. */
export function checkQuery(params: URLSearchParams, checks: Checks = {}): string | undefined {
  const names = [...params.keys()];
  const repeated = names.find((name, index) => name !== 'ids[]' && names.indexOf(name) < index);
  if (repeated !== undefined) {
    return `${repeated.replace(/\p{C}/gu, '').slice(0, 40) || 'A parameter'} is given twice.`;
  }
  for (const [name, check] of Object.entries(checks)) {
    const form = params.getAll(name).map(check).find(Boolean);
    if (form) return `${name} must be ${form}`;
  }
  return undefined;
}

export function checkTimestamp(text: string): string | undefined {
  const document = readWireDocument(text);
  if (document === undefined) return 'The body must be a JSON object with a timestamp; this is not JSON.';
  const body = document.value;
  const timestamp = isWireObject(body) ? member(body, 'timestamp') : undefined;
  if (timestamp === undefined) return 'timestamp is missing: unix time in microseconds, a bare integer.';
  if (typeof timestamp === 'string') return 'timestamp must be a bare integer, without quotation marks.';
  const digits = typeof timestamp === 'number' ? String(timestamp) : numberToken(timestamp);
  if (isInteger(digits ?? '', MAX_U64)) return undefined;
  return 'timestamp must be an integer of 0 or more: unix time in microseconds.';
}
