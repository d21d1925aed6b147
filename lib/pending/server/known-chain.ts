import 'server-only';
import { LRUCache } from 'lru-cache';
import { MINUTE_MS } from '@/lib/core/time';
import type { Onchain } from '@/lib/onchain/answers';
import { chainStates } from '@/lib/onchain/server/network-watch';
import { type ChainEvidence, chainEvidenceOf, type ListedChain } from '@/lib/pending/chain-cause';
import { processWideOf } from '@/lib/platform/process-wide';
import { type Services, services } from '@/lib/services/services';

/** What the chain last said about incidents and stuck requests, without asking it: for lists, reports and messages. */

/** An answer is used for so long, and not asked for anew by a list before `ASK_AGAIN_MS`. */
const KEPT_MS = 2 * MINUTE_MS;
export const ASK_AGAIN_MS = MINUTE_MS;
const MAX_KEPT = 500;

type Kept = { answers: readonly Onchain[]; atMs: number };
type KnownChain = { kept: LRUCache<string, Kept>; changes: number };

const knownOf = processWideOf('known-chain', (_: Services): KnownChain => {
  return { kept: new LRUCache({ max: MAX_KEPT, ttl: KEPT_MS }), changes: 0 };
});

/** @param id of an incident, or the key of a request */
export function keepChain(id: string, answers: readonly Onchain[], of: Services = services()): void {
  const known = knownOf(of);
  known.kept.set(id, { answers, atMs: performance.now() });
  known.changes += 1;
}

/** How often it has changed: lists of one state differ by it. */
export const chainChanges = (of: Services = services()): number => knownOf(of).changes;

/** Age of what is known about an incident or a request, ms; infinite where nothing is. */
export function chainAgeMs(id: string, of: Services = services()): number {
  const kept = knownOf(of).kept.get(id);
  return kept === undefined ? Number.POSITIVE_INFINITY : performance.now() - kept.atMs;
}

export const chainStateOf = (keeper: string, networkId: string, of: Services = services()) =>
  chainStates(of).find((one) => one.keeper === keeper && one.networkId === networkId);

type About = { id: string; keeper: string; networkId: string; size: number };

/** The chain as evidence about an incident or a request; undefined where it told nothing that would change a verdict. */
export function knownChain(
  { id, keeper, networkId, size }: About,
  of: Services = services(),
): ChainEvidence | undefined {
  const ageMs = chainAgeMs(id, of);
  const answers = (knownOf(of).kept.get(id)?.answers ?? []).map((answer) => ({
    ...answer,
    ageMs: Math.round(answer.ageMs + ageMs),
  }));
  const evidence = chainEvidenceOf(answers, size, chainStateOf(keeper, networkId, of), of.index.now());
  return evidence.cause === undefined && evidence.asked === 0 ? undefined : evidence;
}

/** As lists have it. */
export function listedChain(about: About, of: Services = services()): { chain?: ListedChain } {
  const { cause, isOpen = false } = knownChain(about, of) ?? {};
  return cause === undefined && !isOpen ? {} : { chain: { isOpen, ...(cause && { cause }) } };
}
