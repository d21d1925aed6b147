'use client';
import { createContext, useContext } from 'react';
import { useTicking } from '@/components/ui/clock';
import { useNetwork } from '@/components/ui/networks';
import { useMomentWords } from '@/components/ui/time-style';
import type { Target } from '@/lib/alerts/acknowledge';
import { clipped } from '@/lib/core/text';
import { formatAge } from '@/lib/core/time';
import type { Incident, Single, TriageAnswer } from '@/lib/pending/answers';

/** What the parts of the page know. */
type PendingPlace = {
  settings: TriageAnswer['settings'] | undefined;
  /** Keepers are named only where there are several. */
  hasSeveralKeepers: boolean;
};

const PlaceContext = createContext<PendingPlace>({
  settings: undefined,
  hasSeveralKeepers: false,
});

export const PendingPlaceProvider = PlaceContext.Provider;

export function usePendingPlace(): PendingPlace {
  return useContext(PlaceContext);
}

export function NetworkName({ networkId }: { networkId: string }) {
  return <bdi>{clipped(useNetwork(networkId).name, 60)}</bdi>;
}

/** How long ago, ticking. */
export function Age({ sinceMs }: { sinceMs: number }) {
  const text = useTicking((nowMs) => formatAge(nowMs - sinceMs));
  return <span className="num">{text}</span>;
}

/** A moment in words, as people chose to see times. */
export function MomentText({ ms }: { ms: number }) {
  const words = useMomentWords();
  return <time dateTime={new Date(ms).toISOString()}>{words(ms)}</time>;
}

/** An incident, or a stuck request that belongs to none. */
export type Case = {
  id: string;
  target: Target;
  /** `Base: 41 pending, 12 senders, since 10:42:00 UTC`, `Base: request 17`. */
  name: string;
  item: Incident | Single;
  incident?: Incident;
  single?: Single;
};
