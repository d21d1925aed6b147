'use client';
import { useEffect, useEffectEvent, useState } from 'react';
import { fetchGatewayText } from '@/lib/core/gateway';
import { useValueOf } from './hooks';
import { fillPast, type PastState, type PastWanted } from './past';
import type { FeedStore } from './store';

const pastDeps = {
  get: fetchGatewayText,
  wait: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, Math.min(ms, 2 ** 31 - 1))),
};

/** Loads the past again after an interruption of the stream. */
export function usePast(store: FeedStore, wanted: PastWanted): PastState {
  const [state, setState] = useState<PastState>({ kind: 'waiting' });
  // Each moment of an unknown feed would cost a call.
  const idList = useValueOf(store, () =>
    wanted.ids.filter((id) => store.feed(id).status === 'known').join(','),
  );
  const gaps = useValueOf(store, () => store.stream().gaps);
  const key = JSON.stringify([idList, wanted.spanMs, wanted.toMs, gaps]);
  const fill = useEffectEvent((signal: AbortSignal) =>
    fillPast(store, { ...wanted, ids: idList.split(',') }, pastDeps, signal, setState),
  );
  useEffect(() => {
    if (key.startsWith('[""')) return;
    const gone = new AbortController();
    fill(gone.signal).catch((error: unknown) => {
      if (!gone.signal.aborted) throw error;
    });
    return () => gone.abort();
  }, [key]);
  return state;
}
