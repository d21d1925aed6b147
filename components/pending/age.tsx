'use client';
import { useTicking } from '@/lib/client/clock';
import { formatAge } from '@/lib/client/human-time';
import { usePendingPlace } from './pending-context';

/** How long ago, ticking. */
export function Age({ sinceMs }: { sinceMs: number }) {
  const { renderedAtMs } = usePendingPlace();
  const text = useTicking((nowMs) => formatAge(nowMs - sinceMs), renderedAtMs);
  return <span className="num">{text}</span>;
}

/** The same in milliseconds and in words, for what draws it. */
export function useAge(sinceMs: number): { ms: number; text: string } {
  const { renderedAtMs } = usePendingPlace();
  const ms = useTicking((nowMs) => Math.max(0, nowMs - sinceMs), renderedAtMs);
  return { ms, text: formatAge(ms) };
}
