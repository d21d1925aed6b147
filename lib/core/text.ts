/** Controls, zero-width characters, bidirectional marks, lone surrogates. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** Text from a service with its invisible characters made visible: U+202E becomes `⟨202E⟩`. */
function escapeInvisible(text: string): string {
  return text.replace(
    INVISIBLE,
    (character) => `⟨${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
}

/** At most `max` UTF-16 units of a text, then an ellipsis. A service may send a megabyte instead of a word. */
export function clipped(text: string, max: number): string {
  if (text.length <= max) return escapeInvisible(text);
  // A cut between the halves of a surrogate pair would show a broken character.
  const lastUnit = text.charCodeAt(max - 1);
  const cut = lastUnit >= 0xd800 && lastUnit <= 0xdbff ? max - 1 : max;
  return `${escapeInvisible(text.slice(0, cut))}…`;
}

/** `0x1234567890abcdef…` → `0x1234…cdef`. Text that is not a long hex value is clipped instead. */
export function shortenHex(hex: string): string {
  if (!/^0x[0-9a-fA-F]{16,128}$/.test(hex)) return clipped(hex, 14);
  return `${hex.slice(0, 6)}…${hex.slice(-4)}`;
}

/** Formula signs with their full-width, small, superscript and subscript forms, which NFKC all maps to the sign. */
const SIGN = '[=+\\-@⁼₌⩵⩶﹦＝⁺₊﬩﹢＋﹣－﹫＠]';
/** Characters that spreadsheets skip before a sign. */
const SKIPPED = '\\s\\p{Cc}\\p{Cf}';
/** Characters at which a program may split a cell: semicolons in some locales, and line breaks if it ignores quotes. */
const SEPARATOR = '[;\\t\\n\\v\\f\\r\\u0085\\u2028\\u2029]';
/**
 * Longest run of blanks that is scanned before a sign. After a longer run, the cell is escaped without looking for a
 * sign.
 */
const MAX_SCANNED = 256;

const DANGEROUS_BEGINNING = new RegExp(
  `^(?:[\\t\\n\\v\\f\\r]|[${SKIPPED}]{0,${MAX_SCANNED - 1}}${SIGN}|[${SKIPPED}]{${MAX_SCANNED}})`,
  'u',
);
const HAS_SEPARATOR = new RegExp(SEPARATOR);
/**
 * A field after a separator. Quotes are skipped too: a program that splits there reads them as field quotes, or as an
 * empty text before the sign.
 */
const AFTER_SEPARATOR = new RegExp(`${SEPARATOR}([;"${SKIPPED}]{0,${MAX_SCANNED}})(${SIGN}?)`, 'gu');

/**
 * Escapes a cell so that no spreadsheet runs it as a formula, wherever the program splits it. An apostrophe is put
 * before a cell that begins with a sign, a tab or a line break, and before each sign after a semicolon, a tab or a line
 * break; blanks, invisible characters and (within) double quotes may stand between. A signed number is escaped too,
 * because it looks like `-1+cmd…`. Other text is unchanged.
 */
export function escapeFormula(cell: string): string {
  const inside = HAS_SEPARATOR.test(cell) ? cell.replace(AFTER_SEPARATOR, escapeField) : cell;
  return DANGEROUS_BEGINNING.test(cell) ? `'${inside}` : inside;
}

function escapeField(field: string, skipped: string, sign: string): string {
  if (sign === '' && skipped.length < MAX_SCANNED) return field;
  return `${field.slice(0, field.length - sign.length)}'${sign}`;
}

/** A number as we write it: digits with an optional sign and decimal point. */
const NUMBER = /^-?\d+(\.\d+)?$/;

/** A CSV cell. Numbers stay as they are; other text is escaped. */
export function csvCell(text: string): string {
  const safe = NUMBER.test(text) ? text : escapeFormula(text);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Base URL for telling our own paths from other addresses. */
const PLACEHOLDER_ORIGIN = 'http://own.invalid';

/** The page to return to after signing in: a path of ours, or the overview. */
export function returnPath(path: string | undefined): string {
  if (path === undefined || !/^\/(?![/\\])/.test(path) || /[\\\p{Cc}]/u.test(path)) return '/';
  if (!URL.canParse(path, PLACEHOLDER_ORIGIN)) return '/';
  const { origin, pathname, search, hash } = new URL(path, PLACEHOLDER_ORIGIN);
  const isPage =
    origin === PLACEHOLDER_ORIGIN && !/^\/(sign-in|api)(\/|$)/.test(pathname) && !pathname.startsWith('//');
  return isPage ? pathname + search + hash : '/';
}

/** The sign-in page, which leads to `path` afterwards. */
export function signInPath(path: string): string {
  const next = returnPath(path);
  return next === '/' ? '/sign-in' : `/sign-in?${new URLSearchParams({ next })}`;
}

/** A problem with a URL parameter, to be shown. `used`: the value was applied nevertheless. */
export type UrlProblem = { param: string; value: string; message: string; used?: true };

/** Strips an ending in a loop. An expression such as `/0+$/` takes minutes for a megabyte of zeros. */
export function trimEndWhere(text: string, isEnding: (character: string) => boolean): string {
  let end = text.length;
  while (end > 0 && isEnding(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Parses JSON from an untrusted source, such as the browser's storage; undefined if it is invalid. */
export function tryParseJson(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
