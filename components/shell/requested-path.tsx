'use client';
import { usePathname } from 'next/navigation';
import { clipped } from '@/lib/core/text';

/** Path that the browser requested, as text. */
export function RequestedPath() {
  return <code className="foreign">{clipped(usePathname() ?? '', 200)}</code>;
}
