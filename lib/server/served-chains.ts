import 'server-only';
import { integerText, isWireObject, member, readWireDocument } from '@/lib/core/wire-json';
import { log } from './log';
import { processWide } from './process-wide';
import { type Connected, type Services, startedServices } from './services';

/** A network that a keeper says it serves. */
export type ServedChain = { networkId: string; name: string };

/** More networks than this no keeper serves. */
const MOST_CHAINS = 1000;
const MAX_BYTES = 4 * 1024 * 1024;
const KEPT_MS = 600_000;
/** A keeper without such a list, or in trouble, is asked again after this. */
const FAILURE_KEPT_MS = 60_000;

type Kept = { chains: ServedChain[]; untilMs: number };

const kept = processWide<{ of: Services; byKeeper: Map<string, Kept> }>('served-chains');

/**
 * What the keepers say they serve, as far as they have said it; nobody waits for it. Each is asked in the background, every
 * ten minutes at most while pages are opened. The route is optional.
 */
export function servedChains(): ServedChain[] {
  const of = startedServices();
  if (of === undefined) return [];
  const known = kept.get();
  const byKeeper = known?.of === of ? known.byKeeper : new Map<string, Kept>();
  kept.set({ of, byKeeper });
  for (const [keeper, { http }] of of.logs) {
    const before = byKeeper.get(keeper);
    if (before !== undefined && before.untilMs > performance.now()) continue;
    byKeeper.set(keeper, { chains: before?.chains ?? [], untilMs: Number.POSITIVE_INFINITY });
    ask(http)
      .then((chains) => {
        const untilMs = performance.now() + (chains === undefined ? FAILURE_KEPT_MS : KEPT_MS);
        byKeeper.set(keeper, { chains: chains ?? before?.chains ?? [], untilMs });
      })
      .catch((error: unknown) => log().error({ error }, 'a list of networks met an error of ours'));
  }
  return [...byKeeper.values()].flatMap(({ chains }) => chains);
}

async function ask(http: Connected<unknown>['http']): Promise<ServedChain[] | undefined> {
  const path = '/v1/chains/configs';
  const answer = await http.call({ method: 'GET', path, priority: 'background', maxBytes: MAX_BYTES });
  return answer.ok ? readChains(answer.value.text) : undefined;
}

/** Reads the list; undefined where it is none. A network that is not set up yet has the id 0 there. */
export function readChains(text: string): ServedChain[] | undefined {
  const list = readWireDocument(text)?.value;
  if (!Array.isArray(list)) return undefined;
  const chains = list.slice(0, MOST_CHAINS).flatMap((entry: unknown): ServedChain[] => {
    if (!isWireObject(entry)) return [];
    const networkId = integerText(member(entry, 'network_id'));
    const name = member(entry, 'name');
    if (networkId === undefined || networkId === '0' || networkId.startsWith('-')) return [];
    return [{ networkId, name: typeof name === 'string' ? name : '' }];
  });
  return [...new Map(chains.map((chain) => [chain.networkId, chain])).values()];
}
