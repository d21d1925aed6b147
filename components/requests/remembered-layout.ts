'use client';
import { useState } from 'react';
import { keepCookie } from '@/components/ui/time-style-cookie';
import { layoutCookie } from '@/lib/requests/column-layout';
import type { ColumnLayout } from '@/lib/requests/columns';

/** The columns that this browser had last (`initial`, from the cookie that the server read), and how to keep others. */
export function useRememberedLayout(initial: ColumnLayout): [ColumnLayout, (layout: ColumnLayout) => void] {
  const [layout, setLayout] = useState(initial);
  const remember = (next: ColumnLayout) => {
    setLayout(next);
    keepCookie(document, layoutCookie(next));
  };
  return [layout, remember];
}
