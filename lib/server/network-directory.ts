import 'server-only';
import type { Chain } from 'viem';
import { isExplorerTemplate, type Network } from '@/lib/core/network';
import { problem } from '@/lib/core/problem';
import { builtInNetwork } from '@/lib/core/registry';
import { triageOf } from '@/lib/pending/server/triage';
import type { NetworkSettings, NetworkSettingsById } from './network-settings';
import { jsonReply, problemReply } from './reply';
import { startedServices } from './services';
import { currentSettings } from './settings';

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
    const base = network.known ? network : (others?.get(networkId) ?? network);
    return withSettings(base, settings[networkId]);
  });
}

/**
 * The networks to choose from, by name: those with rows in the index; none before anything is known.
 */
export async function offeredNetworks(): Promise<Network[]> {
  const known = new Set(await networksWithRows());
  return (await networksFor([...known])).sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** As the page of pending requests has counted them last. */
async function networksWithRows(): Promise<string[]> {
  const index = startedServices()?.index;
  if (index === undefined) return [];
  const { keepers } = await triageOf(index).recent();
  return keepers.flatMap(({ counts }) => counts.map(({ networkId }) => networkId));
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

/** More networks than a page of rows can hold; a larger question is no page of ours. */
const MOST_IDS = 1000;

/**
 * `?ids=8453,42161`: the networks of these ids, in their order, for pages whose rows arrive later. `?ids=offered`: those
 * to choose from, by name.
 */
export async function replyWithNetworks(request: Request): Promise<Response> {
  const params = new URL(request.url).searchParams;
  const ids = params.getAll('ids').flatMap((text) => text.split(','));
  if (ids.join() === 'offered') return jsonReply(await offeredNetworks());
  if (ids.length === 0 || ids.length > MOST_IDS || !ids.every((id) => /^\d{1,78}$/.test(id))) {
    return problemReply(
      problem('bad-request', `ids should be 1 to ${MOST_IDS} network ids, separated by commas.`),
    );
  }
  return jsonReply(await networksFor(ids));
}
