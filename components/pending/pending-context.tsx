'use client';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { clipped } from '@/lib/client/foreign-text';
import { useMomentWords, useSteadyWords } from '@/lib/client/time-style';
import { settingsFor, type TriageAnswer } from '@/lib/contract/codec/triage';
import { type DiagnosisSettings, USUAL_SETTINGS } from '@/lib/domain/diagnosis/diagnosis-settings';
import { type Network, unknownNetwork } from '@/lib/domain/network';

/** What the parts of the page know about networks and keepers. */
export type PendingPlace = {
  network: (networkId: string) => Network;
  /** The thresholds of a network. */
  settings: (networkId: string) => DiagnosisSettings;
  /** Keepers are named only where there are several. */
  several: 'yes' | undefined;
  /** Unix ms: when the server rendered. */
  renderedAtMs: number;
};

const PlaceContext = createContext<PendingPlace>({
  network: unknownNetwork,
  settings: () => USUAL_SETTINGS,
  several: undefined,
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
  /** Undefined before anything is known. */
  settings: TriageAnswer['settings'] | undefined;
  keepers: readonly string[];
  renderedAtMs: number;
  children: ReactNode;
}) {
  const place = useMemo((): PendingPlace => {
    const byId = new Map(networks.map((network) => [network.networkId, network]));
    return {
      network: (id) => byId.get(id) ?? unknownNetwork(id),
      settings: (id) => (settings === undefined ? USUAL_SETTINGS : settingsFor({ settings }, id)),
      several: keepers.length > 1 ? 'yes' : undefined,
      renderedAtMs,
    };
  }, [networks, settings, keepers, renderedAtMs]);
  return <PlaceContext value={place}>{children}</PlaceContext>;
}

export function usePendingPlace(): PendingPlace {
  return useContext(PlaceContext);
}

/** Names and moments for headlines: never ages, since they stand beside one that ticks. */
export function useIncidentText() {
  const { network } = usePendingPlace();
  const moment = useSteadyWords();
  return useMemo(() => ({ network: (id: string) => network(id).name, moment }), [network, moment]);
}

/** The name of a network; one that nobody knows by its id. */
export function NetworkName({ networkId }: { networkId: string }) {
  const { network } = usePendingPlace();
  return <bdi>{clipped(network(networkId).name, 60)}</bdi>;
}

/** A moment in the chosen style, with the whole of it on hover. */
export function MomentWords({ ms }: { ms: number }) {
  const words = useMomentWords();
  const steady = useSteadyWords();
  return (
    <time dateTime={new Date(ms).toISOString()} title={steady(ms)} className="num">
      {words(ms)}
    </time>
  );
}
