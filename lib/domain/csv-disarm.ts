/** Formula signs, and with NFKC also their full-width, small and raised forms. */
const FORMULA_SIGN = /^[=+\-@]/;
/** What spreadsheets skip, or show nothing for, before they look for a sign. */
const SKIPPED = /^[\s\p{Cc}\p{Cf}]+/u;
/** A signed number runs nothing, but it is not told from `-1+cmd…` by its first sign, so it is disarmed as well. */
const APOSTROPHE = "'";
/** Long enough for any run of blanks that somebody would put before a sign, and bounded for megabytes of them. */
const LOOKED_AT = 256;

/**
 * A cell that no spreadsheet runs as a formula: an apostrophe stands before one that begins with `=`, `+`, `-`, `@` or a
 * form of them, blanks and invisible characters before it or not, and before one that begins with a tab or a line break.
 * Every other cell is unchanged. An apostrophe of the service's own stays, so only a cell that begins with `'` and one
 * of these was changed.
 */
export function disarmed(cell: string): string {
  const first = cell.charCodeAt(0);
  // Digits and letters, nearly always.
  if (first > 0x2f && first < 0x3d) return cell;
  if ((first > 0x40 && first < 0x7f) || Number.isNaN(first)) return cell;
  if (/^[\t\r\n\v\f]/.test(cell)) return APOSTROPHE + cell;
  const start = cell.slice(0, LOOKED_AT).replace(SKIPPED, '').slice(0, 4).normalize('NFKC');
  const isAllSkipped = start === '' && cell.length > LOOKED_AT;
  return isAllSkipped || FORMULA_SIGN.test(start) ? APOSTROPHE + cell : cell;
}
