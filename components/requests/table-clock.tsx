'use client';
import { createContext, type ReactNode, useContext } from 'react';
import { useNow } from '@/components/ui/clock';

const RenderedAt = createContext(0);

/** Tells the cells when the server rendered, so that the first pass in the browser comes out the same. */
export function TableClockProvider({
  renderedAtMs,
  children,
}: {
  renderedAtMs: number;
  children: ReactNode;
}) {
  return <RenderedAt value={renderedAtMs}>{children}</RenderedAt>;
}

/** The time, unix milliseconds, once a second. */
export function useTableClock(): number {
  return useNow(useContext(RenderedAt));
}
