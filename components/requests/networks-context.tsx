'use client';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { type Network, unknownNetwork } from '@/lib/core/network';

const NetworksContext = createContext<ReadonlyMap<string, Network>>(new Map());

/** Gives the cells the names and explorers of networks, without building new columns when one more is known. */
export function NetworksProvider({
  networks,
  children,
}: {
  networks: readonly Network[];
  children: ReactNode;
}) {
  const byId = useMemo(() => new Map(networks.map((network) => [network.networkId, network])), [networks]);
  return <NetworksContext value={byId}>{children}</NetworksContext>;
}

/** All that are known here, by id. */
export function useNetworks(): ReadonlyMap<string, Network> {
  return useContext(NetworksContext);
}

/** The network of an id; an id that nobody knows is shown as it is. */
export function useNetwork(networkId: string): Network {
  return useNetworks().get(networkId) ?? unknownNetwork(networkId);
}
