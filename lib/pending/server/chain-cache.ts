import 'server-only';
import { LRUCache } from 'lru-cache';
import { MINUTE_MS } from '@/lib/core/time';
import type { Onchain } from '@/lib/onchain/onchain-response';
import { chainStates } from '@/lib/onchain/server/network-watch';
import { type ChainEvidence, chainEvidenceOf, type ListedChain } from '@/lib/pending/chain-cause';
import { processWideOf } from '@/lib/platform/process-wide';
import { type Services, services } from '@/lib/services/services';

/** The chain's last answers about incidents and stuck requests, for lists, reports and messages. */

const CACHE_TTL_MS = 2 * MINUTE_MS;
/** Age from which a list requests a new answer. */
export const REFRESH_AFTER_MS = MINUTE_MS;
const MAX_ENTRIES = 500;

type Entry = { answers: readonly Onchain[]; atMs: number };
type ChainCache = { entries: LRUCache<string, Entry>; changes: number };

const cacheOf = processWideOf('chain-cache', (_: Services): ChainCache => {
  return { entries: new LRUCache({ max: MAX_ENTRIES, ttl: CACHE_TTL_MS }), changes: 0 };
});

/** @param id id of an incident, or key of a request */
export function storeChain(id: string, answers: readonly Onchain[], deps: Services = services()): void {
  const chain = cacheOf(deps);
  chain.entries.set(id, { answers, atMs: performance.now() });
  chain.changes += 1;
}

/** Number of changes, a part of the key of cached lists. */
export const chainChanges = (deps: Services = services()): number => cacheOf(deps).changes;

/** Infinite if there is no answer. */
export function chainAgeMs(id: string, deps: Services = services()): number {
  const entry = cacheOf(deps).entries.get(id);
  return entry === undefined ? Number.POSITIVE_INFINITY : performance.now() - entry.atMs;
}

export const chainStateOf = (keeper: string, networkId: string, deps: Services = services()) =>
  chainStates(deps).find((chainState) => chainState.keeper === keeper && chainState.networkId === networkId);

type ChainTarget = { id: string; keeper: string; networkId: string; size: number };

/** Undefined if it would not change a verdict. */
export function cachedEvidence(
  { id, keeper, networkId, size }: ChainTarget,
  deps: Services = services(),
): ChainEvidence | undefined {
  const ageMs = chainAgeMs(id, deps);
  const answers = (cacheOf(deps).entries.get(id)?.answers ?? []).map((answer) => ({
    ...answer,
    ageMs: Math.round(answer.ageMs + ageMs),
  }));
  const evidence = chainEvidenceOf(answers, size, chainStateOf(keeper, networkId, deps), deps.index.now());
  return evidence.cause === undefined && evidence.asked === 0 ? undefined : evidence;
}

export function listedChain(target: ChainTarget, deps: Services = services()): { chain?: ListedChain } {
  const { cause, isOpen = false } = cachedEvidence(target, deps) ?? {};
  return cause === undefined && !isOpen ? {} : { chain: { isOpen, ...(cause && { cause }) } };
}
