import type { ScaledInteger } from './scaled-number';

/** More than any price has; a longer text is no number that somebody typed. */
const LONGEST = 60;
const PLAIN = /^([+-]?)(\d*)(?:\.(\d*))?$/;
/** `65,000.5`: commas only where groups of three need them, since `1,5` may mean one and a half. */
const GROUPED = /^[+-]?\d{1,3}(,\d{3})+(\.\d*)?$/;

/**
 * A decimal number as people type it, exactly: `-0.005`, `.5`, `65,000`, blanks and underscores between digits. Undefined for
 * anything else, exponents too.
 */
export function parseDecimal(text: string): ScaledInteger | undefined {
  const blank = text
    .trim()
    .replaceAll(/(?<=\d)[\s_](?=\d)/g, '')
    .replace('−', '-');
  const bare = GROUPED.test(blank) ? blank.replaceAll(',', '') : blank;
  const match = bare.length > LONGEST ? null : PLAIN.exec(bare);
  if (match === null) return undefined;
  const [, sign, whole = '', decimals = ''] = match;
  if (whole === '' && decimals === '') return undefined;
  const size = BigInt(whole + decimals);
  return { mantissa: sign === '-' ? -size : size, expo: decimals.length === 0 ? 0 : -decimals.length };
}
