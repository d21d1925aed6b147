'use client';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { type Network, unknownNetwork } from '@/lib/core/network';

const NetworksContext = createContext<ReadonlyMap<string, Network>>(new Map());

type Props = { networks: readonly Network[]; children: ReactNode };

export function NetworksProvider({ networks, children }: Props) {
  const byId = useMemo(() => new Map(networks.map((network) => [network.networkId, network])), [networks]);
  return <NetworksContext value={byId}>{children}</NetworksContext>;
}

export const useNetworks = (): ReadonlyMap<string, Network> => useContext(NetworksContext);

/** An unknown network is named by its id. */
export const useNetwork = (id: string): Network => useNetworks().get(id) ?? unknownNetwork(id);

export function useNetworkName(): (networkId: string) => string {
  const networks = useNetworks();
  return useMemo(() => (id) => (networks.get(id) ?? unknownNetwork(id)).name, [networks]);
}
