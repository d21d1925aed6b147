'use client';
import { Stack } from '@mantine/core';
import { createContext, type ReactNode, type SyntheticEvent, useContext, useState } from 'react';
import type { ByteRange } from '@/lib/prices/payload/byte-ranges';
import classes from './payload.module.css';

type Marked = ByteRange & { isInBytes: boolean };

const MarkedBytes = createContext<Marked | undefined>(undefined);

/** The bytes under the pointer or with the focus, in the table or in the hex. */
export const useMarkedBytes = () => useContext(MarkedBytes);

/** A value or bytes that are pointed at within `children` mark their `Bytes`, and all others of the same range. */
export function ByteMarks({ children }: { children: ReactNode }) {
  const [marked, mark] = useState<Marked>();
  const follow = ({ target }: SyntheticEvent) => {
    const next = rangeUnder(target as Element);
    mark((now) => (now?.from === next?.from && now?.to === next?.to ? now : next));
  };
  return (
    <MarkedBytes value={marked}>
      <Stack
        gap="sm"
        className={classes.marks}
        onPointerOver={follow}
        onPointerLeave={() => mark(undefined)}
        onFocus={follow}
        onBlur={() => mark(undefined)}
      >
        {children}
      </Stack>
    </MarkedBytes>
  );
}

/** The range of the hex at the pointer, else of the row of a table or list. */
function rangeUnder(target: Element): Marked | undefined {
  const row = target.closest('tr, dl > div');
  const element =
    target.closest<HTMLElement>('[data-from]') ?? row?.querySelector<HTMLElement>('[data-from]');
  if (element == null) return undefined;
  const { from, to } = element.dataset;
  return { from: Number(from), to: Number(to), isInBytes: element.closest('pre') !== null };
}

type BytesProps = Partial<ByteRange> & {
  className?: string | undefined;
  /** Reached by Tab, for rows without a control. */
  isFocusable?: boolean;
  part?: number;
  title?: string;
  children: ReactNode;
};

/** Text that stands for bytes of the payload. `data-marked` while they are pointed at, here or elsewhere. */
export function Bytes({ from, to, className, isFocusable, part, title, children }: BytesProps) {
  const marked = useMarkedBytes();
  const isMarked =
    marked !== undefined && from !== undefined && to !== undefined && from < marked.to && marked.from < to;
  return (
    <span
      className={className}
      title={title}
      data-from={from}
      data-to={to}
      data-part={part}
      data-marked={isMarked ? '' : undefined}
      {...(isFocusable ? { tabIndex: 0 } : {})}
    >
      {children}
    </span>
  );
}
