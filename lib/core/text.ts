/** Controls, zero-width characters, bidirectional marks, lone surrogates. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** U+202E becomes `⟨202E⟩`. */
function escapeInvisible(text: string): string {
  return text.replace(
    INVISIBLE,
    (character) => `⟨${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
}

/** The first `max` UTF-16 units, then an ellipsis. A service may send a megabyte instead of a word. */
export function clipped(text: string, max: number): string {
  if (text.length <= max) return escapeInvisible(text);
  // Half a surrogate pair would be shown as a broken character.
  const lastUnit = text.charCodeAt(max - 1);
  const cut = lastUnit >= 0xd800 && lastUnit <= 0xdbff ? max - 1 : max;
  return `${escapeInvisible(text.slice(0, cut))}…`;
}

/** `0x1234567890abcdef…` → `0x1234…cdef`. Other text is clipped. */
export function shortenHex(hex: string): string {
  if (!/^0x[0-9a-fA-F]{16,128}$/.test(hex)) return clipped(hex, 14);
  return `${hex.slice(0, 6)}…${hex.slice(-4)}`;
}

/** Formula signs and the full-width, small, superscript and subscript forms that NFKC maps to them. */
const SIGN = '[=+\\-@⁼₌⩵⩶﹦＝⁺₊﬩﹢＋﹣－﹫＠]';
/** Characters that spreadsheets skip before a sign. */
const SKIPPED = '\\s\\p{Cc}\\p{Cf}';
/** Places where a program may split a cell: semicolons in some locales, line breaks if it ignores quotes. */
const SEPARATOR = '[;\\t\\n\\v\\f\\r\\u0085\\u2028\\u2029]';
/** Blanks scanned before a sign. After a longer run, the cell is escaped anyway. */
const MAX_SCANNED = 256;

const DANGEROUS_BEGINNING = new RegExp(
  `^(?:[\\t\\n\\v\\f\\r]|[${SKIPPED}]{0,${MAX_SCANNED - 1}}${SIGN}|[${SKIPPED}]{${MAX_SCANNED}})`,
  'u',
);
const HAS_SEPARATOR = new RegExp(SEPARATOR);
/** Quotes are skipped too: a program that splits there reads them as field quotes or as an empty text. */
const AFTER_SEPARATOR = new RegExp(`${SEPARATOR}([;"${SKIPPED}]{0,${MAX_SCANNED}})(${SIGN}?)`, 'gu');

/**
 * Escapes a cell so that no spreadsheet runs it as a formula, wherever the program splits it: an apostrophe is put
 * before a sign, a tab or a line break at the beginning, and before each sign after a separator, also behind blanks,
 * invisible characters and (within) double quotes. A signed number is escaped too, because it looks like `-1+cmd…`.
 */
export function escapeFormula(cell: string): string {
  const inside = HAS_SEPARATOR.test(cell) ? cell.replace(AFTER_SEPARATOR, escapeField) : cell;
  return DANGEROUS_BEGINNING.test(cell) ? `'${inside}` : inside;
}

function escapeField(field: string, skipped: string, sign: string): string {
  if (sign === '' && skipped.length < MAX_SCANNED) return field;
  return `${field.slice(0, field.length - sign.length)}'${sign}`;
}

const NUMBER = /^-?\d+(\.\d+)?$/;

/** Numbers, as we write them, are not escaped. */
export function csvCell(text: string): string {
  const safe = NUMBER.test(text) ? text : escapeFormula(text);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const PLACEHOLDER_ORIGIN = 'http://own.invalid';

/** A path of ours, or the overview. */
export function returnPath(path: string | undefined): string {
  if (path === undefined || !/^\/(?![/\\])/.test(path) || /[\\\p{Cc}]/u.test(path)) return '/';
  if (!URL.canParse(path, PLACEHOLDER_ORIGIN)) return '/';
  const { origin, pathname, search, hash } = new URL(path, PLACEHOLDER_ORIGIN);
  const isPage =
    origin === PLACEHOLDER_ORIGIN && !/^\/(sign-in|api)(\/|$)/.test(pathname) && !pathname.startsWith('//');
  return isPage ? pathname + search + hash : '/';
}

/** Leads to `path` after signing in. */
export function signInPath(path: string): string {
  const next = returnPath(path);
  return next === '/' ? '/sign-in' : `/sign-in?${new URLSearchParams({ next })}`;
}

/** `used`: the value was applied nevertheless. */
export type UrlProblem = { param: string; value: string; message: string; used?: true };

/** An expression such as `/0+$/` would take minutes for a megabyte of zeros. */
export function trimEndWhere(text: string, isEnding: (character: string) => boolean): string {
  let end = text.length;
  while (end > 0 && isEnding(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** The value of a JSON text from an untrusted source, such as the browser's storage; undefined if it is invalid. */
export function tryParseJson(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
