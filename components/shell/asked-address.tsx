'use client';
import { usePathname } from 'next/navigation';
import { clipped } from '@/lib/core/text';

/** Path of the address that the browser asked for, as text. */
export function AskedAddress() {
  return <code className="foreign">{clipped(usePathname() ?? '', 200)}</code>;
}
