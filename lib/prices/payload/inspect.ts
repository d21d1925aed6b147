import { hexToBytes } from '@noble/hashes/utils.js';
import { type FeedUpdate, readDeprecatedFeed, readUpdateBody } from '@/lib/core/feed';
import { countOf } from '@/lib/core/numbers';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import { stripWrapping, visibleText } from '@/lib/core/pasted';
import { trimEndWhere, tryParseJson } from '@/lib/core/text';
import { type UnixSeconds, unixSeconds } from '@/lib/core/time';
import { type DecodedUpdate, decodeUpdate, type PayloadFault } from './decode';

/** Limit in bytes. In a text, a byte is two hex digits, and blanks are allowed as often. */
export const MAX_PAYLOAD_BYTES = 1 << 20;
const MAX_TEXT = 4 * MAX_PAYLOAD_BYTES;

/** `unreadable`: a text without bytes. */
export type InspectedPayload = DecodedUpdate | PayloadFault | ReturnType<typeof unreadable>;

/** One payload, or an answer of the service with the parsed form beside its payloads. */
export type Inspection = {
  payloads: readonly InspectedPayload[];
  /** Absent for bare payloads, and with `parsed=false`. */
  parsed?: readonly FeedUpdate[];
  /** Elements of the parsed form. */
  unreadableParsed: number;
  /** Payloads beyond `MAX_PAYLOADS`. */
  leftOut: number;
};

/** Decoded at once. An answer has a payload for each slot. */
const MAX_PAYLOADS = 100;

const unreadable = (problem: string) => ({ kind: 'unreadable', problem }) as const;
const tooLarge = (amount: string) => unreadable(`Too large: ${amount}. The limit is 1 MiB.`);
const singlePayload = (payload: InspectedPayload): Inspection => {
  return { payloads: [payload], unreadableParsed: 0, leftOut: 0 };
};

function inspectBytes(bytes: Uint8Array): InspectedPayload {
  return bytes.length > MAX_PAYLOAD_BYTES ? tooLarge(countOf(bytes.length, 'byte')) : decodeUpdate(bytes);
}

const ENCODINGS = {
  hex: { foreign: /[^0-9a-f]/iu, digitName: 'a hex digit', decode: (digits: string) => hexToBytes(digits) },
  base64: {
    foreign: /[^\w+/=-]/u,
    digitName: 'a base64 character',
    decode: (digits: string) =>
      Uint8Array.from(atob(digits.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0)),
  },
} as const;

/** The encoding by the magic bytes of an update, or else by the first characters. */
function encodingOf(digits: string): keyof typeof ENCODINGS {
  if (digits.startsWith('UE5BV')) return 'base64';
  const probe = digits.slice(0, 200);
  return probe.replaceAll(/[^0-9a-f]/gi, '').length > probe.length * 0.85 ? 'hex' : 'base64';
}

/** Hex (any case, `0x`, `\\x`) or base64 (also its URL form), with blanks anywhere, and wrapped. */
function inspectBlob(text: string): InspectedPayload {
  if (text.length > MAX_TEXT) return tooLarge(`${text.length} characters`);
  const value = bareDigits(text);
  const digits = value.replace(/^(?:0x|x)/i, '');
  if (digits === '') return unreadable('No payload in this text.');
  const encoding = digits === value ? encodingOf(digits) : 'hex';
  const { foreign, digitName, decode } = ENCODINGS[encoding];
  const wrong = foreign.exec(digits);
  if (wrong !== null) {
    const [character] = wrong;
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const shown = /[!-~]/.test(character) ? `“${character}”` : `U+${code}`;
    return unreadable(`Character ${wrong.index + 1}, ${shown}, is not ${digitName}.`);
  }
  try {
    return inspectBytes(decode(digits));
  } catch {
    return unreadable(`The ${encoding} is incomplete: ${digits.length} characters.`);
  }
}

/** `data:application/octet-stream;base64,…`, perhaps percent-encoded as in the query of a link. */
const DATA_URL = /^data:[\w.+/-]*(?:;[\w.+=-]*)*,/i;

function bareDigits(text: string): string {
  // The pattern also drops the backslash of PostgreSQL's `\\x12ab`.
  const inner = stripWrapping(visibleText(text)).replace(DATA_URL, '').replaceAll(/\s/g, '');
  return inner.replaceAll(/%(2b|2f|3d)/gi, (code) => decodeURIComponent(code));
}

/** Accepts an update response body, or that of the deprecated route. `malformed` without a payload. */
export function inspectAnswer(text: string): Outcome<Inspection> {
  const body = readUpdateBody(text);
  if (body.ok && body.value.binary !== undefined) {
    const { updates, unreadable, binary, parsedPresent } = body.value;
    return ok({
      payloads: binary.data.slice(0, MAX_PAYLOADS).map(inspectBlob),
      ...(parsedPresent ? { parsed: updates } : {}),
      unreadableParsed: unreadable.length,
      leftOut: Math.max(0, binary.data.length - MAX_PAYLOADS),
    });
  }
  const feed = readDeprecatedFeed(text);
  if (feed.ok && feed.value.vaa !== undefined)
    return ok({ ...singlePayload(inspectBlob(feed.value.vaa)), parsed: [feed.value.update] });
  return body.ok || feed.ok
    ? failed({ kind: 'malformed', detail: 'No binary update in this answer.' })
    : failed(body.failure);
}

/** Members that contain an update, in answers, contract calls and logs. */
const PAYLOAD_MEMBERS =
  /^(?:data|vaas?|updates?|payloads?|(?:price_?)?update_?data|evm|solana|binary|input|result)$/i;
/** The start of an update, in hex and in base64. */
const IS_UPDATE = /^\s*["']?(?:(?:0x)?504e4155|UE5BV)/i;
/** Values visited in a JSON text. */
const MAX_VALUES = 20_000;

/** Texts and byte lists that begin like an update, or else those under a name in `PAYLOAD_MEMBERS`. */
function payloadsWithin(json: unknown): InspectedPayload[] {
  const candidates: { value: string | Uint8Array; isNamed: boolean }[] = [];
  const open = [{ value: json, isNamed: true }];
  for (let visited = 0; visited < MAX_VALUES; visited += 1) {
    const next = open.pop();
    if (next === undefined) break;
    const { value, isNamed } = next;
    if (typeof value === 'string') candidates.push({ value, isNamed });
    else if (Array.isArray(value)) {
      if (isByteList(value)) candidates.push({ value: Uint8Array.from(value), isNamed });
      else
        open.push(
          ...value
            .slice(0, MAX_VALUES)
            .toReversed()
            .map((item) => ({ value: item, isNamed })),
        );
    } else if (typeof value === 'object' && value !== null) {
      const members = Object.entries(value).toReversed();
      open.push(...members.map(([name, item]) => ({ value: item, isNamed: PAYLOAD_MEMBERS.test(name) })));
    }
  }
  const updates = candidates.filter(({ value }) => typeof value !== 'string' || IS_UPDATE.test(value));
  const chosen = updates.length > 0 ? updates : candidates.filter(({ isNamed }) => isNamed);
  return chosen.map(({ value }) => (typeof value === 'string' ? inspectBlob(value) : inspectBytes(value)));
}

/** The JSON form of `Uint8Array` or Node's `Buffer`. */
function isByteList(list: readonly unknown[]): list is number[] {
  const isByte = (item: unknown) =>
    typeof item === 'number' && Number.isInteger(item) && item >= 0 && item < 256;
  return list.length >= 8 && list.every(isByte);
}

/** Recognised by their first bytes. The pattern is so long that nothing else matches. */
const UPDATES_WITHIN = /504e4155[0-9a-f]{400,}|UE5BV[\w+/-]{250,}={0,2}/gi;

/** Accepts hex, base64 or a data URL, alone or within any JSON or other text, such as a line of a log. */
export function inspectText(text: string): Inspection {
  const whole = inspectWhole(text);
  if (text.length > MAX_TEXT || whole.payloads.some(({ kind }) => kind !== 'unreadable')) return whole;
  const updates = visibleText(text).match(UPDATES_WITHIN) ?? [];
  if (updates.length === 0) return whole;
  const answer = inspectAnswer(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  if (answer.ok) return answer.value;
  return {
    payloads: updates.slice(0, MAX_PAYLOADS).map(inspectBlob),
    unreadableParsed: 0,
    leftOut: Math.max(0, updates.length - MAX_PAYLOADS),
  };
}

function inspectWhole(text: string): Inspection {
  if (text.length > MAX_TEXT) return singlePayload(inspectBlob(text));
  const bare = visibleText(text).replace(/^\s*(?:data:(?=\s*[{["]))?\s*/, '');
  if (!/^[{[]/.test(bare)) return singlePayload(inspectBlob(text));
  const answer = inspectAnswer(bare);
  if (answer.ok) return answer.value;
  const json = tryParseJson(trimEndWhere(bare, (character) => /[\s,;]/.test(character)));
  // A list as command lines print it, without quotes.
  if (json === undefined && bare.startsWith('[')) return singlePayload(inspectBlob(text));
  const payloads = payloadsWithin(json);
  if (payloads.length === 0) return singlePayload(unreadable(answer.failure.detail));
  return {
    payloads: payloads.slice(0, MAX_PAYLOADS),
    unreadableParsed: 0,
    leftOut: Math.max(0, payloads.length - MAX_PAYLOADS),
  };
}

/** Accepts the bytes of an update, or text in any of the forms above. */
export function inspectFile(bytes: Uint8Array): Inspection {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, MAX_TEXT + 1));
    // Only the binary update begins like this.
    return text.startsWith('PNAU\u0001') ? singlePayload(inspectBytes(bytes)) : inspectText(text);
  } catch {
    return singlePayload(inspectBytes(bytes));
  }
}

/** Publish time of the first price in the payloads. */
export function publishSecond({ payloads }: Inspection): UnixSeconds | undefined {
  const updates = payloads.flatMap((payload) => (payload.kind === 'update' ? payload.updates : []));
  const [first] = updates.flatMap(({ message }) => (message.kind === 'price' ? [message.publishTimeS] : []));
  return first === undefined ? undefined : unixSeconds(Number(first));
}

/** Hex dump in rows of sixteen bytes, with ASCII (`.` for unprintable bytes): one row before and two after. */
export function hexAround(bytes: Uint8Array, place: number) {
  const position = Math.max(0, Math.min(place, bytes.length - 1));
  const first = Math.max(0, position - (position % 16) - 16);
  return [0, 16, 32, 48].flatMap((step) => {
    const offset = first + step;
    const row = bytes.subarray(offset, offset + 16);
    const hex = Array.from(row, (byte) => byte.toString(16).padStart(2, '0'));
    return row.length === 0
      ? []
      : { offset, hex, ascii: String.fromCharCode(...row).replaceAll(/[^ -~]/g, '.') };
  });
}
