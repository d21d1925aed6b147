import 'server-only';
import type { FeedDirectory } from '@/lib/domain/feed';
import type { Outcome } from '@/lib/domain/outcome';
import type { RouterSymbols } from '@/lib/domain/router-price';
import { processWide } from './process-wide';
import { type Services, services } from './services';

/** The services that list feeds. */
export type ListServices = Pick<Services, 'updates' | 'router'>;

/** The last answer of a service to the question for its list, and its last good answer with the unix ms of its arrival. */
export type KeptList<T> = { answer: Outcome<T>; good?: { value: T; atMs: number } };

/** The lists of both services, each on its own: one is not waited for with the other. Absent: not configured. */
export type PriceLists = {
  router?: Promise<KeptList<RouterSymbols>>;
  updates?: Promise<KeptList<FeedDirectory>>;
};

/** Feeds are added now and then, not by the minute. */
const KEEP_MS = 10 * 60_000;

/** After a failure: soon enough to notice that the service is back, and no burden to it. */
const KEEP_FAILED_MS = 30_000;

type Held<T> = {
  /** Services that are started again are asked again. */
  client: unknown;
  list: Promise<KeptList<T>>;
  untilMs: number;
};

type HeldLists = { router?: Held<RouterSymbols>; updates?: Held<FeedDirectory> };

const kept = processWide<HeldLists>('price-lists');

/**
 * What the router's `/v1/symbols` and the price update service's `/v2/price_feeds` list, for everything that names feeds:
 * each is asked once for all callers, in the background, and its answer is kept for a while. Never fails; a service that
 * fails is asked again soon, and what it listed before is still there.
 */
export function priceLists({ router, updates }: ListServices = services(), clock = Date.now): PriceLists {
  const held = kept.get() ?? {};
  const next: HeldLists = {
    router: router && heldList(held.router, router, () => router.symbols('', 'background'), clock),
    updates: updates && heldList(held.updates, updates, () => updates.directory('', 'background'), clock),
  };
  kept.set(next);
  return { router: next.router?.list, updates: next.updates?.list };
}

function heldList<T>(
  held: Held<T> | undefined,
  client: unknown,
  ask: () => Promise<Outcome<T>>,
  clock: () => number,
): Held<T> {
  const ours = held?.client === client ? held : undefined;
  if (ours !== undefined && clock() < ours.untilMs) return ours;
  const fresh: Held<T> = {
    client,
    list: listFrom(ask(), ours?.list, clock),
    untilMs: Number.POSITIVE_INFINITY,
  };
  void fresh.list.then(({ answer }) => {
    fresh.untilMs = clock() + (answer.ok ? KEEP_MS : KEEP_FAILED_MS);
  });
  return fresh;
}

async function listFrom<T>(
  asked: Promise<Outcome<T>>,
  before: Promise<KeptList<T>> | undefined,
  clock: () => number,
): Promise<KeptList<T>> {
  const answer = await asked;
  const good = answer.ok ? { value: answer.value, atMs: clock() } : (await before)?.good;
  return { answer, ...(good === undefined ? {} : { good }) };
}
