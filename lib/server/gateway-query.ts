import { parseFeedId } from '@/lib/core/feed';
import { parseIsoTime } from '@/lib/core/time';
import { isWireObject, member, numberToken, readWireDocument } from '@/lib/core/wire-json';

/**
 * Why the gateway does not pass a request on, in a sentence for the caller (kind `bad-request`). Only what no service of
 * the contract could answer is refused; unknown parameters, unknown states, `limit=0` and any `query` pass.
 */
export type Refusal = { detail: string };

/** The contract's `limit` of the log list. */
const MAX_LIMIT = 1000n;
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_U64 = 2n ** 64n - 1n;

type Check = (text: string) => Refusal | undefined;

/**
 * The first parameter that is given twice; `ids[]` may be, once per feed. It is all there is to check for the feed
 * directory and the symbols.
 */
export function checkRepeats(params: URLSearchParams): Refusal | undefined {
  const seen = new Set<string>();
  for (const name of params.keys()) {
    if (seen.has(name) && name !== 'ids[]') return { detail: `${printable(name)} is given twice.` };
    seen.add(name);
  }
  return undefined;
}

/** `GET /api/logs/v1/logs`. `keepers` are the names that `keeper` may take. */
export function checkLogsQuery(params: URLSearchParams, keepers: readonly string[]): Refusal | undefined {
  return (
    checkRepeats(params) ??
    checkParam(params, 'keeper', (text) => keeper(text, keepers)) ??
    checkParam(params, 'min_timestamp', (text) => isoTime('min_timestamp', text)) ??
    checkParam(params, 'max_timestamp', (text) => isoTime('max_timestamp', text)) ??
    checkParam(params, 'network_id', (text) => integer('network_id', text, MAX_INT64)) ??
    checkParam(params, 'limit', (text) => integer('limit', text, MAX_LIMIT)) ??
    checkParam(params, 'offset', (text) => integer('offset', text, MAX_INT64))
  );
}

/** `GET …/v2/updates/price/latest` and `…/stream`, on both hosts. */
export function checkUpdatesQuery(params: URLSearchParams): Refusal | undefined {
  return checkRepeats(params) ?? checkParam(params, 'ids[]', (text) => feedId('ids[]', text));
}

/** `GET …/v2/updates/price/{publish_time}`; `publishTime` is the path segment, decoded. */
export function checkAtTime(publishTime: string, params: URLSearchParams): Refusal | undefined {
  return integer('publish_time', publishTime, MAX_INT64) ?? checkUpdatesQuery(params);
}

/** `GET …/api/get_price_feed`. */
export function checkDeprecated(params: URLSearchParams): Refusal | undefined {
  return (
    checkRepeats(params) ??
    checkParam(params, 'id', (text) => feedId('id', text)) ??
    checkParam(params, 'publish_time', (text) => integer('publish_time', text, MAX_INT64))
  );
}

/**
 * The body of `POST /api/router/v1/latest_price` and `…/price`. Only the second needs a timestamp (unix microseconds, a
 * bare JSON integer of 64 bits, never text); all else in the body is the service's to judge.
 */
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

function checkParam(params: URLSearchParams, name: string, check: Check): Refusal | undefined {
  for (const text of params.getAll(name)) {
    const refusal = check(text);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function keeper(text: string, keepers: readonly string[]): Refusal | undefined {
  if (keepers.includes(text)) return undefined;
  return { detail: `keeper must be one of ${keepers.join(', ')}.` };
}

function isoTime(name: string, text: string): Refusal | undefined {
  // With a blank in place of the T it is what people write, but no ISO 8601.
  if (!text.includes(' ') && parseIsoTime(text) !== undefined) return undefined;
  // A plus sign in a query is a blank: the commonest way to spoil a good time.
  const hint = / \d\d:?\d\d$/.test(text) ? ' A + in a query is written %2B.' : '';
  return { detail: `${name} must be an ISO 8601 time, such as 2026-11-20T08:00:00Z.${hint}` };
}

function isInteger(text: string, max: bigint): boolean {
  if (!/^\d+$/.test(text)) return false;
  const digits = text.replace(/^0+/, '');
  // The length is looked at first, so that a long run of digits never becomes a bigint.
  return digits.length <= 20 && BigInt(digits) <= max;
}

function integer(name: string, text: string, max: bigint): Refusal | undefined {
  return isInteger(text, max) ? undefined : { detail: `${name} must be an integer from 0 to ${max}.` };
}

function feedId(name: string, text: string): Refusal | undefined {
  if (parseFeedId(text) !== undefined) return undefined;
  return { detail: `${name} must be a feed id of 64 hex digits, with or without 0x.` };
}

/** A parameter's name as the caller sent it, cut and without control characters. */
function printable(name: string): string {
  return name.replace(/\p{C}/gu, '').slice(0, 40) || 'A parameter';
}
