'use client';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { useTicking } from '@/components/ui/clock';
import { useMomentWords } from '@/components/ui/time-style';
import type { Target } from '@/lib/alerts/acknowledge';
import { type Network, unknownNetwork } from '@/lib/core/network';
import { clipped } from '@/lib/core/text';
import { formatAge } from '@/lib/core/time';
import type { Incident, Single, TriageAnswer } from '@/lib/pending/answers';

/** What the parts of the page know. */
type PendingPlace = {
  network: (networkId: string) => Network;
  settings: TriageAnswer['settings'] | undefined;
  /** Keepers are named only where there are several. */
  hasSeveralKeepers: boolean;
  /** Unix ms: when the server rendered. */
  renderedAtMs: number;
};

const PlaceContext = createContext<PendingPlace>({
  network: unknownNetwork,
  settings: undefined,
  hasSeveralKeepers: false,
  renderedAtMs: 0,
});

export function PendingPlaceProvider({
  networks,
  settings,
  keepers,
  renderedAtMs,
  children,
}: {
  networks: readonly Network[];
  keepers: readonly string[];
  children: ReactNode;
} & Pick<PendingPlace, 'settings' | 'renderedAtMs'>) {
  const place = useMemo((): PendingPlace => {
    const byId = new Map(networks.map((network) => [network.networkId, network]));
    const network = (id: string) => byId.get(id) ?? unknownNetwork(id);
    return { network, settings, hasSeveralKeepers: keepers.length > 1, renderedAtMs };
  }, [networks, settings, keepers, renderedAtMs]);
  return <PlaceContext value={place}>{children}</PlaceContext>;
}

export function usePendingPlace(): PendingPlace {
  return useContext(PlaceContext);
}

export function NetworkName({ networkId }: { networkId: string }) {
  const { network } = usePendingPlace();
  return <bdi>{clipped(network(networkId).name, 60)}</bdi>;
}

/** How long ago, ticking. */
export function Age({ sinceMs }: { sinceMs: number }) {
  const { renderedAtMs } = usePendingPlace();
  const text = useTicking((nowMs) => formatAge(nowMs - sinceMs), renderedAtMs);
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
