import { readFileSync, writeFileSync } from 'node:fs';
import type { Chain } from 'viem';
import * as library from 'viem/chains';
import { isExplorerTemplate } from '@/lib/core/network';

/** `npm run chains`: writes `data/chains.json` from viem's list, so that the server need not load its 63 MB. */

/** Chains in order of their ids. Of several with the same id, the first one is used. */
export function chainRows(chains: readonly Chain[]) {
  const byId = new Map(chains.toReversed().map((chain) => [chain.id, chain]));
  return [...byId.values()]
    .sort((a, b) => a.id - b.id)
    .map((chain) => ({
      network_id: String(chain.id),
      name: chain.name,
      testnet: chain.testnet === true,
      ...explorersOf(chain),
    }));
}

/** Explorers of this software share /tx/ and /address/. A URL with a query belongs to other software. */
function explorersOf(chain: Chain) {
  const url = chain.blockExplorers?.default.url.replace(/\/+$/, '') ?? '';
  const explorer_tx = `${url}/tx/{hash}`;
  const explorer_address = `${url}/address/{address}`;
  const isUsable =
    /^https:\/\/[^\s?#{}]+$/.test(url) &&
    isExplorerTemplate(explorer_tx, '{hash}') &&
    isExplorerTemplate(explorer_address, '{address}');
  return isUsable ? { explorer_tx, explorer_address } : {};
}

/** One line for each chain. Networks of `data/networks.json` are left out. */
export function chainsText(): string {
  const networks: { network_id: string }[] = JSON.parse(readFileSync('data/networks.json', 'utf8'));
  const listedIds = new Set(networks.map(({ network_id }) => network_id));
  const rows = chainRows(Object.values(library)).filter(({ network_id }) => !listedIds.has(network_id));
  return `[\n${rows.map((row) => ` ${JSON.stringify(row)}`).join(',\n')}\n]\n`;
}

if (process.env.npm_lifecycle_event === 'chains') writeFileSync('data/chains.json', chainsText());
