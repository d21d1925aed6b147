import 'server-only';
import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import chains from '@/data/chains.json';
import { jsonReply, problemReply } from '@/lib/access/reply';
import { contractServed, type Network, unknownNetwork } from '@/lib/core/network';
import { problemDetails } from '@/lib/core/problem';
import { builtInNetwork } from '@/lib/core/registry';
import { MINUTE_MS } from '@/lib/core/time';
import { integerText, isWireObject, member, readWireDocument } from '@/lib/core/wire-json';
import { log } from '@/lib/platform/log';
import type { NetworkSettings, NetworkSettingsById } from '@/lib/platform/network-settings';
import { processWideOf } from '@/lib/platform/process-wide';
import { currentSettings } from '@/lib/platform/settings';
import { IndexUnavailableError } from '@/lib/store/engine';
import { networkIds } from '@/lib/store/queries/evidence';
import type { IndexStore } from '@/lib/store/store';
import { type Services, startedServices } from './services';

/** Chains by id whose randomness contract is unknown. */
const otherChains: ReadonlyMap<string, Network> = new Map(
  chains.map(({ network_id, name, testnet, explorer_tx, explorer_address }) => [
    network_id,
    {
      networkId: network_id,
      name,
      testnet,
      known: true,
      ...(explorer_tx === undefined ? {} : { explorerTx: explorer_tx, explorerAddress: explorer_address }),
    },
  ]),
);

/**
 * Networks from the operator's file, else our registry, else `data/chains.json`, else the keepers; or `known: false`.
 */
export function networksFor(
  ids: readonly string[],
  settings: NetworkSettingsById = currentSettings().networks,
): Network[] {
  return ids.map((id) => {
    const builtIn = builtInNetwork(id);
    const network = builtIn.known ? builtIn : (otherChains.get(id) ?? servedNetwork(id));
    return withServedContracts(withSettings(network, settings[id]));
  });
}

function withServedContracts(network: Network): Network {
  const others = servedChains().flatMap(({ networkId, keeper, contract }) =>
    networkId === network.networkId && contract && contract.toLowerCase() !== network.contract?.toLowerCase()
      ? [[keeper, contract] as const]
      : [],
  );
  return others.length === 0 ? network : { ...network, contracts: Object.fromEntries(others) };
}

/** Networks with rows, and those in the keepers' lists, sorted by name. */
export async function offeredNetworks(): Promise<Network[]> {
  const ids = [...(await networksWithRows()), ...servedChains().map(({ networkId }) => networkId)];
  return networksFor([...new Set(ids)]).sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** New networks are rare and every page needs them, so the list is cached for 2 s. */
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
    // Reported by callers that also read rows.
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

type ServedChain = { networkId: string; name: string; contract?: string };

/** Limit of chains; no keeper serves more. */
const MAX_CHAINS = 1000;
const MAX_BYTES = 4 * 1024 * 1024;
const CHAINS_TTL_MS = 600_000;
const FAILURE_TTL_MS = MINUTE_MS;

/** Chains by keeper. While a service does not answer, its last list is used. */
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
        const read = answer?.ok ? readChains(answer.value.text) : undefined;
        if (read === undefined) options.ttl = FAILURE_TTL_MS;
        return read ?? before ?? [];
      },
    }),
);

/** The lists are requested in the background, from a route that not every service has. */
function servedChains(): (ServedChain & { keeper: string })[] {
  const deps = startedServices();
  if (deps === undefined) return [];
  const served = chainsOf(deps);
  const reportError = (error: unknown) => log().error({ error }, 'could not read the list of networks');
  return deps.keepers.flatMap((keeper) => {
    served.fetch(keeper).catch(reportError);
    return (served.get(keeper) ?? []).map((chain) => ({ ...chain, keeper }));
  });
}

/** Time for a keeper to name the contract of a network. */
const CONTRACT_MS = 2000;

/** The randomness contract: as the keeper names it, else from the operator's file or our own list. */
export async function randomnessContract(keeper: string, networkId: string): Promise<string | undefined> {
  const deps = startedServices();
  const late = pause(CONTRACT_MS, undefined, { ref: false });
  if (deps !== undefined) await Promise.race([chainsOf(deps).fetch(keeper), late]);
  const [network] = networksFor([networkId]);
  return network && contractServed(network, keeper);
}

/** Undefined if the text is not a list. A network that is not set up yet has the id 0. */
export function readChains(text: string): ServedChain[] | undefined {
  const list = readWireDocument(text)?.value;
  if (!Array.isArray(list)) return undefined;
  const read = list.slice(0, MAX_CHAINS).flatMap((entry: unknown): ServedChain[] => {
    if (!isWireObject(entry)) return [];
    const networkId = integerText(member(entry, 'network_id'));
    const name = member(entry, 'name');
    if (networkId === undefined || networkId === '0' || networkId.startsWith('-')) return [];
    const contract = member(entry, 'contract_addr');
    const isAddress = typeof contract === 'string' && /^0x[0-9a-f]{40}$/i.test(contract);
    return [{ networkId, name: typeof name === 'string' ? name : '', ...(isAddress ? { contract } : {}) }];
  });
  return [...new Map(read.map((chain) => [chain.networkId, chain])).values()];
}

/** A page of rows can't have as many networks, and our pages never request more. */
const MAX_IDS = 1000;

/** `?ids=8453,42161`: in this order. `?ids=offered`: the networks to choose from, sorted by name. */
export async function replyWithNetworks(request: Request): Promise<Response> {
  const params = new URL(request.url).searchParams;
  const ids = params.getAll('ids').flatMap((text) => text.split(','));
  if (ids.join() === 'offered') return jsonReply(await offeredNetworks());
  if (ids.length === 0 || ids.length > MAX_IDS || !ids.every((id) => /^\d{1,78}$/.test(id))) {
    return problemReply(
      problemDetails('bad-request', `ids should be 1 to ${MAX_IDS} network ids, separated by commas.`),
    );
  }
  return jsonReply(networksFor(ids));
}
