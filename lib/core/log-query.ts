import { stripWrapping, visibleText } from './pasted';

/** `canonical` has the form in which the service is queried. */
export type RecognisedQuery =
  | { kind: 'transaction' | 'address' | 'sequence'; canonical: string }
  | { kind: 'none'; reason: string }
  | { kind: 'empty' };

/** u64. */
const MAX_SEQUENCE = 2n ** 64n - 1n;

/** Keeps pasted megabytes away from the URL parser and BigInt. */
const MAX_LENGTH = 4096;

/**
 * Recognises a 32-byte hash, a 20-byte address or a sequence number, as pasted from a chat, a log or a page: any case,
 * without `0x`, wrapped, with spaces inside, after a label (`tx: 0x…`, `seq 1,234`, `#17`), in a link or a log line.
 * 64 or 40 digits are hex even if all are decimal. `canonical` is lower-case hex with `0x`, or decimal digits without
 * leading zeros.
 */
export function recogniseQuery(text: string): RecognisedQuery {
  const visible = visibleText(text.slice(0, MAX_LENGTH + 1));
  if (visible.trim() === '') return { kind: 'empty' };
  if (text.length > MAX_LENGTH) return none('Too long for a hash, address or sequence.');
  // PostgreSQL writes bytes as `\x12ab`.
  const cleaned = stripWrapping(visible.replace(/\\x(?=[0-9a-f])/gi, '0x')).toLowerCase();
  // A request page of this dashboard becomes a link.
  const compact = cleaned.replace(/\s/g, '').replace(/^\/?(?=requests\/\d+\/\d)/, 'https://localhost/');
  const url = explorerUrl(compact);
  return (
    (url && queryInUrl(url)) ??
    hexOf(compact) ??
    sequenceOf(cleaned) ??
    hexOf(compact.replace(HEX_LABEL, '')) ??
    queryInWords(cleaned) ??
    none(reasonNotRecognised(compact))
  );
}

const none = (reason: string): RecognisedQuery => ({ kind: 'none', reason });

function hexOf(compact: string): RecognisedQuery | undefined {
  const hex = /^(?:0x)?([0-9a-f]+)$/.exec(compact)?.[1];
  if (hex?.length === 64) return { kind: 'transaction', canonical: `0x${hex}` };
  return hex?.length === 40 ? { kind: 'address', canonical: `0x${hex}` } : undefined;
}

/** One separator throughout. `1.234` does not match, because it could also be a fraction. */
const GROUPED = /^\d{1,3}([,_'’ \u00a0\u2009\u202f])\d{3}(?:\1\d{3})*$/;

/** `#`, `seq`, `sequence number:`, `"sequence":`, `request no.` */
const SEQUENCE_LABEL =
  /^(?:request|callback)?[\s_]{0,3}(?:(?:sequence|seq|nonce|number|no|nr)[\s_-]{0,3}(?:number|no|nr|id)?)?["'`]?\.?[\s:=#№]{0,6}["'`]?(?=\d|0x)/;
/** `tx:`, `transaction hash =`, `"request_tx_hash":` before hex; blanks are already removed. */
const HEX_LABEL = /^[a-z_.-]{1,40}["'`]?[:=#]+["'`]?(?=0x)/;

function sequenceOf(cleaned: string): RecognisedQuery | undefined {
  // JavaScript writes a big integer as `17n`.
  const number = stripWrapping(cleaned.replace(SEQUENCE_LABEL, '')).replace(/^(\d+)n$/, '$1');
  const digits = GROUPED.test(number) ? number.replace(/\D/g, '') : number;
  if (!/^(?:0x[0-9a-f]+|\d+)$/.test(digits)) return undefined;
  const sequence = BigInt(digits);
  return sequence <= MAX_SEQUENCE ? { kind: 'sequence', canonical: sequence.toString() } : undefined;
}

function reasonNotRecognised(compact: string): string {
  if (/^(?:0x)?[0-9a-f]+(?:…|\.{2,3})[0-9a-f]*$/.test(compact)) return 'Shortened: paste all digits.';
  if (/^(?:#?\d{20,}|0x[0-9a-f]{17,20})$/.test(compact)) return 'Too large for a sequence.';
  const digits = /^0x([0-9a-f]*)$/.exec(compact)?.[1] ?? /^[0-9a-f]{21,}$/.exec(compact)?.[0];
  if (digits === undefined) return 'Not a hash, address or sequence.';
  return `${digits.length} hex digits: an address has 40, a transaction 64.`;
}

/** The `https://` of an address may be missing, because browsers hide it. */
function explorerUrl(compact: string): URL | undefined {
  const text = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+\//.test(compact) ? `https://${compact}` : compact;
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text);
}

const TOKEN = /(?<![0-9a-z])(?:0x)?(?:[0-9a-f]{64}|[0-9a-f]{40})(?![0-9a-z])/g;
const NAMED_TOKEN =
  /(?<=\/(?:tx|transaction|txs|address|account)\/)(?:0x)?(?:[0-9a-f]{64}|[0-9a-f]{40})(?![0-9a-z])/g;
/** `tx=0x…`, `"request_tx_hash":"0x…"` */
const LABELLED_TRANSACTION =
  /(?<=(?:tx|txn|transaction|hash)(?:[ _-]?(?:hash|id))?["'`]? ?[:=]? ?["'`<]?)(?:0x)?[0-9a-f]{64}(?![0-9a-z])/g;
const LABELLED_SEQUENCE =
  /(?<![a-z])(?:sequence|seq)(?:[ _-]?number)?["'`]? ?[:=#]? ?["'`]?(\d{1,20})(?![\d.])/g;

const distinct = (tokens: readonly string[]) => [...new Set(tokens.map((token) => token.replace(/^0x/, '')))];

/** Named by the path or fragment, or the only id in the link. */
function queryInUrl({ pathname, hash, searchParams }: URL): RecognisedQuery {
  // A request page of this dashboard.
  const request = /\/requests\/\d+\/(\d+)\/?$/.exec(pathname)?.[1];
  if (request !== undefined) return sequenceOf(request) ?? none('Too large for a sequence.');
  const text = `${pathname}${hash}`;
  const sought = [...searchParams.values()].join(' ');
  const places = [text.match(NAMED_TOKEN), text.match(TOKEN), sought.match(TOKEN)];
  return (
    onlyToken(places.find((place) => place !== null) ?? [], 'link') ??
    none('This link has no transaction or address.')
  );
}

/** A query within words: by its label, or the only id. Links are read as links. */
function queryInWords(words: string): RecognisedQuery | undefined {
  // A long run of blanks can be matched in many ways, which takes seconds for thousands of them.
  const text = words.replace(/\s+/g, ' ');
  const links = (text.match(/https?:\/\/[^\s<>|)\]"'`]+/g) ?? []).filter((link) => URL.canParse(link));
  const linked = links.map((link) => queryInUrl(new URL(link))).find((query) => 'canonical' in query);
  if (linked !== undefined) return linked;
  const labelled = distinct(text.match(LABELLED_TRANSACTION) ?? []);
  const tokens = labelled.length === 1 ? labelled : (text.match(TOKEN) ?? []);
  if (tokens.length > 0) return onlyToken(tokens, 'text');
  const sequences = [...text.matchAll(LABELLED_SEQUENCE)].map(([, digits = '']) => digits);
  return new Set(sequences).size === 1 ? sequenceOf(sequences[0] ?? '') : undefined;
}

function onlyToken(tokens: readonly string[], where: 'link' | 'text'): RecognisedQuery | undefined {
  const [first, ...more] = distinct(tokens);
  if (more.length > 0) return none(`This ${where} has several: paste the one you want.`);
  return first === undefined ? undefined : hexOf(first);
}

/**
 * Address and key come from the environment. The percent-encoded query has no character with a meaning within double
 * quotes (`"`, `$`, backtick, `\`, `!`). @param query the service's own parameters
 */
export function logsCallAsCurl(query: URLSearchParams): string {
  const text = query.toString();
  const address = `$LOGS_URL/v1/logs${text === '' ? '' : `?${text}`}`;
  return `curl -H "Authorization: Bearer $LOGS_API_KEY" "${address}"`;
}
