import feeds from '@/data/feeds.json';
import networks from '@/data/networks.json';
import { type FeedEntry, findFeed, parseFeedId } from './feed';
import { isExplorerTemplate, type Network, unknownNetwork } from './network';

function networkOf(row: (typeof networks)[number]): Network {
  const { network_id: networkId, name, testnet, contract, explorer_tx, explorer_address } = row;
  return {
    ...{ networkId, name, testnet, contract, known: true },
    ...(isExplorerTemplate(explorer_tx, '{hash}') ? { explorerTx: explorer_tx } : {}),
    ...(isExplorerTemplate(explorer_address, '{address}') ? { explorerAddress: explorer_address } : {}),
  };
}

const byId: ReadonlyMap<string, Network> = new Map(networks.map((row) => [row.network_id, networkOf(row)]));

/** The network of that id in `data/networks.json`, else one that is shown by its id. Not for the browser: 14 kB of data. */
export function builtInNetwork(networkId: string): Network {
  return byId.get(networkId) ?? unknownNetwork(networkId);
}

/** What a board shows when nobody has chosen: one look at each asset class. */
const DEFAULT_SYMBOLS = ['Crypto.BTC/USD', 'Crypto.ETH/USD', 'Crypto.SOL/USD', 'FX.EUR/USD', 'Metal.XAU/USD'];

function entryOf(row: (typeof feeds)[number]): FeedEntry[] {
  const id = parseFeedId(row.id);
  if (id === undefined) return [];
  const [base, quoteCurrency] = row.symbol.slice(row.symbol.lastIndexOf('.') + 1).split('/');
  return [{ id, symbol: row.symbol, assetType: row.asset_type, base, quoteCurrency }];
}

const entries: readonly FeedEntry[] = feeds.flatMap(entryOf);

/** Names to start with while the service's directory is out of reach. Not for the browser: 25 kB. */
export const builtInFeeds = (): FeedEntry[] => [...entries];
/** The feeds watched where the `FEEDS` setting names none. */
export const defaultFeeds = () => DEFAULT_SYMBOLS.flatMap((symbol) => findFeed(entries, symbol) ?? []);
