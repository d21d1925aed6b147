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

/** A network of `data/networks.json`, else an unknown network. Server only: 14 kB of data. */
export function builtInNetwork(networkId: string): Network {
  return byId.get(networkId) ?? unknownNetwork(networkId);
}

const DEFAULT_SYMBOLS = ['Crypto.BTC/USD', 'Crypto.ETH/USD', 'Crypto.SOL/USD', 'FX.EUR/USD', 'Metal.XAU/USD'];

const entries: readonly FeedEntry[] = feeds.map(({ id, symbol, asset_type }) => {
  const [base, quoteCurrency] = symbol.slice(symbol.lastIndexOf('.') + 1).split('/');
  return { id: id as FeedId, symbol, assetType: asset_type, base, quoteCurrency };
});

/** Offered while the service's directory is unreachable. Server only: 25 kB of data. */
export const builtInFeeds = (): FeedEntry[] => [...entries];
/** Watched if the `FEEDS` setting names none. */
export const defaultFeeds = () => DEFAULT_SYMBOLS.flatMap((symbol) => findFeed(entries, symbol) ?? []);
