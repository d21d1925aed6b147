'use client';
import { useState } from 'react';
import type { ListedRow } from '@/lib/requests/requests-response';

/** `keys` is undefined outside of selection mode. */
export type Selection = {
  keys: ReadonlySet<string> | undefined;
  start: () => void;
  end: () => void;
  /** `isRange` selects all rows since the last toggled one. Enters selection mode. */
  toggle: (index: number, isRange: boolean) => void;
};

/** Another `viewKey` begins without a selection. */
export function useSelection(rows: readonly ListedRow[], viewKey: string): Selection {
  const [chosen, choose] = useState<{
    viewKey: string;
    keys: ReadonlySet<string>;
    anchor: string | undefined;
  }>();
  const selection =
    chosen?.viewKey === viewKey ? chosen : chosen && { viewKey, keys: NONE, anchor: undefined };
  return {
    keys: selection?.keys,
    start: () => choose({ viewKey, keys: NONE, anchor: undefined }),
    end: () => choose(undefined),
    toggle: (index, isRange) => {
      const { keys = NONE, anchor } = selection ?? {};
      const key = rows[index]?.key;
      if (key === undefined) return;
      const anchorIndex = isRange ? rows.findIndex((row) => row.key === anchor) : -1;
      const next = new Set(keys);
      if (anchorIndex >= 0) {
        for (const row of rows.slice(Math.min(anchorIndex, index), Math.max(anchorIndex, index) + 1))
          next.add(row.key);
      } else if (!next.delete(key)) next.add(key);
      choose({ viewKey, keys: next, anchor: key });
    },
  };
}

const NONE: ReadonlySet<string> = new Set();
