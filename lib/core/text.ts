/** Controls, zero-width characters, marks that turn the writing direction, halves of surrogate pairs. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** Text from a service with its invisible characters spelled out: U+202E becomes `⟨202E⟩`. */
export function escapeInvisible(text: string): string {
  return text.replace(
    INVISIBLE,
    (character) => `⟨${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
}

/** At most `max` UTF-16 units and an ellipsis: a service may send a megabyte where a word is due. */
export function clipped(text: string, max: number): string {
  if (text.length <= max) return escapeInvisible(text);
  // Not between the halves of a surrogate pair, which would show as a broken character.
  const lastUnit = text.charCodeAt(max - 1);
  const cut = lastUnit >= 0xd800 && lastUnit <= 0xdbff ? max - 1 : max;
  return `${escapeInvisible(text.slice(0, cut))}…`;
}

/** `0x1234567890abcdef…` → `0x1234…cdef`. Text that is not a long hex value is clipped instead. */
export function shortenHex(hex: string): string {
  if (!/^0x[0-9a-fA-F]{16,128}$/.test(hex)) return clipped(hex, 14);
  return `${hex.slice(0, 6)}…${hex.slice(-4)}`;
}

/** Formula signs, with their full-width, small, raised and lowered forms: what NFKC makes begin with one. */
const SIGN = '[=+\\-@⁼₌⩵⩶﹦＝⁺₊﬩﹢＋﹣－﹫＠]';
/** What spreadsheets skip, or show nothing for, before they look for a sign. */
const SKIPPED = '\\s\\p{Cc}\\p{Cf}';
/** Where a program may split a cell: at semicolons where lists have them, and at line breaks where it sees no quotes. */
const SEPARATOR = '[;\\t\\n\\v\\f\\r\\u0085\\u2028\\u2029]';
/** Long enough for any run of blanks before a sign, and bounded for megabytes of them: what stands after more is escapeFormula. */
const MAX_SCANNED = 256;

const DANGEROUS_BEGINNING = new RegExp(
  `^(?:[\\t\\n\\v\\f\\r]|[${SKIPPED}]{0,${MAX_SCANNED - 1}}${SIGN}|[${SKIPPED}]{${MAX_SCANNED}})`,
  'u',
);
const HAS_SEPARATOR = new RegExp(SEPARATOR);
/** Quotes too: for whoever splits there they are the quotes of a field, or an empty text before the sign. */
const AFTER_SEPARATOR = new RegExp(`${SEPARATOR}([;"${SKIPPED}]{0,${MAX_SCANNED}})(${SIGN}?)`, 'gu');

/**
 * A cell that no spreadsheet runs as a formula, wherever it splits it: an apostrophe stands before a cell that begins with a
 * sign, a tab or a line break, and before each sign after a semicolon, a tab or a line break; blanks, invisible characters
 * and (within) double quotes may stand between. A signed number is not told from `-1+cmd…`. Other text is unchanged.
 */
export function escapeFormula(cell: string): string {
  const inside = HAS_SEPARATOR.test(cell) ? cell.replace(AFTER_SEPARATOR, escapeField) : cell;
  return DANGEROUS_BEGINNING.test(cell) ? `'${inside}` : inside;
}

function escapeField(field: string, skipped: string, sign: string): string {
  if (sign === '' && skipped.length < MAX_SCANNED) return field;
  return `${field.slice(0, field.length - sign.length)}'${sign}`;
}

/** Digits with sign and point, as we write them ourselves. */
const NUMBER = /^-?\d+(\.\d+)?$/;

/** A cell of a CSV that a page writes itself. Numbers stand as they are, all other text is escapeFormula. */
export function csvCell(text: string): string {
  const safe = NUMBER.test(text) ? text : escapeFormula(text);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Only to tell our own paths from addresses elsewhere. */
const PLACEHOLDER_ORIGIN = 'http://own.invalid';

/** Where somebody wanted to be before signing in: a path of a page of ours, else the overview. */
export function returnPath(asked: string | undefined): string {
  if (asked === undefined || !/^\/(?![/\\])/.test(asked) || /[\\\p{Cc}]/u.test(asked)) return '/';
  if (!URL.canParse(asked, PLACEHOLDER_ORIGIN)) return '/';
  const { origin, pathname, search, hash } = new URL(asked, PLACEHOLDER_ORIGIN);
  const isPage =
    origin === PLACEHOLDER_ORIGIN && !/^\/(sign-in|api)(\/|$)/.test(pathname) && !pathname.startsWith('//');
  return isPage ? pathname + search + hash : '/';
}

/** The page that asks for the password, and afterwards leads to `path`. */
export function signInPath(path: string): string {
  const next = returnPath(path);
  return next === '/' ? '/sign-in' : `/sign-in?${new URLSearchParams({ next })}`;
}

/** Something of the URL that is wrong, to be shown. `used` where it was read and asked for all the same. */
export type UrlProblem = { param: string; value: string; message: string; used?: true };

/** A loop: an expression tied to the end of a text, such as `/0+$/`, takes minutes for a megabyte of zeros. */
export function withoutEnding(text: string, isEnding: (character: string) => boolean): string {
  let end = text.length;
  while (end > 0 && isEnding(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** The JSON of a text that anything may have written, such as the browser's storage; undefined for none. */
export function tryParseJson(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
