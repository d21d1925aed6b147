'use client';
import { useCallback, useMemo } from 'react';
import { queryNow, useAddress } from './use-address';

/** What the address of the page of pending requests opens: an incident by its id, or a request by the key of its row. */
export type OpenCase = { incident: string | undefined; request: string | undefined };

/**
 * What is open stands in the address, so that a link shows it and Back closes it. Opening something closes what was open
 * before of its kind.
 */
export function useOpenCase(): OpenCase & {
  open: (kind: keyof OpenCase, id: string | undefined) => void;
} {
  const { query, show } = useAddress();
  const params = useMemo(() => new URLSearchParams(query), [query]);
  const open = useCallback(
    (kind: keyof OpenCase, id: string | undefined) => {
      const next = queryNow();
      if (id === undefined) next.delete(kind);
      else next.set(kind, id);
      const rest = next.size === 0 ? '' : `?${next}`;
      show(`${window.location.pathname}${rest}`, 'push');
    },
    [show],
  );
  return {
    incident: params.get('incident') ?? undefined,
    request: params.get('request') ?? undefined,
    open,
  };
}
