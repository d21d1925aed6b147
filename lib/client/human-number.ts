import { groupsOfThree } from '@/lib/core/digit-text';

/** Groups the digits of a decimal integer of any length: `1234567` → `1,234,567`. Other text stays as it is. */
export function groupDigits(digits: string): string {
  return /^-?\d+$/.test(digits) ? groupsOfThree(digits, ',') : digits;
}

/** `1,234 requests`, `1 request`: an exact count, given as decimal text, with its noun. */
export function countOf(digits: string, singular: string, plural: string): string {
  return `${groupDigits(digits)} ${digits === '1' ? singular : plural}`;
}

/** Beyond this many digits a number is an identity rather than an amount, and its commas only take room. */
const LONGEST_GROUPED = 15;

/** Like `groupDigits`, for a narrow column: a very long number stands there in plain digits, all of them. */
export function groupDigitsBriefly(digits: string): string {
  return digits.length > LONGEST_GROUPED ? digits : groupDigits(digits);
}
