import 'server-only';
import { builtInNetwork } from '@/lib/domain/network-registry';
import type { NetworkSettingsById } from './network-settings';
import type { TriageNow } from './triage/triage-view';

/** What monitoring is told of one network of one keeper; what is not known is absent. Times are unix milliseconds. */
export type NetworkFigure = {
  keeper: string;
  networkId: string;
  name: string;
  pending?: number;
  oldestPendingMs?: number;
  stuck?: number;
  lastRequestMs?: number;
  /** Nothing was logged for much longer than is usual there. */
  isQuiet?: boolean;
};

/** How the log of one keeper could be read at the last look. */
export type KeeperFigure = {
  keeper: string;
  /** Whether all of it came, and could be read. */
  isWhole: boolean;
  /** When its pending requests were last read; absent before the first time. */
  checkedAtMs?: number;
  /** Pending requests that are known; absent when none of the answers is good. */
  pending?: number;
  /** Pending requests that the service counts beside them, or that could not be read. */
  unseen?: number;
};

export type NetworkFigures = { networks: NetworkFigure[]; keepers: KeeperFigure[] };

/** The figures of a look, in the words of the page for pending requests: who is stuck is decided there. */
export function networkFigures(now: TriageNow, settings: NetworkSettingsById): NetworkFigures {
  const { evidence, troubles } = now.gathered;
  const oldest = new Map(evidence.map(({ keeper, pending }) => [keeper, oldestByNetwork(pending)]));
  return {
    networks: now.silence.map(({ keeper, networkId, pending, stuck, lastRequestMs, quiet }) => ({
      keeper,
      networkId,
      name: settings[networkId]?.name ?? builtInNetwork(networkId).name,
      pending,
      oldestPendingMs: oldest.get(keeper)?.get(networkId),
      stuck,
      lastRequestMs,
      isQuiet: quiet.holds === 'yes' ? true : quiet.holds === 'no' ? false : undefined,
    })),
    keepers: evidence.map(({ keeper, pending }) => {
      const isTroubled = troubles.some((trouble) => trouble.keeper === keeper);
      if (pending.kind === 'missing') return { keeper, isWhole: false };
      const { rows, missing, unreadable } = pending.value;
      const unseen = missing + unreadable;
      const isWhole = unseen === 0 && !isTroubled;
      return { keeper, isWhole, checkedAtMs: pending.atMs, pending: rows.length, unseen };
    }),
  };
}

type Pending = TriageNow['gathered']['evidence'][number]['pending'];

function oldestByNetwork(pending: Pending): Map<string, number> {
  const oldest = new Map<string, number>();
  for (const { networkId, createdAt } of pending.kind === 'known' ? pending.value.rows : []) {
    oldest.set(networkId, Math.min(oldest.get(networkId) ?? createdAt.ms, createdAt.ms));
  }
  return oldest;
}
