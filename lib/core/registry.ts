import feeds from '@/data/feeds.json';
import networks from '@/data/networks.json';
import { type FeedEntry, type FeedId, findFeed } from './feed';
import { type Network, unknownNetwork } from './network';

function networkOf(row: (typeof networks)[number]): Network {
  const { network_id: networkId, name, testnet, contract, explorer_tx, explorer_address } = row;
  const explorers = { explorerTx: explorer_tx, explorerAddress: explorer_address };
  return { networkId, name, testnet, contract, known: true, ...explorers };
}

const byId: ReadonlyMap<string, Network> = new Map(networks.map((row) => [row.network_id, networkOf(row)]));

/** The network of that id in `data/networks.json`, else one that is shown by its id. Not for the browser: 14 kB of data. */
export function builtInNetwork(networkId: string): Network {
  return byId.get(networkId) ?? unknownNetwork(networkId);
}

/** What a board shows when nobody has chosen: one look at each asset class. */
const DEFAULT_SYMBOLS = ['Crypto.BTC/USD', 'Crypto.ETH/USD', 'Crypto.SOL/USD', 'FX.EUR/USD', 'Metal.XAU/USD'];

const entries: readonly FeedEntry[] = feeds.map(({ id, symbol, asset_type }) => {
  const [base, quoteCurrency] = symbol.slice(symbol.lastIndexOf('.') + 1).split('/');
  return { id: id as FeedId, symbol, assetType: asset_type, base, quoteCurrency };
});

/** Names to start with while the service's directory is out of reach. Not for the browser: 25 kB. */
export const builtInFeeds = (): FeedEntry[] => [...entries];
/** The feeds watched where the `FEEDS` setting names none. */
export const defaultFeeds = () => DEFAULT_SYMBOLS.flatMap((symbol) => findFeed(entries, symbol) ?? []);
