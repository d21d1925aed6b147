import 'server-only';
import type { Chain } from 'viem';
import { isExplorerTemplate, type Network, unknownNetwork } from '@/lib/core/network';
import { builtInNetwork, builtInNetworks } from '@/lib/core/registry';
import { triageOf } from '@/lib/pending/server/triage';
import { currentSettings } from './current-settings';
import type { NetworkSettings, NetworkSettingsById } from './network-settings';
import { servedChains } from './served-chains';
import { startedServices } from './services';

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
 * then the library's chains, then what the keepers call it; an id that nobody knows is shown as it is, with `known: false`.
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
    const base = network.known ? network : (others?.get(networkId) ?? servedNetwork(networkId));
    return withSettings(base, settings[networkId]);
  });
}

/**
 * The networks to choose from, by name: those with rows in the index, and those that the keepers say they serve. Before
 * anything is known, the built-in ones and those of the operator's file.
 */
export async function offeredNetworks(): Promise<Network[]> {
  const known = [...(await networksWithRows()), ...servedChains().map(({ networkId }) => networkId)];
  const settings = currentSettings().networks;
  const usual = () => [...builtInNetworks().map(({ networkId }) => networkId), ...Object.keys(settings)];
  const ids = new Set(known.length === 0 ? usual() : known);
  return (await networksFor([...ids], settings)).sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** As the page of pending requests has counted them last. */
async function networksWithRows(): Promise<string[]> {
  const index = startedServices()?.index;
  if (index === undefined) return [];
  const { keepers } = await triageOf(index).recent();
  return keepers.flatMap(({ counts }) => counts.map(({ networkId }) => networkId));
}

/** A network by the name that a keeper has for it, or by its id. */
function servedNetwork(networkId: string): Network {
  const name = servedChains().find((chain) => chain.networkId === networkId)?.name;
  return name ? { ...unknownNetwork(networkId), name, known: true } : unknownNetwork(networkId);
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
