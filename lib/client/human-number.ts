/** Groups the digits of a decimal integer of any length: `1234567` → `1,234,567`. Other text stays as it is. */
export function groupDigits(digits: string): string {
  return /^-?\d+$/.test(digits) ? digits.replace(/\B(?=(\d{3})+$)/g, ',') : digits;
}

/** `1,234 requests`, `1 request`: an exact count, given as decimal text, with its noun. */
export function countOf(digits: string, singular: string, plural: string): string {
  return `${groupDigits(digits)} ${digits === '1' ? singular : plural}`;
}
