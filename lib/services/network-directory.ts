import 'server-only';
import { LRUCache } from 'lru-cache';
import type { Chain } from 'viem';
import { jsonReply, problemReply } from '@/lib/access/reply';
import { isExplorerTemplate, type Network, unknownNetwork } from '@/lib/core/network';
import { problem } from '@/lib/core/problem';
import { builtInNetwork } from '@/lib/core/registry';
import { integerText, isWireObject, member, readWireDocument } from '@/lib/core/wire-json';
import { log } from '@/lib/platform/log';
import type { NetworkSettings, NetworkSettingsById } from '@/lib/platform/network-settings';
import { processWideOf } from '@/lib/platform/process-wide';
import { currentSettings } from '@/lib/platform/settings';
import { IndexUnavailableError } from '@/lib/store/engine';
import { networkIds } from '@/lib/store/queries/evidence';
import type { IndexStore } from '@/lib/store/store';
import { type Services, startedServices } from './services';

type ChainLookup = () => Promise<ReadonlyMap<string, Network>>;

let chains: Promise<ReadonlyMap<string, Network>> | undefined;

/**
 * viem's chains take half a second and 50 MB to load, so they are loaded for the first id that needs them.
 */
const libraryChains: ChainLookup = () => {
  chains ??= import('viem/chains').then((all) => chainsById(Object.values(all)));
  return chains;
};

/**
 * Networks by id: from the operator's file, our registry, viem's chains, then the keepers; otherwise `known:
 * false`.
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

/** Networks to choose from, by name: those with rows, and those that the keepers say they serve. */
export async function offeredNetworks(): Promise<Network[]> {
  const known = [...(await networksWithRows()), ...servedChains().map(({ networkId }) => networkId)];
  return (await networksFor([...new Set(known)])).sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** Networks with rows. New ones are rare and every page asks for them, so the list is cached for 2 s. */
const rowsOfNetworks = new LRUCache<IndexStore, string[]>({
  max: 1,
  ttl: 2000,
  allowStaleOnFetchRejection: true,
  fetchMethod: ({ engine }) => networkIds(engine),
});

async function networksWithRows(): Promise<string[]> {
  const index = startedServices()?.index;
  if (index === undefined) return [];
  const ids = await rowsOfNetworks.fetch(index).catch((error: unknown) => {
    // A caller that reads rows as well reports the failure.
    if (!(error instanceof IndexUnavailableError)) throw error;
  });
  return ids ?? [];
}

function servedNetwork(networkId: string): Network {
  const name = servedChains().find((chain) => chain.networkId === networkId)?.name;
  return name ? { ...unknownNetwork(networkId), name, known: true } : unknownNetwork(networkId);
}

function withSettings(network: Network, settings: NetworkSettings | undefined): Network {
  if (settings === undefined) return network;
  const { thresholds: _ours, ...names } = settings;
  return { ...network, ...names, known: network.known || names.name !== undefined };
}

/** viem's chains as networks. An id of several chains goes to the first one. */
export function chainsById(chainsOfLibrary: readonly Chain[]): ReadonlyMap<string, Network> {
  return new Map(chainsOfLibrary.toReversed().map((chain) => [String(chain.id), networkOf(chain)]));
}

/** Explorers of one make share the paths /tx/ and /address/. A URL with a query belongs to another make. */
function networkOf(chain: Chain): Network {
  const url = chain.blockExplorers?.default.url.replace(/\/+$/, '') ?? '';
  const plain = /^https:\/\/[^\s?#{}]+$/.test(url);
  const explorerTx = `${url}/tx/{hash}`;
  const explorerAddress = `${url}/address/{address}`;
  return {
    networkId: String(chain.id),
    name: chain.name,
    testnet: chain.testnet,
    ...(plain && isExplorerTemplate(explorerTx, '{hash}') ? { explorerTx } : {}),
    ...(plain && isExplorerTemplate(explorerAddress, '{address}') ? { explorerAddress } : {}),
    known: true,
  };
}

type ServedChain = { networkId: string; name: string };

/** No keeper serves more networks than this. */
const MAX_CHAINS = 1000;
const MAX_BYTES = 4 * 1024 * 1024;
const CHAINS_TTL_MS = 600_000;
const FAILURE_TTL_MS = 60_000;

/** Chains by keeper. The last known list is kept while a service does not answer. */
const chainsOf = processWideOf(
  'served-chains',
  ({ logs }: Services) =>
    new LRUCache<string, ServedChain[]>({
      max: MAX_CHAINS,
      ttl: CHAINS_TTL_MS,
      allowStale: true,
      fetchMethod: async (keeper, before, { options }) => {
        const call = { method: 'GET', path: '/v1/chains/configs', priority: 'background' } as const;
        const answer = await logs.get(keeper)?.http.call({ ...call, maxBytes: MAX_BYTES });
        const chains = answer?.ok ? readChains(answer.value.text) : undefined;
        if (chains === undefined) options.ttl = FAILURE_TTL_MS;
        return chains ?? before ?? [];
      },
    }),
);

/**
 * The networks that the keepers last said they serve. Nobody waits for the call, and the route is optional.
 */
function servedChains(): ServedChain[] {
  const of = startedServices();
  if (of === undefined) return [];
  const chains = chainsOf(of);
  const reportError = (error: unknown) => log().error({ error }, 'could not read the list of networks');
  return of.keepers.flatMap((keeper) => {
    chains.fetch(keeper).catch(reportError);
    return chains.get(keeper) ?? [];
  });
}

/** Reads the list of chains; undefined if it is none. A network that is not set up yet has the id 0. */
export function readChains(text: string): ServedChain[] | undefined {
  const list = readWireDocument(text)?.value;
  if (!Array.isArray(list)) return undefined;
  const chains = list.slice(0, MAX_CHAINS).flatMap((entry: unknown): ServedChain[] => {
    if (!isWireObject(entry)) return [];
    const networkId = integerText(member(entry, 'network_id'));
    const name = member(entry, 'name');
    if (networkId === undefined || networkId === '0' || networkId.startsWith('-')) return [];
    return [{ networkId, name: typeof name === 'string' ? name : '' }];
  });
  return [...new Map(chains.map((chain) => [chain.networkId, chain])).values()];
}

/** More networks than a page of rows can hold. No page of ours asks for more. */
const MAX_IDS = 1000;

/**
 * `?ids=8453,42161`: these networks, in their order. `?ids=offered`: the networks to choose from, by name.
 */
export async function replyWithNetworks(request: Request): Promise<Response> {
  const params = new URL(request.url).searchParams;
  const ids = params.getAll('ids').flatMap((text) => text.split(','));
  if (ids.join() === 'offered') return jsonReply(await offeredNetworks());
  if (ids.length === 0 || ids.length > MAX_IDS || !ids.every((id) => /^\d{1,78}$/.test(id))) {
    return problemReply(
      problem('bad-request', `ids should be 1 to ${MAX_IDS} network ids, separated by commas.`),
    );
  }
  return jsonReply(await networksFor(ids));
}
