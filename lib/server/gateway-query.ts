import { parseFeedId } from '@/lib/core/feed';
import { parseIsoTime } from '@/lib/core/time';
import { isWireObject, member, numberToken, readWireDocument } from '@/lib/core/wire-json';

/** Why a request is not passed on (`bad-request`): only where no service of the contract could answer it. */
export type Refusal = { detail: string };

/** The contract's `limit` of the log list. */
const MAX_LIMIT = 1000n;
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_U64 = 2n ** 64n - 1n;

/** What a value must be, where it is not that. */
type Check = (text: string) => string | undefined;

const integer =
  (max: bigint): Check =>
  (text) =>
    isInteger(text, max) ? undefined : `an integer from 0 to ${max}.`;

const isoTime: Check = (text) => {
  // With a blank in place of the T it is what people write, but no ISO 8601.
  if (!text.includes(' ') && parseIsoTime(text) !== undefined) return undefined;
  // A plus sign in a query is a blank: the commonest way to spoil a good time.
  const hint = / \d\d:?\d\d$/.test(text) ? ' A + in a query is written %2B.' : '';
  return `an ISO 8601 time, such as 2026-11-20T08:00:00Z.${hint}`;
};

const feedId: Check = (text) =>
  parseFeedId(text) === undefined ? 'a feed id of 64 hex digits, with or without 0x.' : undefined;

const LOGS: Readonly<Record<string, Check>> = {
  min_timestamp: isoTime,
  max_timestamp: isoTime,
  network_id: integer(MAX_INT64),
  limit: integer(MAX_LIMIT),
  offset: integer(MAX_INT64),
};

/** Nothing twice but `ids[]`, and those of the table must be of their form. */
export function checkQuery(
  params: URLSearchParams,
  table: Readonly<Record<string, Check>> = {},
): Refusal | undefined {
  const names = [...params.keys()];
  const repeated = names.find((name, at) => name !== 'ids[]' && names.indexOf(name) < at);
  // As the caller sent it, cut and without control characters.
  const shown = repeated?.replace(/\p{C}/gu, '').slice(0, 40) || 'A parameter';
  if (repeated !== undefined) return { detail: `${shown} is given twice.` };
  for (const [name, check] of Object.entries(table)) {
    const form = params.getAll(name).map(check).find(Boolean);
    if (form) return { detail: `${name} must be ${form}` };
  }
  return undefined;
}

export function checkLogsQuery(params: URLSearchParams, keepers: readonly string[]): Refusal | undefined {
  const keeper: Check = (text) => (keepers.includes(text) ? undefined : `one of ${keepers.join(', ')}.`);
  return checkQuery(params, { keeper, ...LOGS });
}

export function checkUpdatesQuery(params: URLSearchParams): Refusal | undefined {
  return checkQuery(params, { 'ids[]': feedId });
}

export function checkAtTime(publishTime: string, params: URLSearchParams): Refusal | undefined {
  const form = integer(MAX_INT64)(publishTime);
  return form ? { detail: `publish_time must be ${form}` } : checkUpdatesQuery(params);
}

export function checkDeprecated(params: URLSearchParams): Refusal | undefined {
  return checkQuery(params, { id: feedId, publish_time: integer(MAX_INT64) });
}

/** The body of both price routes. Only the second needs a timestamp: a bare JSON integer of 64 bits, never text. */
export function checkRouterBody(text: string, needsTimestamp: boolean): Refusal | undefined {
  if (!needsTimestamp) return undefined;
  const document = readWireDocument(text);
  if (document === undefined)
    return { detail: 'The body must be a JSON object with a timestamp; this is not JSON.' };
  const body = document.value;
  const timestamp = isWireObject(body) ? member(body, 'timestamp') : undefined;
  if (timestamp === undefined)
    return { detail: 'timestamp is missing: unix time in microseconds, a bare integer.' };
  if (typeof timestamp === 'string')
    return { detail: 'timestamp must be a bare integer, without quotation marks.' };
  const digits = typeof timestamp === 'number' ? String(timestamp) : numberToken(timestamp);
  if (!isInteger(digits ?? '', MAX_U64)) {
    return { detail: 'timestamp must be an integer of 0 or more: unix time in microseconds.' };
  }
  return undefined;
}

function isInteger(text: string, max: bigint): boolean {
  if (!/^\d+$/.test(text)) return false;
  const digits = text.replace(/^0+/, '');
  // The length is looked at first, so that a long run of digits never becomes a bigint.
  return digits.length <= 20 && BigInt(digits) <= max;
}
