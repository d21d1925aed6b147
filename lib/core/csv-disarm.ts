/** Formula signs, and with them their full-width, small, raised and lowered forms: what NFKC makes begin with one. */
const SIGN = '[=+\\-@⁼₌⩵⩶﹦＝⁺₊﬩﹢＋﹣－﹫＠]';
/** What spreadsheets skip, or show nothing for, before they look for a sign. */
const SKIPPED = '\\s\\p{Cc}\\p{Cf}';
/** Where a program may split a cell: at semicolons where lists have them, and at line breaks where it sees no quotes. */
const SEPARATOR = '[;\\t\\n\\v\\f\\r\\u0085\\u2028\\u2029]';
/** Long enough for any run of blanks that somebody would put before a sign, and bounded for megabytes of them. */
const LOOKED_AT = 256;
/**
 * A signed number runs nothing, but it is not told from `-1+cmd…` by its first sign, so it is disarmed as well; so is
 * whatever stands after more blanks than are looked at.
 */
const APOSTROPHE = "'";

const DANGEROUS_BEGINNING = new RegExp(`^(?:[\\t\\n\\v\\f\\r]|[${SKIPPED}]{0,${LOOKED_AT - 1}}${SIGN})`, 'u');
const ALL_SKIPPED = new RegExp(`^[${SKIPPED}]{${LOOKED_AT}}`, 'u');
const HAS_SEPARATOR = new RegExp(SEPARATOR);
/** Quotes too: for whoever splits there they are the quotes of a field, or an empty text before the sign. */
const AFTER_SEPARATOR = new RegExp(`${SEPARATOR}([;"${SKIPPED}]{0,${LOOKED_AT}})(${SIGN}?)`, 'gu');

/**
 * A cell that no spreadsheet runs as a formula, wherever it splits it. An apostrophe stands before a cell that begins with
 * `=`, `+`, `-`, `@` or a form of them, blanks and invisible characters before it or not, and before one that begins with
 * a tab or a line break. Within the cell, one stands right before each such sign that follows a semicolon, a tab or a
 * line break, blanks, invisible characters and double quotes between them or not: a spreadsheet that splits there knows
 * nothing of the quotes round the cell. Every other text is unchanged, the service's own apostrophes too.
 */
export function disarmed(cell: string): string {
  const isDangerous = DANGEROUS_BEGINNING.test(cell) || ALL_SKIPPED.test(cell);
  const inside = HAS_SEPARATOR.test(cell) ? cell.replace(AFTER_SEPARATOR, disarmedField) : cell;
  return isDangerous ? APOSTROPHE + inside : inside;
}

function disarmedField(field: string, skipped: string, sign: string): string {
  if (sign === '' && skipped.length < LOOKED_AT) return field;
  return field.slice(0, field.length - sign.length) + APOSTROPHE + sign;
}

/** Digits with sign and point, as we write them ourselves. */
const NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * A cell of a CSV that a page writes itself, in quotes where it needs them. Numbers stand as they are, a negative price
 * too: it runs nothing. Every other text is disarmed.
 */
export function csvCell(text: string): string {
  const safe = NUMBER.test(text) ? text : disarmed(text);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
