import networks from '@/data/networks.json';
import { isExplorerTemplate, type Network, unknownNetwork } from './network';

type RegistryRow = (typeof networks)[number];

function networkOf(row: RegistryRow): Network {
  return {
    networkId: row.network_id,
    name: row.name,
    testnet: row.testnet,
    ...(isExplorerTemplate(row.explorer_tx, '{hash}') ? { explorerTx: row.explorer_tx } : {}),
    ...(isExplorerTemplate(row.explorer_address, '{address}')
      ? { explorerAddress: row.explorer_address }
      : {}),
    contract: row.contract,
    known: true,
  };
}

const byId: ReadonlyMap<string, Network> = new Map(networks.map((row) => [row.network_id, networkOf(row)]));

/** The networks of `data/networks.json`, in the order of that file (by name). Not for the browser: 14 kB of data. */
export function builtInNetworks(): Network[] {
  return [...byId.values()];
}

/** The built-in network of that id, else one that is shown by its id. */
export function builtInNetwork(networkId: string): Network {
  return byId.get(networkId) ?? unknownNetwork(networkId);
}
