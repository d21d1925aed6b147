import { withoutEnding } from './text';

/** What the search text of the log table is, and the form in which the service is asked for it. */
export type RecognisedQuery =
  | { kind: 'transaction' | 'address' | 'sequence'; canonical: string }
  | { kind: 'none'; reason: string }
  | { kind: 'empty' };

/** Sequence numbers are u64. */
const MAX_SEQUENCE = 2n ** 64n - 1n;

/** The invisible characters that come along when text is copied from a page. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** Blanks, quotation marks and the commas of a list or of JSON, at either end. */
const OPENING = /^[\s"'`“”„‘’«»,;]+/;
const isWrapping = (character: string) => OPENING.test(character);

/** A longer text is none of them; the bound keeps pasted megabytes away from the URL parser and from BigInt. */
const MAX_LENGTH = 4096;

/**
 * A 32-byte transaction hash, a 20-byte address or a sequence, as people paste them: in any case, without `0x`, in quotes,
 * with blanks inside, as a link to a block explorer, as `#17` or `1,234`. 64 and 40 digits are hex even when all are decimal.
 * @returns `canonical`: lower-case hex with `0x`, or decimal digits without leading zeros.
 */
export function recogniseQuery(text: string): RecognisedQuery {
  const visible = text.slice(0, MAX_LENGTH + 1).replace(INVISIBLE, '');
  const cleaned = withoutEnding(visible, isWrapping).replace(OPENING, '').toLowerCase();
  if (visible.trim() === '') return { kind: 'empty' };
  if (text.length > MAX_LENGTH) return none('Too long for a hash, address or sequence.');
  const solid = cleaned.replace(/\s/g, '');
  const url = explorerUrl(solid);
  if (url !== undefined) return inUrl(url);
  return hexOf(solid) ?? sequenceOf(cleaned) ?? none(whyNot(solid));
}

const none = (reason: string): RecognisedQuery => ({ kind: 'none', reason });

function hexOf(solid: string): RecognisedQuery | undefined {
  const hex = /^(?:0x)?([0-9a-f]+)$/.exec(solid)?.[1];
  if (hex?.length === 64) return { kind: 'transaction', canonical: `0x${hex}` };
  return hex?.length === 40 ? { kind: 'address', canonical: `0x${hex}` } : undefined;
}

/** Groups of three with the same separator between all of them. `1.234` is none: it may as well be a fraction. */
const GROUPED = /^\d{1,3}([,_'’ \u00a0\u2009\u202f])\d{3}(?:\1\d{3})*$/;

function sequenceOf(cleaned: string): RecognisedQuery | undefined {
  const number = cleaned.replace(/^#\s*/, '');
  const digits = GROUPED.test(number) ? number.replace(/\D/g, '') : number;
  if (!/^(?:0x[0-9a-f]+|\d+)$/.test(digits)) return undefined;
  const sequence = BigInt(digits);
  return sequence <= MAX_SEQUENCE ? { kind: 'sequence', canonical: sequence.toString() } : undefined;
}

function whyNot(solid: string): string {
  if (/^(?:0x)?[0-9a-f]+(?:…|\.{2,3})[0-9a-f]+$/.test(solid)) return 'Shortened: paste all digits.';
  if (/^(?:#?\d{20,}|0x[0-9a-f]{17,20})$/.test(solid)) return 'Too large for a sequence.';
  const digits = /^0x([0-9a-f]*)$/.exec(solid)?.[1] ?? /^[0-9a-f]{21,}$/.exec(solid)?.[0];
  if (digits === undefined) return 'Not a hash, address or sequence.';
  return `${digits.length} hex digits: an address has 40, a transaction 64.`;
}

/** The text as the address of a page; its `https://` may be missing, as browsers hide it. */
function explorerUrl(solid: string): URL | undefined {
  const text = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+\//.test(solid) ? `https://${solid}` : solid;
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text);
}

const TOKEN = /(?<![0-9a-z])(?:0x)?(?:[0-9a-f]{64}|[0-9a-f]{40})(?![0-9a-z])/g;
const NAMED_TOKEN =
  /(?<=\/(?:tx|transaction|txs|address|account)\/)(?:0x)?(?:[0-9a-f]{64}|[0-9a-f]{40})(?![0-9a-z])/g;

/** What the path or the fragment names as a transaction or an address, else the only thing in them that can be one. */
function inUrl({ pathname, hash }: URL): RecognisedQuery {
  const text = `${pathname}${hash}`;
  const named = text.match(NAMED_TOKEN) ?? [];
  const found = named.length > 0 ? named : (text.match(TOKEN) ?? []);
  const [first, ...more] = new Set(found.map((token) => token.replace(/^0x/, '')));
  if (first === undefined) return none('This link has no transaction or address.');
  if (more.length > 0) return none('This link has several: paste the one you want.');
  return hexOf(first) ?? none('This link has no transaction or address.');
}

/**
 * A call of the log service for a terminal; address and key come from the environment. The query is percent-encoded: of what
 * has a meaning in double quotes (`"`, `$`, backtick, `\`, `!`) nothing is left. @param query the service's own parameters
 */
export function logsCallAsCurl(query: URLSearchParams): string {
  const text = query.toString();
  const address = `$LOGS_URL/v1/logs${text === '' ? '' : `?${text}`}`;
  return `curl -H "Authorization: Bearer $LOGS_API_KEY" "${address}"`;
}
