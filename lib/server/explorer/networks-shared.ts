import 'server-only';
import { failed } from '@/lib/domain/outcome';
import { servedNetworkIds } from '@/lib/server/chain-configs';
import { unconfigured } from '@/lib/server/gateway-routes';
import { offeredNetworks } from '@/lib/server/network-directory';
import { processWide } from '@/lib/server/process-wide';
import { type Services, services } from '@/lib/server/services';
import { createServedNetworks, type ServedNetworks } from './served-networks';
import { createUnservedMemory, type UnservedMemory } from './unserved-memory';

/** What all who ask for logs know together about the networks of the keepers. */
export type SharedNetworks = { memory: UnservedMemory; served: ServedNetworks };

const kept = processWide<{ of: Services; shared: SharedNetworks }>('explorer-networks');

/** The knowledge about the services as they stand; other services (a restart within a test) begin anew. */
export function sharedNetworks(): SharedNetworks {
  const of = services();
  const known = kept.get();
  if (known?.of === of) return known.shared;
  const memory = createUnservedMemory(Date.now);
  const served = createServedNetworks({
    ask: async (keeper) => {
      const client = of.logs.get(keeper);
      return client === undefined ? failed(unconfigured('logs')) : servedNetworkIds(client.http);
    },
    memory,
    offered: async () => (await offeredNetworks()).map(({ networkId }) => networkId),
    now: Date.now,
  });
  const shared = { memory, served };
  kept.set({ of, shared });
  return shared;
}
