import 'server-only';
import type { Chain } from 'viem';
import { isExplorerTemplate, type Network, unknownNetwork } from '@/lib/domain/network';
import { builtInNetwork, builtInNetworks } from '@/lib/domain/network-registry';
import { currentSettings } from './current-settings';
import type { NetworkSettings, NetworkSettingsById } from './network-settings';

/** Where to look for a network that our own registry does not have: all chains by id. */
export type ChainLookup = () => Promise<ReadonlyMap<string, Network>>;

let chains: Promise<ReadonlyMap<string, Network>> | undefined;

/** The library's chains take half a second and 50 MB to load, so they wait for the first id that needs them. */
const libraryChains: ChainLookup = () => {
  chains ??= import('viem/chains').then((all) => chainsById(Object.values(all)));
  return chains;
};

/**
 * The networks of these ids, in their order: the operator's file first, then the networks with a randomness contract,
 * then the library's chains; an id that nobody knows is shown as it is, with `known: false`.
 * @param ids decimal digits
 */
export async function networksFor(
  ids: readonly string[],
  settings: NetworkSettingsById = currentSettings().networks,
  lookup: ChainLookup = libraryChains,
): Promise<Network[]> {
  const found = ids.map(builtInNetwork);
  const others = found.some(({ known }) => !known) ? await lookup() : undefined;
  return found.map((network) => {
    const { networkId } = network;
    const base = network.known ? network : (others?.get(networkId) ?? unknownNetwork(networkId));
    return withSettings(base, settings[networkId]);
  });
}

/** The networks to choose from before any row has come: the built-in ones and those of the operator's file. */
export async function offeredNetworks(
  settings: NetworkSettingsById = currentSettings().networks,
): Promise<Network[]> {
  const ids = new Set([...builtInNetworks().map(({ networkId }) => networkId), ...Object.keys(settings)]);
  return (await networksFor([...ids], settings)).sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

function withSettings(network: Network, settings: NetworkSettings | undefined): Network {
  if (settings === undefined) return network;
  const { thresholds: _ours, ...names } = settings;
  return { ...network, ...names, known: network.known || names.name !== undefined };
}

/** Chains of the library as networks. An id that several chains claim goes to the first one. */
export function chainsById(chainsOfLibrary: readonly Chain[]): ReadonlyMap<string, Network> {
  const byId = new Map<string, Network>();
  for (const chain of chainsOfLibrary) {
    const networkId = String(chain.id);
    if (!byId.has(networkId)) byId.set(networkId, networkOf(chain, networkId));
  }
  return byId;
}

/** Explorers of one make share their paths: /tx/ and /address/. A URL with a query belongs to another make. */
function networkOf(chain: Chain, networkId: string): Network {
  const url = chain.blockExplorers?.default.url.replace(/\/+$/, '') ?? '';
  const plain = /^https:\/\/[^\s?#{}]+$/.test(url);
  const explorerTx = `${url}/tx/{hash}`;
  const explorerAddress = `${url}/address/{address}`;
  return {
    networkId,
    name: chain.name,
    testnet: chain.testnet,
    ...(plain && isExplorerTemplate(explorerTx, '{hash}') ? { explorerTx } : {}),
    ...(plain && isExplorerTemplate(explorerAddress, '{address}') ? { explorerAddress } : {}),
    known: true,
  };
}
