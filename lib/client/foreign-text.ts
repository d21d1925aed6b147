import { clipped } from '@/lib/core/foreign-text';

export { clipped, spelledOut } from '@/lib/core/foreign-text';

/** `0x1234567890abcdef…` → `0x1234…cdef`. Text that is not a long hex value is clipped instead. */
export function shortened(hex: string): string {
  if (!/^0x[0-9a-fA-F]{16,128}$/.test(hex)) return clipped(hex, 14);
  return `${hex.slice(0, 6)}…${hex.slice(-4)}`;
}
